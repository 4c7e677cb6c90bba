import { type HandlerServices, routeFor } from 'accord';
import type { OwnServices } from './services/index.js';

/** Writes one route: `route({ target, handler, reply })`. */
export const route = routeFor<HandlerServices & OwnServices>();

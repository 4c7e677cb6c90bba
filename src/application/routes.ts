import { type HandlerServices, routeFor } from '@accord-api/platform';
import type { OwnServices } from './services/index.js';

/** Writes one route: `route({ target, handler, reply })`. */
export const route = routeFor<HandlerServices & OwnServices>();

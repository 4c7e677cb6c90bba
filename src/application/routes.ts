import { type HandlerServices, routeFor } from '@accord-api/platform';
import type { OwnServices } from './services/index.js';

export const route = routeFor<HandlerServices & OwnServices>();

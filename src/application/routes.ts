import { type HandlerServices, routeFor } from '@accord-api/platform';
import type { OwnServices } from './services/index.js';

/** Creates the route of an operation, whose handler receives the services of the platform and of this application. */
export const route = routeFor<HandlerServices & OwnServices>();

import type { FastifyInstance } from 'fastify';
import type { StagesOf } from '../../core/stages.js';
import { type CrossOrigin, originStages } from './cross-origin.js';
import { sessionCookieStages } from './session-cookies.js';

export { crossOrigin } from './cross-origin.js';

/** Keeps the rules of browsers: CORS, the service's own origin, and cookies. */
export function browsers(app: FastifyInstance, cors: CrossOrigin) {
  const origins = originStages(app, cors);
  const stages: StagesOf<'browsers'> = { ...origins.stages, ...sessionCookieStages(app) };
  return { stages, seam: origins.seam };
}

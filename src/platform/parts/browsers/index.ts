import type { Part } from '../../core/application.js';
import { CONTRACT_PATHS } from '../../core/contract/published.js';
import { crossOrigin, originStages } from './cross-origin.js';
import { sessionCookieStages } from './session-cookies.js';

/** Keeps the rules of browsers: CORS, the service's own origin, and cookies. */
export const browsers = (): Part<'browsers'> => ({
  name: 'browsers',
  open({ app, config, document, operations }) {
    const { production, CORS_ORIGINS: origins } = config;
    const own = originStages(app, crossOrigin({ origins, production, open: CONTRACT_PATHS }, document, operations));
    return { stages: { ...own.stages, ...sessionCookieStages(app) }, seam: own.seam };
  },
});

import type { Part } from '../../core/application.js';
import { PUBLISHED } from '../../core/contract/published.js';
import { crossOrigin, originStages } from './cross-origin.js';
import { sessionCookieStages } from './session-cookies.js';

/** Keeps the rules of browsers: CORS, the service's own origin, and cookies. */
export const browsers = (): Part<'browsers'> => ({
  name: 'browsers',
  codes: ['FORBIDDEN'],
  open({ app, config, document, operations }) {
    const { production, CORS_ORIGINS: origins } = config;
    const own = originStages(
      app,
      crossOrigin({ origins, production, open: new Set(Object.keys(PUBLISHED)) }, document, operations),
    );
    return { stages: { ...own.stages, ...sessionCookieStages(app) }, seam: own.seam };
  },
});

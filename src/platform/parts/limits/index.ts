import type { Part } from '../../core/application.js';
import { failureResult } from '../../core/graphql/errors.js';
import { mediaTypeFor, PATH } from '../../core/graphql/plugin.js';
import { ADMISSION, type AdmissionLimits, admissionStages } from './admission.js';
import { ANSWER_LIMITS, type AnswerLimits, answerBytes } from './answer-bytes.js';
import { rateStages } from './rate-limit.js';

export type { AdmissionLimits } from './admission.js';
export type { AnswerLimits } from './answer-bytes.js';

/** Limits requests by address and caller, requests that run, and answers that wait. */
export const limits = (): Part<'limits'> => ({
  name: 'limits',
  async open({ app, core, config, outages, now, operations, addressOf, overrides }) {
    const { REDIS_URL } = config;
    const shared = REDIS_URL
      ? (await import('./rate-shared.js')).sharedWindows(REDIS_URL, core.names, outages.dependency('Redis'))
      : undefined;
    app.addHook('onClose', async () => shared?.close());
    const rates = rateStages(app, {
      limit: config.RATE_LIMIT,
      anonymous: config.RATE_LIMIT_ANONYMOUS,
      ceiling: config.RATE_CEILING ?? 10 * config.RATE_LIMIT,
      now,
      shared,
    });
    const admitted = admissionStages(app, {
      limits: { ...ADMISSION, ...(overrides.admission as Partial<AdmissionLimits>) },
      addressOf,
      operations,
      graphql: { path: PATH, mediaType: mediaTypeFor, body: failureResult },
    });
    return {
      stages: { ...rates.stages, ...admitted.stages },
      seam: {
        count: rates.count,
        refuseExcess: rates.refuseExcess,
        places: admitted.places,
        isSharedReachable: shared?.isReachable,
        ...answerBytes({ ...ANSWER_LIMITS, ...(overrides.answers as Partial<AnswerLimits>) }),
      },
    };
  },
});

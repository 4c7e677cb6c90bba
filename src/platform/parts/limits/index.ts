import type { Part } from '../../core/application.js';
import { ADMISSION, type AdmissionLimits, admissionStages } from './admission.js';
import { rateStages } from './rate-limit.js';
import { RESPONSE_LIMITS, type ResponseLimits, responseBytes } from './response-bytes.js';

declare module '../../core/application.js' {
  interface Overrides {
    admission?: Partial<AdmissionLimits>;
    responses?: Partial<ResponseLimits>;
  }
}

/** Limits requests by address and caller, requests that run, and answers that wait. */
export const limits = (): Part<'limits'> => ({
  name: 'limits',
  codes: ['PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'UNAVAILABLE'],
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
      limits: { ...ADMISSION, ...overrides.admission },
      addressOf,
      operations,
    });
    const { countText, counted } = responseBytes({ ...RESPONSE_LIMITS, ...overrides.responses });
    const { count, refuseExcess } = rates;
    const { places } = admitted;
    const { figures } = places;
    return {
      stages: { ...rates.stages, ...admitted.stages },
      seam: { count, refuseExcess, places, countText },
      // Without an overloaded instance, the others would get its load.
      ready: async () => ({
        load: places.overloaded() ? 'degraded' : 'ok',
        ...(shared && { redis: (await shared.isReachable()) && !outages.isAway('Redis') ? 'ok' : 'degraded' }),
      }),
      metrics: {
        requests_under_way: { help: 'Requests and operations that have a place.', read: () => figures().underWay },
        requests_waiting: { help: 'Requests and operations that wait for a place.', read: () => figures().waiting },
        requests_shed_total: {
          help: 'Requests and operations that were refused because no place became free in time.',
          read: () => figures().shed,
        },
        answer_bytes: { help: 'Bytes of large answers that clients have not received.', read: counted },
      },
    };
  },
});

import type { Part } from '../../core/application.js';
import { listOf } from '../../core/calls/networks.js';
import { metricsStages, requestLogStages } from './observability.js';

/** Shows operators the requests, in the log and as metrics. */
export const observability = (): Part<'observability'> => ({
  name: 'observability',
  open({ app, config, database, outages, hashes }) {
    const log = requestLogStages(app, { rate: config.REQUEST_LOG_RATE });
    const measured = metricsStages(app, log.writeLine, {
      token: config.METRICS_TOKEN,
      httpFrom: listOf(config.METRICS_HTTP_FROM),
      proxied: Boolean(config.TRUST_PROXY),
      database,
      outages,
      hashes,
    });
    return {
      stages: { ...measured.stages, ...log.stages },
      seam: { writeLine: log.writeLine, ...measured.seam },
    };
  },
});

import type { Part } from '../../core/application.js';
import { listOf } from '../../core/calls/networks.js';
import type { RestHandler } from '../../core/rest/routes.js';
import { metricsStages, requestLogStages } from './observability.js';

/** Shows operators the requests, in the log and as metrics. */
export const observability = (): Part<'observability'> => ({
  name: 'observability',
  codes: ['UNAUTHENTICATED'],
  open({ app, config, database: { connections, clock }, outages, metrics }) {
    const log = requestLogStages(app, { rate: config.REQUEST_LOG_RATE });
    const measured = metricsStages(app, log.writeLine, {
      token: config.METRICS_TOKEN,
      httpFrom: listOf(config.METRICS_HTTP_FROM),
      proxied: Boolean(config.TRUST_PROXY),
      ofParts: metrics,
    });
    return {
      stages: { ...measured.stages, ...log.stages },
      seam: { writeLine: log.writeLine, ...measured.seam },
      metrics: {
        database_connections: {
          help: 'Connections to the database server by state: busy or idle in the pool, or listening for signals; and waiting callers.',
          ...{ label: 'state', read: () => ({ ...connections() }) },
        },
        clock_difference_seconds: {
          help: "The time by which the clock of this process is ahead of the database's.",
          read: () => clock.difference() / 1000,
        },
        dependency_up: {
          help: '0 during an outage of the dependency, otherwise 1.',
          label: 'dependency',
          read: () => Object.fromEntries([...outages.watched()].map((name) => [name, outages.isAway(name) ? 0 : 1])),
        },
      },
      operations: {
        getLiveness: (async () => ({ status: 200, body: { status: 'ok' } })) satisfies RestHandler,
        getReadiness: (async (_request, { platform }) => {
          const body = await platform.ready();
          return { status: body.status === 'unavailable' ? 503 : 200, body };
        }) satisfies RestHandler,
        getMetrics: (async (_request, { platform }) => ({
          status: 200,
          body: await platform.metrics(),
        })) satisfies RestHandler,
      },
    };
  },
});

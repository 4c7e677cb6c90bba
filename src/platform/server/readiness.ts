import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/open.js';
import type { Outages } from '../database/outages.js';
import type { SharedWindows } from '../limits/rate-shared.js';
import type { Readiness } from '../rest/platform-context.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on the service is not ready: it is about to stop. */
    unready: () => void;
  }
}

/**
 * Tells whether requests can be served now: the database answers, and the service is neither overloaded nor about to stop. A Redis
 * that is away degrades it only.
 */
export function readiness(
  app: FastifyInstance,
  { client }: Database,
  shared: SharedWindows | undefined,
  told: Outages,
) {
  let closing = false;
  app.decorate('unready', () => {
    closing = true;
  });
  app.addHook('preClose', async () => app.unready());
  return async (): Promise<Readiness> => {
    const database = client.$queryRaw`SELECT 1`.then(
      () => true,
      () => false,
    );
    const [alive, counting] = await Promise.all([database, shared?.answers()]);
    const needed = { database: alive, accepting: !closing, load: !app.admission.overloaded() };
    const checks: Readiness['checks'] = {};
    for (const [name, good] of Object.entries(needed)) checks[name] = good ? 'ok' : 'failed';
    if (counting !== undefined) checks['redis'] = counting && !told.isAway('Redis') ? 'ok' : 'degraded';
    const words = Object.values(checks);
    const status = words.includes('failed') ? 'unavailable' : words.includes('degraded') ? 'degraded' : 'ok';
    return { status, checks };
  };
}

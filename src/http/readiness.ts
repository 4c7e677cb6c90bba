import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/open.js';

/** Tells whether requests can be served now: the database answers, and the service is neither overloaded nor about to stop. */
export function readiness(app: FastifyInstance, { client }: Database) {
  let closing = false;
  app.addHook('preClose', async () => {
    closing = true;
  });
  return async () => {
    const alive = await client.$queryRaw`SELECT 1`.then(
      () => true,
      () => false,
    );
    const word = (ok: boolean) => (ok ? 'ok' : 'failed') as 'ok' | 'failed';
    const calm = !app.overloaded();
    const checks = { database: word(alive), accepting: word(!closing), load: word(calm) };
    return { ok: alive && !closing && calm, checks };
  };
}

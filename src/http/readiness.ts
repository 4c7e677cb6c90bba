import type { FastifyInstance } from 'fastify';
import type { Database } from '../database/open.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** From now on the service is not ready: it is about to stop. */
    unready: () => void;
  }
}

/** Tells whether requests can be served now: the database answers, and the service is neither overloaded nor about to stop. */
export function readiness(app: FastifyInstance, { client }: Database) {
  let closing = false;
  app.decorate('unready', () => {
    closing = true;
  });
  app.addHook('preClose', async () => app.unready());
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

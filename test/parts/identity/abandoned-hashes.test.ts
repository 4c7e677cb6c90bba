import t from 'tap';
import { memoryDatabase } from '../../support/databases.js';
import { eventually } from '../../support/process.js';
import { startInstance } from '../../support/service.js';

const LOGINS = 20;
/** Half a second of a core for each hash. */
const SLOW = { memoryCost: 19_456, timeCost: 100, parallelism: 1 };

/** Each computed hash of a wrong password leaves an audit row. */
t.test('no password is hashed for a request that is over', async (t) => {
  const ends = {
    'its client has left': { timeouts: {}, status: undefined },
    'its time is up': { timeouts: { handler: 250 }, status: 503 },
  };
  for (const [name, { timeouts, status }] of Object.entries(ends)) {
    t.test(name, async (t) => {
      const database = await memoryDatabase(t);
      const environment = { LOGIN_LIMIT: '1000', RATE_LIMIT_ANONYMOUS: '1000' };
      const { url, app } = await startInstance(t, database, environment, { hashing: SLOW, timeouts });
      const hashes = async (state: string) =>
        Number(
          new RegExp(`^password_hashes\\{state="${state}"\\} (\\d+)$`, 'm').exec(
            await app.core.seams.observability.metrics(),
          )?.[1],
        );
      const clients = new AbortController();
      const answers = Array.from({ length: LOGINS }, (_, i) =>
        fetch(`${url}/api/v1/auth/login`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ email: `nobody${i}@example.com`, password: 'a password of nobody' }),
          signal: clients.signal,
        }).then(
          (answer) => answer.status,
          () => undefined,
        ),
      );
      const left = async () => (await hashes('running')) + (await hashes('waiting'));
      if (status === undefined) {
        await eventually('logins that wait', async () => (await left()) === LOGINS);
        clients.abort();
      }
      t.same(new Set(await Promise.all(answers)), new Set([status]));
      await eventually('the end of the hashes', async () => (await left()) === 0);
      const computed = await database.client.auditEvent.count({ where: { event: 'login.failed' } });
      // A hash that has begun goes on.
      t.ok(computed < LOGINS / 4, `${computed} of ${LOGINS} were computed`);
    });
  }
});

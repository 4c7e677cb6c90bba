import t from 'tap';
import { BOUNDS } from '../../src/platform/core/bounds.js';
import { slowClock } from '../support/clock.js';
import { memoryDatabase } from '../support/databases.js';
import { raw, statusesOf } from '../support/raw.js';
import { startInstance } from '../support/service.js';

const PATH = '/.well-known/jwks.json';
const SERVED = 5;
const REFUSALS = BOUNDS.refusals.value;
const PIPELINE = `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(10 * REFUSALS);
const refused = (status: number) => Array.from({ length: REFUSALS }, () => status);

t.test('connections end after a few refusals', async (t) => {
  const database = await memoryDatabase(t);
  const limits = { RATE_LIMIT: '1000', RATE_LIMIT_ANONYMOUS: '1000' };
  const now = slowClock();

  for (const [name, variable] of [
    ['the ceiling', 'RATE_CEILING'],
    ['the rate of an anonymous caller', 'RATE_LIMIT_ANONYMOUS'],
  ] as const) {
    t.test(`a pipeline beyond ${name} is closed`, async (t) => {
      const { url } = await startInstance(t, database, { ...limits, [variable]: String(SERVED) }, { now });
      const answer = await raw(url, PIPELINE);
      t.same(statusesOf(answer), [...Array.from({ length: SERVED }, () => 200), ...refused(429)]);
      t.match(answer.slice(answer.lastIndexOf('HTTP/1.1 429')), /^connection: close\r$/im);
      t.equal((await fetch(`${url}/livez`)).status, 200);
    });
  }
});

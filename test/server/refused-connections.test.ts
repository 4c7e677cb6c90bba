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

t.test('an upgrade to an invalid address ends its connection', async (t) => {
  const { url } = await startInstance(t, await memoryDatabase(t));
  const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n';
  const key = `sec-websocket-key: ${Buffer.alloc(16).toString('base64')}\r\n`;
  const text = await raw(url, `GET /%zz HTTP/1.1\r\nhost: localhost\r\n${upgrade}${key}\r\n`);
  t.same(statusesOf(text), [400]);
  t.match(text, /\r\nconnection: close\r\n/i);
});

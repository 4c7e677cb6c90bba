import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { openDatabase } from '../../src/database/open.js';
import { sharedWindows } from '../../src/http/rate-shared.js';
import { slidingWindows } from '../../src/http/rate-window.js';
import { eventually } from '../support/process.js';
import { REDIS, skipWithoutRedis } from '../support/servers.js';
import { codeOf, startInstance, startService } from '../support/service.js';
import { tcpProxy } from '../support/tcp-proxy.js';

const MINUTE = 60_000;
const target = { host: REDIS.hostname, port: Number(REDIS.port || 6379) };
const skip = skipWithoutRedis;

/** A Redis as an instance names it, with keys that are this test's alone. */
const redisAt = (port: number, prefix: string) => `redis://127.0.0.1:${port}?keyPrefix=${prefix}`;

t.test('the window slides: in no minute more than the limit, and a refusal ends when it was said to', async (t) => {
  let time = 1_000_000;
  const count = slidingWindows(() => time);
  const ask = () => count('a', MINUTE, 10);
  const served: number[] = [];
  // Two a second for five minutes: a fixed window would let twice the limit through around its end.
  for (let i = 0; i < 600; i++, time += 500) if (ask().current <= 10) served.push(time);
  for (const start of served) {
    t.ok(served.filter((one) => one >= start && one < start + MINUTE - 1000).length <= 10, `from ${start}`);
  }
  t.ok(served.length >= 50, `the limit is also reached (${served.length})`);

  while (ask().current <= 10);
  const { ttl } = ask();
  t.ok(ttl > 0 && ttl <= MINUTE);
  time += ttl - 1;
  t.ok(ask().current > 10, 'not before');
  time += 1;
  t.ok(ask().current <= 10, 'after Retry-After, however often it tried in between');
});

t.test('callers are apart; silence and a clock set back begin anew', async (t) => {
  let time = 1_000_000;
  const count = slidingWindows(() => time);
  for (let i = 1; i <= 3; i++) t.equal(count('a', MINUTE, 10).current, i);
  t.equal(count('b', MINUTE, 10).current, 1);
  time += 2 * MINUTE;
  t.equal(count('a', MINUTE, 10).current, 1);
  time -= 10 * MINUTE;
  t.equal(count('a', MINUTE, 10).current, 1);
});

const silent = { info: () => {}, error: () => {} } as never;

t.test('in Redis the same window, counted once by all who ask at once', { skip }, async (t) => {
  const url = redisAt(target.port, randomUUID());
  const instances = [sharedWindows(url, silent), sharedWindows(url, silent)];
  t.teardown(() => instances.map(({ close }) => close()));
  const ask = (i: number) => instances[i % 2]?.count('a', 1200, 20);
  while ((await ask(0)) === undefined || (await ask(1)) === undefined) await delay(20);
  await delay(1300);
  const counts = await Promise.all(Array.from({ length: 60 }, (_, i) => ask(i)));
  t.equal(counts.filter((one) => one && one.current <= 20).length, 20, 'exactly the limit');
  const refused = await ask(0);
  t.ok(refused && refused.ttl > 0 && refused.ttl <= 1200);
  await delay((refused?.ttl ?? 0) + 5);
  t.ok(((await ask(1))?.current ?? 99) <= 20, 'free again when it was said');
});

t.test('two instances share the count; without Redis each counts for itself, and says so once', { skip }, async (t) => {
  const database = Object.assign(await openDatabase('pglite://memory'), { url: undefined });
  t.teardown(database.close);
  const proxy = await tcpProxy(t, target);
  const environment = { RATE_LIMIT: '6', REDIS_URL: redisAt(proxy.port, randomUUID()) };
  const first = await startService(t, database, environment);
  const { viewer } = first;
  const second = await startInstance(t, database, environment);

  const remaining = async (base: string) => {
    const answer = await fetch(`${base}/api/v1/auth/me`, { headers: viewer.headers });
    return [answer.status, answer.headers.get('x-rate-limit-remaining')];
  };
  // A busy machine may be late with the first answers of Redis: then an instance counts for itself for a second.
  let asked = 0;
  await eventually('both instances count in Redis', async () => {
    asked += 1;
    const headers = { authorization: `Bearer anonymous ${asked}` };
    const lefts = [];
    for (const { url } of [first, second, first]) {
      const answer = await fetch(`${url}/api/v1/auth/me`, { headers });
      lefts.push(Number(answer.headers.get('x-rate-limit-remaining')));
    }
    const [a = 0, b = 0, c = 0] = lefts;
    return (a - b === 1 && b - c === 1) || undefined;
  });
  const seen = [];
  for (let i = 0; i < 7; i++) seen.push(await remaining(i % 2 ? second.url : first.url));
  t.same(seen, [...['5', '4', '3', '2', '1', '0'].map((left) => [200, left]), [429, '0']]);

  const away = () => first.log.filter((line) => line.includes('Redis is away')).length;
  const before = away();
  proxy.set('refused');
  const began = performance.now();
  t.same(await remaining(first.url), [200, '5'], 'requests are served, and counted here');
  t.same(await remaining(first.url), [200, '4']);
  t.ok(performance.now() - began < 2000);
  for (let i = 0; i < 5; i++) await remaining(first.url);
  t.same((await remaining(first.url))[0], 429, 'a limit stays a limit');
  t.equal(away() - before, 1);

  proxy.set('sound');
  await eventually('Redis is asked again', async () => {
    await remaining(first.url);
    return first.log.some((line) => line.includes('Redis is back')) || undefined;
  });
  t.equal(codeOf(await first.rest('GET', '/api/v1/auth/me', { as: viewer }))[0], 429, 'where the count still stands');
});

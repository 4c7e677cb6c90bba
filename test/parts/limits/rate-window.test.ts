import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { namesOf } from '../../../src/platform/core/names.js';
import { slidingWindows } from '../../../src/platform/parts/limits/rate-limit.js';
import { sharedWindows } from '../../../src/platform/parts/limits/rate-shared.js';
import { slowClock } from '../../support/clock.js';
import { memoryDatabase } from '../../support/databases.js';
import { PASSWORD, passwordHash } from '../../support/people.js';
import { eventually } from '../../support/process.js';
import { IGNORED_OUTAGES, REDIS, skipWithoutRedis } from '../../support/servers.js';
import { type Instance, startInstance, startService } from '../../support/service.js';
import { tcpProxy } from '../../support/tcp-proxy.js';

const MINUTE = 60_000;
const target = { host: REDIS.hostname, port: Number(REDIS.port || 6379) };
const skip = skipWithoutRedis;

/** A Redis as an instance names it, with keys that are this test's alone. */
const redisAt = (port: number, prefix: string) => `redis://127.0.0.1:${port}?keyPrefix=${prefix}`;

t.test('the window slides, and a refusal ends at its Retry-After', async (t) => {
  let time = 1_000_000;
  const count = slidingWindows(() => time);
  const ask = () => count('a', MINUTE, 10);
  const served: number[] = [];
  // Two a second for five minutes: a fixed window would let twice the limit through around its end.
  for (let i = 0; i < 600; i++, time += 500) if (ask().current <= 10) served.push(time);
  for (const start of served) {
    t.ok(served.filter((time) => time >= start && time < start + MINUTE - 1000).length <= 10, `from ${start}`);
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

t.test('callers are counted separately, also after pauses and clock changes', async (t) => {
  let time = 1_000_000;
  const count = slidingWindows(() => time);
  for (let i = 1; i <= 3; i++) t.equal(count('a', MINUTE, 10).current, i);
  t.equal(count('b', MINUTE, 10).current, 1);
  time += 2 * MINUTE;
  t.equal(count('a', MINUTE, 10).current, 1);
  time -= 10 * MINUTE;
  t.equal(count('a', MINUTE, 10).current, 1);
});

t.test('Redis counts the same window under concurrency', { skip }, async (t) => {
  const url = redisAt(target.port, randomUUID());
  const instances = [
    sharedWindows(url, namesOf('accord'), IGNORED_OUTAGES),
    sharedWindows(url, namesOf('accord'), IGNORED_OUTAGES),
  ];
  t.teardown(() => instances.map(({ close }) => close()));
  const ask = (i: number, key: string, span: number, limit: number) => instances[i % 2]?.count(key, span, limit);

  // Whom Redis does not answer in time counts for itself, which on a busy machine is one of sixty now and then.
  const counts = await eventually('sixty that are answered', async () => {
    const key = randomUUID();
    const all = await Promise.all(Array.from({ length: 60 }, (_, i) => ask(i, key, MINUTE, 20)));
    t.ok(all.filter((count) => count && count.current <= 20).length <= 20, 'never more than the limit');
    return all.every((count) => count !== undefined) && all;
  });
  t.equal(counts.filter((count) => count && count.current <= 20).length, 20, 'exactly the limit');

  const refused = await eventually('a refusal', async () => {
    const count = await ask(0, 'one', 1200, 1);
    return count && count.current > 1 && count;
  });
  t.ok(refused.ttl > 0 && refused.ttl <= 1200);
  await delay(refused.ttl + 5);
  const again = await eventually('an answer', () => ask(1, 'one', 1200, 1));
  t.equal(again.current, 1, 'free again when it was said');
});

t.test('instances share the count, and log once that they count alone without Redis', { skip }, async (t) => {
  const database = await memoryDatabase(t);
  const proxy = await tcpProxy(t, target);
  const environment = { RATE_LIMIT: '6', REDIS_URL: redisAt(proxy.port, randomUUID()) };
  const now = slowClock();
  const first = await startService(t, database, environment, now);
  const second = await startInstance(t, database, environment, { now });

  /** The headers of a caller of whom nobody has counted anything. */
  async function newcomer(): Promise<Record<string, string>> {
    const email = `${randomUUID()}@example.com`;
    const data = { name: 'N', email, emailKey: email, role: 'VIEWER' as const, passwordHash: await passwordHash };
    await database.client.user.create({ data });
    const { body } = await first.rest('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
    return { authorization: `Bearer ${body.access_token}` };
  }
  const remaining = async ({ url }: Instance, headers: Record<string, string>) => {
    const answer = await fetch(`${url}/api/v1/auth/me`, { headers });
    return `${answer.status} ${answer.headers.get('x-rate-limit-remaining')}`;
  };
  const together = ['200 5', '200 4', '200 3', '200 2', '200 1', '200 0', '429 0'];
  /** An instance that Redis does not answer in time, on a busy machine, counts for itself for a second: another caller is taken. */
  const shared = () =>
    eventually('one count of both instances', async () => {
      const caller = await newcomer();
      const seen = [];
      for (const i of together.keys()) seen.push(await remaining(i % 2 ? second : first, caller));
      return seen.join() === together.join();
    });
  await shared();

  const told = (what: string) => first.log.filter((line) => line.includes(what)).length;
  const before = told('Redis is away');
  proxy.set('refused');
  const alone = await newcomer();
  for (const expected of together) t.equal(await remaining(first, alone), expected, 'served, and counted here');
  t.equal(await remaining(second, alone), '200 5', 'and there');
  await eventually('a line in the log', () => told('Redis is away') > before);
  t.equal(told('Redis is away') - before, 1);
  t.match((await second.rest('GET', '/readyz')).body, {
    status: 'degraded',
    checks: { redis: 'degraded', database: 'ok' },
  });
  t.match((await second.rest('GET', '/metrics')).text, /^dependency_up\{dependency="Redis"\} 0$/m);

  proxy.set('sound');
  await shared();
  await eventually('another line', () => told('Redis is back') > 0);
  await eventually('nothing missing', async () => {
    const { status, body } = await second.rest('GET', '/readyz');
    return status === 200 && body.status === 'ok' && body.checks.redis === 'ok';
  });
});

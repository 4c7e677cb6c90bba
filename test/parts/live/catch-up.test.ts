import { subscribe } from 'node:diagnostics_channel';
import pg from 'pg';
import t from 'tap';
import { BOUNDS } from '../../../src/platform/core/bounds.js';
import { Failure } from '../../../src/platform/core/calls/errors.js';
import { background } from '../../../src/platform/parts/live/background.js';
import { feedOf } from '../../../src/platform/parts/live/feed.js';
import { onEachDatabase } from '../../support/databases.js';
import { dialAs } from '../../support/graphql-ws.js';
import { eventually } from '../../support/process.js';
import { startService } from '../../support/service.js';
import { ADD, SUBSCRIBE } from '../../support/socket.js';

const STORED = 1000;
const SUBSCRIPTIONS = 20;

type Done = (error: unknown, result: unknown) => void;

/** The reads of pages under way, and those that begin between a request and its first statement. */
const reads = { running: 0, most: 0, begun: 0, beforeRequest: [] as number[] };
let arrived: number | undefined;
subscribe('http.server.request.start', (message) => {
  if ((message as { request: { method: string } }).request.method === 'GET') arrived = reads.begun;
});
const prototype = pg.Client.prototype as unknown as { query: (...args: unknown[]) => unknown };
const { query } = prototype;
prototype.query = function (this: unknown, ...args: unknown[]) {
  const [statement, done] = args as [{ text?: string }, unknown];
  const { text = '' } = statement;
  if (/FROM "public"."users".*"id" =/s.test(text) && arrived !== undefined) {
    reads.beforeRequest.push(reads.begun - arrived);
    arrived = undefined;
  }
  if (!/FROM "public"."messages".* ASC LIMIT/s.test(text) || typeof done !== 'function')
    return query.apply(this as typeof prototype, args);
  reads.begun += 1;
  reads.running += 1;
  reads.most = Math.max(reads.most, reads.running);
  const counted: Done = (error, result) => {
    reads.running -= 1;
    (done as Done)(error, result);
  };
  return query.apply(this as typeof prototype, [statement, counted]);
};

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { url, viewer, developer, rest, graphql } = await startService(t, database);
  Object.assign(reads, { running: 0, most: 0, begun: 0, beforeRequest: [] });
  const rows = Array.from({ length: STORED }, (_, i) => ({
    channelId: 'history',
    text: `${i}`.repeat(i % 100 === 0 ? 400 : 1),
    authorId: developer.id,
  }));
  await database.client.message.createMany({ data: rows });

  t.test('a caller that catches up has few reads under way, and gets every message once', async (t) => {
    const sockets = await Promise.all([dialAs(t, url, viewer), dialAs(t, url, viewer)]);
    for (let n = 0; n < SUBSCRIPTIONS; n++) {
      // Every second selection differs from the others.
      const document = n % 2 === 0 ? SUBSCRIBE : SUBSCRIBE.replace('text', `text t${n}: text`);
      const payload = { query: document, variables: { channelId: 'history', since: 1 } };
      sockets[n % 2]?.send({ type: 'subscribe', id: `${n}`, payload });
    }
    await eventually('the beginning', () => sockets.every(({ received }) => received.length > 0));
    for (let n = 0; n < 20; n++) {
      t.equal((await rest('GET', `/api/v1/users/${viewer.id}`, { as: developer })).status, 200);
    }
    const { most, begun, beforeRequest } = { ...reads };
    t.ok(
      sockets.some(({ received }) => received.length < (SUBSCRIPTIONS / 2) * (STORED - 1)),
      'still under way',
    );
    for (let n = 0; n < 20; n++) await graphql(developer, ADD, { channelId: 'history', text: `during ${n}` });
    const where = { channelId: 'history', id: { gt: 1 } };
    const stored = await database.client.message.findMany({ where, orderBy: { id: 'asc' }, select: { id: true } });
    const ids = stored.map(({ id }) => id);
    await eventually('the end', () =>
      sockets.every(({ received }) => received.length >= (SUBSCRIPTIONS / 2) * ids.length),
    );
    for (let n = 0; n < SUBSCRIPTIONS; n++) {
      const own = sockets[n % 2]?.received.filter(({ id }) => id === `${n}`);
      t.strictSame(
        own?.map(({ payload }) => Number(payload.data.messageAdded.id)),
        ids,
      );
    }
    t.ok(begun > 0);
    t.ok(most <= BOUNDS.pagesOfCaller.value, `${most} reads at once`);
    const first = beforeRequest.filter((count) => count === 0);
    t.ok(first.length >= beforeRequest.length / 2, `pages before each request: ${beforeRequest}`);
  });
});

t.test('a page that waits is not read for a subscriber that has left', async (t) => {
  const pages: (() => Promise<void>)[] = [];
  let pageReads = 0;
  let turns = 0;
  const turn = async () => void turns++;
  const feed = feedOf({
    head: async () => 2,
    lastGiven: async () => 2,
    after: async () => {
      pageReads += 1;
      return [{ id: 1 }, { id: 2 }];
    },
    render: async () => Buffer.from(''),
    schedule: (page) => page(),
    turn,
    onFault: (error) => t.error(error),
  });
  const schedule = (page: () => Promise<void>) => new Promise<void>((end) => pages.push(() => page().then(end)));
  const sink = { send: () => {}, isDrained: () => true, drained: async () => {}, schedule, turn };
  const [first, second] = [feed.follow(sink, 0), feed.follow(sink, 0)];
  await eventually('two pages', () => pages.length === 2);
  first.leave();
  for (const page of pages) await page();
  t.same([pageReads, turns], [1, 2]);
  second.leave();
});

t.test('pages of callers take turns, within the bounds of a caller and of the process', async (t) => {
  const requests = { underWay: 0, waiting: 0 };
  let pages = 0;
  const runOn = async <T>(work: () => T): Promise<Awaited<T>> => {
    pages += 1;
    try {
      return await work();
    } finally {
      pages -= 1;
    }
  };
  let looks = 0;
  const figures = () => {
    if (requests.waiting > 0) looks += 1;
    return { underWay: requests.underWay + pages, waiting: requests.waiting, shed: 0 };
  };
  const pagesOf = background({ figures, runOn });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const begin = (caller: string, count: number) => {
    const { schedule } = pagesOf(caller);
    return Array.from({ length: count }, () =>
      schedule(async () => {
        begun.push(caller);
        await new Promise<void>((end) => ends.push(end));
      }),
    );
  };
  const all = [...begin('a', 9), ...begin('b', 9), ...begin('c', 1)];
  await eventually('as many as may run', () => begun.length === BOUNDS.pages.value);
  t.same(begun.filter((caller) => caller === 'a').length, BOUNDS.pagesOfCaller.value);
  ends.shift()?.();
  await eventually('the next', () => begun.length === BOUNDS.pages.value + 1);
  requests.waiting = 1;
  ends.shift()?.();
  await eventually('looks for requests', () => looks > 5);
  t.equal(begun.length, BOUNDS.pages.value + 1, 'no page begins while a request waits');
  requests.waiting = 0;
  const finish = setInterval(() => ends.shift()?.(), 1);
  t.teardown(() => clearInterval(finish));
  await Promise.all(all);
  t.equal(begun.length, 19);
  const failure = new Failure('UNAVAILABLE', 'No.');
  await t.rejects(
    pagesOf('a').schedule(() => Promise.reject(failure)),
    failure,
  );
});

import { EventEmitter, on } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { openDatabase } from '../../../src/platform/database/open.js';
import { Failure, type Operation } from '../../../src/platform/index.js';
import { subscriptionResults } from '../../../src/platform/parts/live/subscriptions.js';
import { slowClock } from '../../support/clock.js';
import { onEachDatabase, TEST_TIMEOUTS_MS } from '../../support/databases.js';
import { type Dialled, dialAs } from '../../support/graphql-ws.js';
import { serve } from '../../support/own-application.js';
import type { Json, Person } from '../../support/people.js';
import { eventually } from '../../support/process.js';
import { watchStatements } from '../../support/statements.js';
import { type Sources, streamsApplication } from './streams-fixture.js';

const PRICE = `subscription($symbol: String!, $currency: String, $since: ID) {
  priceSet(channelId: $symbol, since: $since) { id value currency(code: $currency) }
}`;
const ALARM = 'subscription($since: ID) { alarmRaised(since: $since) { id title } }';
const COMMENT = 'subscription($since: ID) { commentAdded(since: $since) { author { name orders { id } } } }';
const TICKS = 'subscription($of: String!) { ticks(of: $of) { value } }';
const MINUTE = 60_000;

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const sources: Sources = {};
  const { setPrice, raiseAlarm, comment, shown, ...application } = streamsApplication(sources);
  let moved = 0;
  const now = () => Date.now() + moved;
  const served = await serve(t, database, application, { now, sockets: { socketsPerUser: 1000 } });
  const { url, person, log } = served;
  const [ada, bob] = [await person('Ada'), await person('Bob', 'DEVELOPER')];
  /** Unhandled errors. */
  const unheard: unknown[] = [];
  const hear = (error: unknown) => void unheard.push(error);
  process.on('unhandledRejection', hear);
  t.teardown(() => process.off('unhandledRejection', hear));

  let names = 0;
  /** Returns a source with a unique name. */
  function source(make: (operation: Operation) => unknown): { of: string } {
    const of = `source ${++names}`;
    sources[of] = make;
    return { of };
  }
  const subscribe = ({ send }: Dialled, id: string, query: string, variables: object) =>
    send({ type: 'subscribe', id, payload: { query, variables } });
  const data = async ({ take }: Dialled, id: string): Promise<Json> => {
    const { type, payload } = await take((message) => message.id === id);
    return type === 'next' && !payload.errors ? Object.values(payload.data)[0] : { type, payload };
  };
  const values = async (dialled: Dialled, id: string, count: number) => {
    const list: string[] = [];
    while (list.length < count) list.push((await data(dialled, id)).value);
    return list;
  };
  const failure = async ({ take }: Dialled, id: string) => {
    const { type, payload } = await take((message) => message.id === id);
    return type === 'error' ? payload.map(({ extensions, message }: Json) => [extensions.code, message]) : type;
  };
  /** Checks that an operation gets no further message before a later operation is answered. */
  async function silent(dialled: Dialled, id: string): Promise<boolean> {
    const later = `after ${id}`;
    subscribe(dialled, later, '{ __typename }', {});
    await dialled.take((message) => message.id === later && message.type === 'complete');
    return !dialled.received.some((message) => message.id === id);
  }

  /** A second instance, on PostgreSQL only. */
  async function instance(t: Test): Promise<string | undefined> {
    if (database.url === undefined) return undefined;
    const other = await openDatabase(database.url, { limits: TEST_TIMEOUTS_MS, poolSize: 3 });
    const { app, url: there } = await serve(t, other, streamsApplication({}));
    t.teardown(() => app.close().then(other.close));
    return there;
  }

  t.test('two durable streams send stored entries first, then live ones, on each instance', async (t) => {
    const symbol = 'all alarms: of every kind'; // the key of the other stream
    const first = await setPrice(symbol, '1');
    const before = await raiseAlarm('smoke');
    await raiseAlarm('fire');
    await setPrice(symbol, '2');
    const places = [url, await instance(t)].filter((place) => place !== undefined);
    const dialled = await Promise.all(places.map((place) => dialAs(t, place, ada)));
    for (const socket of dialled) {
      subscribe(socket, 'prices', PRICE, { symbol, since: first });
      subscribe(socket, 'alarms', ALARM, { since: before });
      t.match(await data(socket, 'prices'), { value: '2' });
      t.match(await data(socket, 'alarms'), { title: 'fire' });
    }
    await raiseAlarm('flood');
    await setPrice(symbol, '3');
    for (const socket of dialled) {
      t.match(await data(socket, 'prices'), { value: '3' });
      t.match(await data(socket, 'alarms'), { title: 'flood' });
      t.ok((await silent(socket, 'prices')) && (await silent(socket, 'alarms')));
    }
  });

  /** Makes a subscription with the variables `yes` and `no` that it uses. */
  function alarms(selected: string, fragments = '', field = 'alarmRaised') {
    const names = [...new Set([...(selected + fragments).matchAll(/\$(yes|no)/g)].map(([, name]) => name as string))];
    const declared = names.length > 0 ? `(${names.map((name) => `$${name}: Boolean!`).join()})` : '';
    const variables = Object.fromEntries(names.map((name) => [name, name === 'yes']));
    return { query: `subscription${declared} { ${field} { ${selected} } } ${fragments}`, variables };
  }

  t.test('subscribers of one role that select only members and relations share one read', async (t) => {
    const sockets = await Promise.all([ada, await person('Eve')].map((who) => dialAs(t, url, who)));
    const cases = [
      alarms('id title'),
      alarms('__typename kind: __typename id'),
      alarms('id ...Part', 'fragment Part on Alarm { ... on Named { id } ... { title } }'),
      alarms('id shownTo @include(if: $no)'),
      alarms('id ...Own @skip(if: $yes)', 'fragment Own on Alarm { orders }'),
    ];
    for (const [index, { query, variables }] of cases.entries()) {
      const id = `shared ${index}`;
      for (const socket of sockets) subscribe(socket, id, query, variables);
      for (const socket of sockets) await silent(socket, id);
      const { seen, stop } = watchStatements(/^SELECT.*FROM "public"."posts".* ASC LIMIT/s);
      await raiseAlarm(`number ${index}`);
      const [first, second] = await Promise.all(sockets.map((socket) => data(socket, id)));
      stop();
      t.ok(first.id);
      t.same(first, second);
      t.equal(seen.length, 1, query);
      for (const socket of sockets) socket.send({ type: 'complete', id });
    }
  });

  t.test('subscribers with the same selection get the same entries', async (t) => {
    const one = await dialAs(t, url, ada);
    const begin = await setPrice('shared', 'begin');
    const ids = ['a', 'b', 'c'];
    for (const [index, id] of ids.entries()) {
      if (index > 0) await setPrice('shared', `${index}`);
      subscribe(one, id, PRICE, { symbol: 'shared', since: begin - 1 });
    }
    subscribe(one, 'later', PRICE, { symbol: 'shared', since: begin });
    for (const id of ids) t.same(await values(one, id, 3), ['begin', '1', '2']);
    t.same(await values(one, 'later', 2), ['1', '2']);
    await setPrice('shared', 'for all');
    for (const id of [...ids, 'later']) t.same(await values(one, id, 1), ['for all']);

    subscribe(one, 'dollars', PRICE, { symbol: 'shared', currency: 'USD', since: begin });
    t.match(await data(one, 'dollars'), { value: '1', currency: 'USD' });
    await values(one, 'dollars', 2);
    await setPrice('shared', 'in each currency');
    t.match(await data(one, 'a'), { value: 'in each currency', currency: 'EUR' });
    t.match(await data(one, 'dollars'), { value: 'in each currency', currency: 'USD' });
  });

  t.test('each caller gets the results of its own resolvers, however they are selected', async (t) => {
    const callers = await Promise.all(['Flo', 'Gil', 'Hal', 'Ida'].map((name) => person(name)));
    await database.client.order.create({ data: { userId: callers[1]?.id as number, amount: 1, currency: 'EUR' } });
    const sockets = await Promise.all(callers.map((who) => dialAs(t, url, who)));
    const asked = (id: number) => [id];
    const cases: [ReturnType<typeof alarms>, (id: number) => unknown][] = [
      [alarms('shownTo'), asked],
      [alarms('id: shownTo'), asked],
      [alarms('orders'), (id) => [id === callers[1]?.id ? 1 : 0]],
      [alarms('sameRole'), (id) => [[id]]],
      [alarms('...Own', 'fragment Own on Alarm { shownTo }'), asked],
      [alarms('... on Named { ...Own }', 'fragment Own on Named { shownTo }'), asked],
      [alarms('again { again { shownTo } }'), (id) => [{ again: { shownTo: id } }]],
      [alarms('shownTo @include(if: $yes)'), asked],
      [alarms('shownTo @skip(if: $no)'), asked],
      [alarms('__typename', '', 'namedRaised'), (id) => [id % 2 === 0 ? 'Alarm' : 'Notice']],
    ];
    for (const [index, [{ query, variables }, own]] of cases.entries()) {
      const name = `own ${index}`;
      for (const socket of sockets) subscribe(socket, name, query, variables);
      for (const socket of sockets) await silent(socket, name);
      await raiseAlarm(name);
      for (const [at, socket] of sockets.entries())
        t.same(Object.values(await data(socket, name)), own(callers[at]?.id as number), query);
      for (const socket of sockets) socket.send({ type: 'complete', id: name });
    }
    for (const socket of sockets)
      subscribe(socket, 'stored', alarms('id shownTo', '', 'alarmRaised(since: 1)').query, {});
    for (const [at, socket] of sockets.entries())
      t.equal((await data(socket, 'stored')).shownTo, callers[at]?.id, 'of stored entries as well');
  });

  t.test('entries with an owner are not shared, and included rows are read with the entry', async (t) => {
    const [fay, gus] = [await person('Fay'), await person('Gus')];
    const since = await comment(ada.id);
    const { id } = await database.client.order.create({ data: { userId: fay.id, amount: 1, currency: 'EUR' } });
    const sockets = await Promise.all([fay, gus].map((who) => dialAs(t, url, who)));
    for (const socket of sockets) subscribe(socket, 'comments', COMMENT, { since });
    await delay(50);
    await comment(fay.id);
    const [own, others] = await Promise.all(sockets.map((socket) => data(socket, 'comments')));
    t.same(own, { author: { name: 'Fay', orders: [{ id: `${id}` }] } });
    t.same(others, { author: { name: 'Fay', orders: [] } });

    const [one] = sockets as [Dialled];
    subscribe(one, 'names', 'subscription { commentAdded { author { name } } }', {});
    await delay(50);
    const { seen, stop } = watchStatements(/FROM "public"."users"(?!.*"comments")/s);
    await comment(gus.id);
    t.same(await data(one, 'names'), { author: { name: 'Gus' } });
    stop();
    t.same(
      seen.filter((text) => !text.includes('ORDER BY')),
      [],
      'the author comes with the entry',
    );
  });

  t.test('an event with a failing resolver is sent as an error, and the next events follow', async (t) => {
    const one = await dialAs(t, url, ada);
    const since = await setPrice('fragile', 'before');
    await setPrice('fragile', 'broken');
    await setPrice('fragile', 'whole');
    subscribe(one, 'durable', PRICE, { symbol: 'fragile', since });
    subscribe(
      one,
      'own',
      TICKS,
      source(() => Readable.from(['broken', 'whole'])),
    );
    for (const id of ['durable', 'own']) {
      const { payload } = await one.take((message) => message.id === id);
      t.match(payload, { data: null, errors: [{ extensions: { code: 'INTERNAL' }, message: /on our side/ }] });
      t.equal((await data(one, id)).value, 'whole', 'the next one');
    }
  });

  t.test('an AsyncIterable is a source: events in order, and completion', async (t) => {
    const one = await dialAs(t, url, ada);
    const all: Record<string, (operation: Operation) => unknown> = {
      generator: async function* () {
        for (const value of ['1', '2', '3']) yield value;
      },
      readable: () => Readable.from(['1', '2', '3']),
      'iterable without return': () => {
        let value = 0;
        const next = async () => (value < 3 ? { done: false, value: ++value } : { done: true, value: undefined });
        return { [Symbol.asyncIterator]: () => ({ next }) };
      },
    };
    for (const [id, make] of Object.entries(all)) {
      subscribe(one, id, TICKS, source(make));
      t.same(await values(one, id, 3), ['1', '2', '3'], id);
      t.match(await one.take((message) => message.id === id), { type: 'complete' }, id);
    }
    const emitter = new EventEmitter();
    subscribe(
      one,
      'on',
      TICKS,
      source(({ signal }) => on(emitter, 'tick', { signal })),
    );
    await eventually('a listener', () => emitter.listenerCount('tick') === 1);
    for (const value of ['1', '2']) emitter.emit('tick', value);
    t.same(await values(one, 'on', 2), ['1', '2']);
    one.send({ type: 'complete', id: 'on' });
    await eventually('no listener', () => emitter.listenerCount('tick') === 0);
    t.ok(await silent(one, 'on'));
  });

  t.test('a failed source is reported once, with a code of the catalogue', async (t) => {
    const one = await dialAs(t, url, ada);
    const rejected = (error: unknown) => () => Promise.reject(error);
    const thrown = (error: unknown) => {
      throw error;
    };
    const failing = (error: unknown) =>
      async function* () {
        yield '1';
        throw error;
      };
    const MASKED = [['INTERNAL', 'Something went wrong on our side.']];
    const own = new Failure('CONFLICT', 'It was too much.');
    const secret = new Error('a secret of the source');
    const cases: [string, (operation: Operation) => unknown, string[][], number][] = [
      ['rejects', rejected(secret), MASKED, 0],
      ['rejects with a failure', rejected(own), [['CONFLICT', 'It was too much.']], 0],
      ['is nothing', () => undefined, MASKED, 0],
      ['has no iterator', () => ({ [Symbol.asyncIterator]: () => thrown(secret) }), MASKED, 0],
      ['fails', failing(secret), MASKED, 1],
      ['fails with a failure', failing(own), [['CONFLICT', 'It was too much.']], 1],
      ['fails with no error', failing('a secret of the source'), MASKED, 1],
    ];
    for (const [id, make, told, before] of cases) {
      subscribe(one, id, TICKS, source(make));
      await values(one, id, before);
      t.same(await failure(one, id), told, id);
      t.ok(await silent(one, id), `${id}: the error is the last word`);
    }
    t.match(log.join(''), /a secret of the source/, 'the cause is logged');
  });

  /** Returns a source that waits for ever after one event, and its state. */
  function waiting(how: 'generator' | 'readable' | 'on') {
    const state = { ended: false, begun: false };
    const named = source(({ signal }) => {
      state.begun = true;
      if (how === 'on') {
        const emitter = new EventEmitter();
        const iterable = on(emitter, 'tick');
        emitter.emit('tick', 'first');
        emitter.on('removeListener', () => {
          state.ended = true;
        });
        return iterable;
      }
      if (how === 'readable') {
        const stream = new Readable({ objectMode: true, read() {} });
        stream.push('first');
        return stream.once('close', () => {
          state.ended = true;
        });
      }
      return (async function* () {
        try {
          yield 'first';
          await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
        } finally {
          state.ended = true;
        }
      })();
    });
    return { named, state };
  }

  /** Begins three subscriptions, ends them, and checks that their sources end. */
  async function endsBy(t: Test, who: Person, end: (socket: Dialled) => unknown, at = url): Promise<Dialled> {
    const one = await dialAs(t, at, who);
    const all = (['generator', 'readable', 'on'] as const).map((how) => ({ how, ...waiting(how) }));
    for (const { how, named } of all) {
      subscribe(one, how, TICKS, named);
      t.same(await values(one, how, 1), ['first']);
    }
    t.notOk(all.some(({ state }) => state.ended));
    await end(one);
    for (const { how, state } of all) await eventually(`the end of ${how}`, () => state.ended);
    return one;
  }

  t.test('a source ends when its client completes or disconnects', async (t) => {
    const one = await endsBy(t, ada, ({ send }) => {
      for (const id of ['generator', 'readable', 'on']) send({ type: 'complete', id });
    });
    for (const id of ['generator', 'readable', 'on']) t.ok(await silent(one, id));
    await endsBy(t, ada, ({ socket }) => socket.close());
    await endsBy(t, ada, ({ socket }) => socket.terminate());
  });

  t.test('a source ends when its caller loses access', async (t) => {
    const expiring = await person('Carol');
    const closed = await endsBy(t, expiring, () => {
      moved += 16 * MINUTE;
    });
    t.equal(await closed.closed, 4403, 'the credential has expired');
    moved = 0;
    const mallory = await person('Mallory');
    const revoked = await endsBy(t, mallory, () =>
      served.platform.transact((db) => db.user.delete({ where: { id: mallory.id } })),
    );
    t.equal(await revoked.closed, 4403, 'the account is gone');
  });

  t.test('no event is executed for a disconnected client', async (t) => {
    const one = await dialAs(t, url, ada);
    let give = (_value: IteratorResult<string>) => {};
    let asked = 0;
    const next = () => {
      asked++;
      return new Promise<IteratorResult<string>>((resolve) => {
        give = resolve;
      });
    };
    subscribe(
      one,
      'slow',
      TICKS,
      source(() => ({ [Symbol.asyncIterator]: () => ({ next }) })),
    );
    await eventually('the first is asked for', () => asked === 1);
    one.send({ type: 'complete', id: 'slow' });
    t.ok(await silent(one, 'slow'));
    const before = shown.ticks;
    give({ done: false, value: 'late' });
    t.ok(await silent(one, 'slow'));
    t.same([asked, shown.ticks], [1, before]);
  });

  t.test('a completed operation ends before its socket if another has its id', async (t) => {
    const one = await dialAs(t, url, ada);
    // A generator that ends before its first event has nothing to clean up.
    const [first, second] = [waiting('readable'), waiting('generator')];
    subscribe(one, 'same', TICKS, first.named);
    one.send({ type: 'complete', id: 'same' });
    subscribe(one, 'same', TICKS, second.named);
    await values(one, 'same', 1);
    t.ok(first.state.begun);
    await eventually('the end of the first', () => first.state.ended);
    t.notOk(second.state.ended);
    one.socket.close();
    await eventually('the end of the second', () => second.state.ended);
  });

  t.test('a slow reader has a bounded buffer, and loses no event', async (t) => {
    const one = await dialAs(t, url, ada);
    const LARGE = 'x'.repeat(50_000);
    let given = 0;
    subscribe(
      one,
      'all',
      TICKS,
      source(async function* () {
        for (;;) yield `${given++} ${LARGE}`;
      }),
    );
    await values(one, 'all', 3);
    one.socket.pause();
    let before = -1;
    await eventually('the source is left alone', async () => {
      if (before === given) return true;
      before = given;
      await delay(300);
      return undefined;
    });
    t.ok(given < 2000, `${given} events of 50 KB were asked for`);
    one.socket.resume();
    const list = await values(one, 'all', given);
    t.same(
      list.map((value) => Number(value.split(' ')[0])),
      list.map((_, index) => index + 3),
    );
    one.send({ type: 'complete', id: 'all' });
  });

  t.test('a source without pauses does not block the others', async (t) => {
    const one = await dialAs(t, url, ada);
    subscribe(
      one,
      'busy',
      TICKS,
      source(async function* () {
        for (;;) yield '1';
      }),
    );
    await values(one, 'busy', 100);
    t.same(await served.graphql(bob, '{ __typename }'), { data: { __typename: 'Query' } });
    one.send({ type: 'complete', id: 'busy' });
    await silent(one, 'busy');
    one.received.length = 0;
    t.ok(await silent(one, 'busy'), 'what was on its way has come');
  });

  t.test('a socket has limits: operations, documents, rate', async (t) => {
    const environment = { GRAPHQL_MAX_TOKENS: '60', RATE_LIMIT: '40' };
    const limited = await serve(t, await open(), application, {
      environment,
      now: slowClock(),
      sockets: { operations: 4 },
    });
    const one = await dialAs(t, limited.url, await limited.person('Bob', 'DEVELOPER'));
    const document = (n: number) => TICKS.replace('value', 'value '.repeat(30).concat(`a${n}: value`));
    const all = Array.from({ length: 5 }, () => waiting('generator'));
    for (const [n, { named }] of all.slice(0, 4).entries()) {
      subscribe(one, `${n}`, TICKS, named);
      t.same(await values(one, `${n}`, 1), ['first']);
    }
    subscribe(one, 'fifth', TICKS, (all[4] as (typeof all)[0]).named);
    t.match(await failure(one, 'fifth'), [['BAD_REQUEST', /4 operations at a time/]]);
    t.notOk(all[4]?.state.begun);
    for (let n = 0; n < 4; n++) one.send({ type: 'complete', id: `${n}` });
    await eventually('their ends', () => all.slice(0, 4).every(({ state }) => state.ended));

    // A socket may have 300 tokens of running operations, and each of these has 50.
    for (let n = 0; n < 12; n++) {
      subscribe(
        one,
        `ends ${n}`,
        document(n),
        source(() => Readable.from(['1'])),
      );
      t.same(await values(one, `ends ${n}`, 1), ['1']);
      t.match(await one.take(({ id }) => id === `ends ${n}`), { type: 'complete' });
      subscribe(
        one,
        `fails ${n}`,
        document(n),
        source(() => Promise.reject(new Failure('CONFLICT', 'No.'))),
      );
      t.same(await failure(one, `fails ${n}`), [['CONFLICT', 'No.']]);
    }
    const codes: string[] = [];
    for (let n = 0; n < 20; n++) {
      subscribe(
        one,
        `more ${n}`,
        TICKS,
        source(() => Readable.from([])),
      );
      const { type, payload } = await one.take(({ id }) => id === `more ${n}`);
      codes.push(type === 'error' ? payload[0].extensions.code : type);
    }
    t.same([codes[0], codes.at(-1)], ['complete', 'RATE_LIMITED']);
    t.same(limited.log, []);
  });

  t.test('sources end with the service', async (t) => {
    const { app, url: there } = await serve(t, database, application);
    await endsBy(t, bob, () => void app.close(), there);
  });

  t.test('no unhandled error occurred', async (t) => t.same(unheard, []));
});

t.test('an error of the platform during an event ends the subscription with that error', async (t) => {
  const error = new Failure('UNAVAILABLE', 'There is no room.');
  let ends = 0;
  const results = subscriptionResults({
    source: Readable.from(['event']),
    execute: () => Promise.reject(error),
    drained: async () => {},
    onEnd: () => ends++,
    onFault: (fault) => t.fail(String(fault)),
  });
  await t.rejects(results.next(), error);
  t.same(await results.next(), { done: true, value: undefined });
  t.equal(ends, 1);
});

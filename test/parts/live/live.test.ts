import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createClient as createUrql, fetchExchange, subscriptionExchange } from '@urql/core';
import { createClient } from 'graphql-ws';
import t from 'tap';
import { WebSocket } from 'ws';
import { onEachDatabase } from '../../support/databases.js';
import type { Json, Person } from '../../support/people.js';
import { eventually } from '../../support/process.js';
import { skipUnlessWhole } from '../../support/servers.js';
import { startService } from '../../support/service.js';
import { ADD, type Dialled, dialAs, SUBSCRIBE } from '../../support/socket.js';
import { watchStatements } from '../../support/statements.js';

/** A crowd; the larger one with CI=true. */
const SOCKETS = skipUnlessWhole ? 200 : 1000;

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { url, developer, viewer, admin, graphql } = await startService(t, database, {}, Date.now, {
    sockets: { socketsPerUser: 1000 },
  });
  const ws = `${url.replace('http', 'ws')}/graphql`;
  const add = async (channelId: string, text: string): Promise<number> =>
    Number((await graphql(developer, ADD, { channelId, text })).data.addMessage.id);

  /** The client of the package graphql-ws, and what it got on one channel. */
  function follow(person: Person, variables: { channelId: string; since?: string | number }, query = SUBSCRIBE) {
    const client = createClient({
      url: ws,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: person.headers['authorization'] },
      retryAttempts: 0,
    });
    const got: Json[] = [];
    const results: Json[] = [];
    const errors: unknown[] = [];
    client.subscribe<Json>(
      { query, variables },
      {
        next: (result) => {
          results.push(result);
          if (result.data) got.push(result.data.messageAdded);
        },
        error: (error) => errors.push(error),
        complete: () => {},
      },
    );
    t.teardown(() => client.dispose());
    return { client, got, results, errors, ids: () => got.map(({ id }) => Number(id)) };
  }
  /** Subscriptions are in place once they have shown a message that is there for this only; the last such is waited for. */
  async function standing(channelId: string, lists: Json[][], idOf: (row: Json) => unknown): Promise<void> {
    await eventually('subscriptions in place', async () => {
      await add(channelId, 'are you there?');
      return lists.every((list) => list.length > 0);
    });
    const last = await add(channelId, 'the next one counts');
    const has = (list: Json[]) => list.some((entry) => Number(idOf(entry)) === last);
    await eventually('the last of them', () => lists.every(has));
    for (const list of lists) list.length = 0;
  }
  const idOfMessage = ({ id }: Json) => id;

  t.test('a subscription gets new messages of its channel in the order of their ids', async (t) => {
    await add('here', 'before');
    const here = follow(viewer, { channelId: 'here' });
    await standing('here', [here.got], idOfMessage);
    t.notOk(here.results.some(({ data }) => data.messageAdded.text === 'before'));
    const ids = [];
    for (let i = 0; i < 10; i++) {
      ids.push(await add('here', `message ${i}`));
      await add('there', 'elsewhere');
    }
    await eventually('ten messages', () => here.got.length >= 10);
    t.same(here.ids(), ids);
    t.match(here.got[0], { text: 'message 0', author: { name: 'Developer' } });
  });

  t.test('a subscription gets committed messages only', async (t) => {
    const here = follow(viewer, { channelId: 'commit' });
    await standing('commit', [here.got], idOfMessage);
    const { client } = database;
    await client.$executeRawUnsafe(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN IF NEW.text = 'refused' THEN RAISE EXCEPTION SQLSTATE '53100'; END IF; RETURN NULL; END $$`);
    await client.$executeRawUnsafe(`CREATE CONSTRAINT TRIGGER refuse AFTER INSERT ON messages
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`);
    t.same((await graphql(developer, ADD, { channelId: 'commit', text: 'refused' })).codes, ['INSUFFICIENT_STORAGE']);
    await add('commit', 'kept');
    await eventually('the one that was kept', () => here.got.length > 0);
    await client.$executeRawUnsafe('DROP FUNCTION refuse CASCADE');
    t.same(
      here.got.map(({ text }) => text),
      ['kept'],
    );
  });

  t.test('a message that was deleted before the stream read it is read once', async (t) => {
    const here = follow(viewer, { channelId: 'withdrawn' });
    await standing('withdrawn', [here.got], idOfMessage);
    const { client } = database;
    await client.$executeRawUnsafe(`CREATE FUNCTION withdraw() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN DELETE FROM messages WHERE id = NEW.id AND text = 'withdrawn'; RETURN NULL; END $$`);
    await client.$executeRawUnsafe(`CREATE CONSTRAINT TRIGGER withdraw AFTER INSERT ON messages
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION withdraw()`);
    const { seen, stop } = watchStatements(/^SELECT.*FROM "public"."messages".*"id" >/s);
    await add('withdrawn', 'withdrawn');
    await eventually('the stream reads', () => seen.length > 0);
    await delay(200);
    const id = await add('withdrawn', 'kept');
    await eventually('the one that was kept', () => here.got.length > 0);
    stop();
    t.same(here.ids(), [id]);
    t.equal(seen.length, 2, 'one read for each message');
    await client.$executeRawUnsafe('DROP FUNCTION withdraw CASCADE');
  });

  t.test('`since` delivers stored and new messages without gap or repetition under load', async (t) => {
    const stored: number[] = [];
    for (let i = 0; i < 5; i++) stored.push(await add('busy', `stored ${i}`));
    let writing = true;
    const written: number[] = [];
    const writers = Array.from({ length: 4 }, async () => {
      while (writing) written.push(await add('busy', 'x'));
    });
    const [first] = stored as [number];
    const more = (count: number) => {
      const wanted = written.length + count;
      return eventually(`${count} more messages`, () => written.length >= wanted);
    };
    const followers = [];
    for (let i = 0; i < 12; i++) {
      followers.push(follow(viewer, { channelId: 'busy', since: first }));
      await more(5);
    }
    // One that comes back with the last id that it has.
    const gone = follow(viewer, { channelId: 'busy', since: first });
    await eventually('something', () => gone.got.length > 20);
    await gone.client.dispose();
    const had = gone.ids();
    const back = follow(viewer, { channelId: 'busy', since: had.at(-1) as number });
    await eventually('something again', () => back.got.length > 0);
    await more(20);
    writing = false;
    await Promise.all(writers);
    const expected = [...stored.slice(1), ...written].sort((a, b) => a - b);
    const complete = (ids: () => number[]) => eventually('all messages', () => ids().at(-1) === expected.at(-1));
    for (const { ids } of [...followers, back]) await complete(ids);
    for (const { ids } of followers) t.strictSame(ids(), expected);
    t.strictSame([...had, ...back.ids()], expected, 'over a reconnect');
  });

  t.test('`since` handles long histories, deleted messages and unknown ids', async (t) => {
    const rows = Array.from({ length: 350 }, (_, i) => ({ channelId: 'long', text: `${i}`, authorId: developer.id }));
    await database.client.message.createMany({ data: rows });
    const ids = (await database.client.message.findMany({ where: { channelId: 'long' }, orderBy: { id: 'asc' } })).map(
      ({ id }) => id,
    );
    await database.client.message.delete({ where: { id: ids[120] as number } });
    const all = follow(viewer, { channelId: 'long', since: 1 });
    const beginning = follow(viewer, { channelId: 'long', since: '0' });
    const fresh = follow(viewer, { channelId: 'new', since: 0 });
    // Not announced: a subscriber could get it before it is deleted.
    const lost = { channelId: 'long', text: 'deleted', authorId: developer.id };
    const { id: last } = await database.client.message.create({ data: lost });
    await database.client.message.delete({ where: { id: last } });
    const known = follow(viewer, { channelId: 'long', since: last });
    const future = follow(viewer, { channelId: 'long', since: last + 1 });
    const huge = follow(viewer, { channelId: 'long', since: '99999999999999999999' });
    await eventually('the history', () => all.got.length >= 349);
    const more = [await add('long', 'a'), await add('long', 'b'), await add('long', 'c')];
    await eventually('the present', () => all.got.length >= 352 && known.got.length > 2);
    // The deleted message may have been delivered before.
    const stored = (events: typeof all) => events.ids().filter((id) => id !== last);
    t.strictSame(stored(all), [...ids.filter((id) => id !== ids[120]), ...more]);
    t.strictSame(known.ids(), more, 'a deleted message is a position');
    for (const { got, errors } of [future, huge])
      t.match([got, errors], [[], [[{ extensions: { code: 'BAD_REQUEST' } }]]], 'no message has had that id');

    const first = await add('new', 'first');
    await eventually('from the beginning', () =>
      beginning.got.length >= 352 && fresh.got.length > 0 ? true : undefined,
    );
    t.strictSame(stored(beginning), stored(all), '0 is the beginning of a channel');
    t.strictSame(fresh.ids(), [first], 'also of one that had no message');
  });

  t.test('messages that are added during a long history follow it once', async (t) => {
    const rows = Array.from({ length: 400 }, () => ({
      channelId: 'heavy',
      text: 'x'.repeat(2000),
      authorId: developer.id,
    }));
    await database.client.message.createMany({ data: rows });
    const aliases = Array.from({ length: 25 }, (_, i) => `t${i}: text`).join(' ');
    const query = `subscription($channelId: ID!, $since: ID) {
      messageAdded(channelId: $channelId, since: $since) { id ${aliases} }
    }`;
    const { socket, send, received } = await dialAs(t, url, viewer);
    send({ type: 'subscribe', id: '1', payload: { query, variables: { channelId: 'heavy', since: 1 } } });
    await eventually('the beginning', () => received.length > 0);
    // More than the network holds is stored, so the rest waits until this client reads on.
    socket.pause();
    for (let i = 0; i < 10; i++) await add('heavy', `while it is on its way ${i}`);
    socket.resume();
    const where = { channelId: 'heavy', id: { gt: 1 } };
    const stored = await database.client.message.findMany({ where, orderBy: { id: 'asc' } });
    await eventually('the end', () => received.length >= stored.length);
    t.strictSame(
      received.map(({ payload }) => Number(payload.data.messageAdded.id)),
      stored.map(({ id }) => id),
    );
  });

  t.test('equal selections share one execution', async (t) => {
    const query = `subscription($channelId: ID!, $since: ID, $short: Boolean = false) {
      m: messageAdded(channelId: $channelId, since: $since) { id text @skip(if: $short) }
    }`;
    const start = await add('selections', 'start');
    const run = (variables: Record<string, unknown>) =>
      follow(viewer, { channelId: 'selections', since: start, ...variables } as never, query);
    const [long, other, short] = [run({}), run({ since: start - 1 }), run({ short: true })];
    await add('selections', 'shown');
    await eventually('all', () =>
      [long, other, short].every(({ results }) => results.some(({ data }) => Number(data.m.id) > start)),
    );
    t.match(long.results.at(-1).data, { m: { text: 'shown' } });
    t.equal(other.results.length, 2, 'each begins where it wants');
    t.strictSame(Object.keys(short.results.at(-1).data.m), ['id']);
  });

  t.test('urql queries, mutates and subscribes over the socket', async (t) => {
    const socket = createClient({
      url: ws,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: developer.headers['authorization'] },
    });
    t.teardown(() => socket.dispose());
    const forwardSubscription = ({
      query,
      variables,
    }: {
      query?: string | undefined;
      variables?: object | undefined;
    }) => ({
      subscribe: (sink: Json) => ({
        unsubscribe: socket.subscribe({ query: query ?? '', variables: variables as never }, sink),
      }),
    });
    const urql = createUrql({
      url: `${url}/graphql`,
      exchanges: [subscriptionExchange({ forwardSubscription, enableAllOperations: false }), fetchExchange],
      fetchOptions: { headers: developer.headers },
      preferGetMethod: false,
    });
    const got: Json[] = [];
    const { unsubscribe } = urql
      .subscription(SUBSCRIBE, { channelId: 'urql', since: 1 })
      .subscribe((result) => got.push(result));
    const { data } = await urql.mutation(ADD, { channelId: 'urql', text: 'by urql' }).toPromise();
    await eventually('the message', () => got.length > 0);
    t.match(got[0], { data: { messageAdded: { id: data.addMessage.id, text: 'by urql' } } });
    t.match((await urql.query('{ messages(channelId: "urql") { text } }', {}).toPromise()).data.messages, [
      { text: 'by urql' },
    ]);
    unsubscribe();
  });

  t.test('a client that does not read is closed with 1013; others get all messages', async (t) => {
    const { hostname, port } = new URL(url);
    const stalled = connect(Number(port), hostname);
    t.teardown(() => stalled.destroy());
    stalled.on('error', () => {});
    stalled.write(
      `GET /graphql HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n` +
        `Sec-WebSocket-Key: ${Buffer.alloc(16).toString('base64')}\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n` +
        `Authorization: ${viewer.headers['authorization']}\r\n\r\n`,
    );
    await once(stalled, 'data');
    const bytes: Buffer[] = [];
    stalled.on('data', (data) => bytes.push(data));
    const seen = () => decode(Buffer.concat(bytes));
    stalled.write(frame({ type: 'connection_init' }));
    await eventually('a welcome', () => seen().messages.length > 0);
    // From here on it reads nothing, so that the network keeps little for it; many subscriptions to one channel fill the
    // queue with few messages. By `since` each has them all, whenever it is in place.
    stalled.pause();
    const start = await add('slow', 'start');
    const payload = { query: SUBSCRIBE, variables: { channelId: 'slow', since: start } };
    for (let i = 1; i <= 90; i++) stalled.write(frame({ type: 'subscribe', id: `${i}`, payload }));
    const reading = follow(viewer, { channelId: 'slow', since: start });
    const ids = [];
    for (let i = 0; i < 60; i++) ids.push(await add('slow', 'x'.repeat(2000)));
    await eventually('all messages', () => reading.got.length >= 60);
    t.strictSame(reading.ids(), ids);
    stalled.resume();
    const { closeCode, messages } = await eventually('a closing frame', () => {
      const all = seen();
      return all.closeCode !== undefined && all;
    });
    stalled.destroy();
    t.equal(closeCode, 1013);
    t.ok(messages.length < 60 * 90, 'it could not have got everything');
    for (let i = 1; i <= 90; i++) {
      const own = messages.filter(({ id }) => id === `${i}`).map(({ payload }) => Number(payload.data.messageAdded.id));
      t.strictSame(own, ids.slice(0, own.length), 'what it got has no gap');
    }
  });

  const onceForBoth = database.url !== undefined && 'seen on the embedded database, which is the slower one';
  t.test(`${SOCKETS} sockets get every message once`, { skip: onceForBoth }, async (t) => {
    const people = [viewer, developer, admin];
    const sockets: Dialled[] = [];
    for (let i = 0; i < SOCKETS; i += 50) {
      sockets.push(
        ...(await Promise.all(Array.from({ length: 50 }, (_, j) => dialAs(t, url, people[(i + j) % 3] as Person)))),
      );
    }
    const start = await add('thousand', 'start');
    for (const [i, { send }] of sockets.entries()) {
      const variables = { channelId: 'thousand', ...(i % 2 && { since: start }) };
      send({ type: 'subscribe', id: `s${i}`, payload: { query: SUBSCRIBE, variables } });
    }
    // Those without `since` need to stand before the first message that counts.
    for (const { send } of sockets) send({ type: 'ping' });
    for (const { take } of sockets) await take(({ type }) => type === 'pong');
    const lists = sockets.map(({ received }) => received);
    await standing('thousand', lists, ({ payload }) => payload.data.messageAdded.id);
    const ids: number[] = [];
    for (let i = 0; i < 10; i++) ids.push(await add('thousand', `message ${i}`));
    await eventually('ten each', () => lists.every((received) => received.length >= 10));
    const wrong = sockets.filter(({ received }, i) => {
      const own = received.map(({ id, payload }) => (id === `s${i}` ? Number(payload.data.messageAdded.id) : 0));
      return JSON.stringify(own) !== JSON.stringify(ids);
    });
    t.equal(wrong.length, 0);
  });
});

/** A text frame as a client sends it (RFC 6455 §5.2), masked by zeros. */
function frame(message: object): Buffer {
  const payload = Buffer.from(JSON.stringify(message));
  const head = Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 255, 0, 0, 0, 0]);
  return Buffer.concat([head, payload]);
}

/** The frames of a server. */
function decode(bytes: Buffer): { closeCode: number | undefined; messages: Json[] } {
  const messages: Json[] = [];
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = (bytes[at + 1] as number) & 127;
    const length =
      short === 126 ? bytes.readUInt16BE(at + 2) : short === 127 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
    const from = at + 2 + (short === 126 ? 2 : short === 127 ? 8 : 0);
    const payload = bytes.subarray(from, from + length);
    if (payload.length < length) break;
    if (((bytes[at] as number) & 15) === 8) return { closeCode: payload.readUInt16BE(0), messages };
    if (((bytes[at] as number) & 15) === 1) messages.push(JSON.parse(payload.toString()));
    at = from + length;
  }
  return { closeCode: undefined, messages };
}

import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { onEachDatabase } from '../../support/databases.js';
import { someoneWaits, waiting } from '../../support/locks.js';
import { many } from '../../support/many.js';
import type { Person } from '../../support/people.js';
import { eventually } from '../../support/process.js';
import { open as connectTo } from '../../support/raw.js';
import { codeOf, startInstance, startService } from '../../support/service.js';
import { dialAs } from '../../support/socket.js';
import { uncommitted } from '../../support/uncommitted.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const METRICS_TOKEN = 'a token for the metrics of this test';
const POSTS = 4;
const LENGTH = 20_000;
/** 2.3 MiB. */
const LONG_TEXT = `{ posts(limit: ${POSTS}) { ${many(30, (n) => `a${n}: content`)} } }`;

/** Returns pipelined requests for LONG_TEXT. */
function longTexts({ headers }: Person, count: number): string {
  const body = JSON.stringify({ query: LONG_TEXT });
  const head = [
    'POST /graphql HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    `Authorization: ${headers['authorization']}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`.repeat(count);
}

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { admin, developer, viewer, graphql } = await startService(t, database);
  const add = 'mutation($content: String) { createPost(title: "long", content: $content) { id } }';
  for (let n = 0; n < POSTS; n++) await graphql(developer, add, { content: 'x'.repeat(LENGTH) });
  const generous = { response: 3 * MIB, caller: 4 * MIB, process: 4 * MIB, step: 64 * KIB };

  async function started(t: Test, responses: Partial<typeof generous>) {
    const instance = await startInstance(t, database, { METRICS_TOKEN }, { responses: { ...generous, ...responses } });
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const bytes = async () =>
      Number(/^answer_bytes (\d+)$/m.exec((await instance.rest('GET', '/metrics', { headers })).text)?.[1]);
    return { ...instance, bytes };
  }
  const tooLarge = { message: /^The answer must have at most \d+ bytes\. Ask for fewer items/ };

  t.test('a result beyond the bound of a socket is the error of its operation', async (t) => {
    const { url } = await started(t, {});
    const { send, take } = await dialAs(t, url, viewer);
    send({ type: 'subscribe', id: 'long', payload: { query: LONG_TEXT } });
    const { type, payload } = await take(({ id }) => id === 'long');
    t.match(
      [type, payload],
      ['error', [{ message: /at most 1048576 bytes/, extensions: { code: 'PAYLOAD_TOO_LARGE' } }]],
    );
    send({ type: 'subscribe', id: 'short', payload: { query: '{ me { name } }' } });
    t.equal((await take(({ id }) => id === 'short')).type, 'next');
  });

  t.test('a text beyond the bound of an answer is refused', async (t) => {
    const { graphql, rest, bytes } = await started(t, { response: 100 * KIB, step: KIB });
    t.same((await graphql(viewer, LONG_TEXT)).codes, ['PAYLOAD_TOO_LARGE']);
    t.equal(await bytes(), 0);
    t.equal((await rest('GET', '/api/v1/users', { as: admin })).status, 200);

    const strict = await started(t, { response: 512, step: 128 });
    const list = await strict.rest('GET', '/api/v1/users', { as: admin });
    t.same(codeOf(list), [413, 'PAYLOAD_TOO_LARGE']);
    t.match(list.body.detail, tooLarge.message);
  });

  t.test('no bytes remain after connections that end early', async (t) => {
    const { graphql, url, bytes } = await started(t, { caller: 64 * MIB, process: 64 * MIB });
    const before = async () => (await graphql(viewer, '{ me { name } }')).data !== null;
    const cut = async (count: number, wait: () => Promise<unknown>) => {
      const socket = connectTo(url).pause();
      socket.write(longTexts(developer, count));
      await wait();
      socket.destroy();
    };
    await cut(1, before);
    await cut(1, () => delay(5));
    await cut(6, () => eventually('bytes of answers', async () => (await bytes()) > 4 * MIB));
    await eventually('no bytes', async () => (await bytes()) === 0);
    await delay(200);
    t.equal(await bytes(), 0);
  });

  t.test('no bytes remain after the time limit of a handler', async (t) => {
    const options = { responses: generous, timeouts: { handler: 5 } };
    const { app, graphql } = await startInstance(t, database, {}, options);
    for (let n = 0; n < 3; n++) await graphql(developer, LONG_TEXT);
    await delay(500);
    t.match(await app.core.seams.observability.metrics(), /^answer_bytes 0$/m);
  });

  t.test('an answer to a mutation is sent, however large: the write has happened', async (t) => {
    const { graphql } = await started(t, { response: 40 * KIB, step: 4 * KIB });
    const content = 'x'.repeat(LENGTH);
    const writes = `mutation($content: String) { ${many(3, (n) => `p${n}: createPost(title: "t", content: $content) { content }`)} }`;
    const { data } = await graphql(developer, writes, { content });
    t.equal(data.p2.content.length, LENGTH);
  });

  t.test('large operations take turns, and have no place while they wait', async (t) => {
    const { client } = database;
    if (database.url === undefined) return t.comment('An embedded database has one connection.');
    const admission = { underWay: 4, burst: 60_000, sustained: 60_000 };
    const { graphql, app, fetch } = await startInstance(t, database, {}, { admission, costUnderWay: 2500 });
    const { commit, over } = await uncommitted(client, (db) => db.$executeRaw`LOCK TABLE posts`);
    const batch = [LONG_TEXT, LONG_TEXT].map((query) => ({ query }));
    const headers = { ...viewer.headers, 'content-type': 'application/json' };
    const asked = Array.from({ length: 8 }, () => graphql(developer, LONG_TEXT));
    const inBatch = fetch('/graphql', { method: 'POST', headers, body: JSON.stringify(batch) });
    await someoneWaits(database);
    const small = await Promise.all(Array.from({ length: 8 }, () => graphql(viewer, '{ me { name } }')));
    t.same(new Set(small.flatMap(({ codes }) => codes)), new Set());
    await eventually('the others wait', () => app.core.seams.limits.places.figures().underWay === 1);
    t.equal(await waiting(database), 1, 'one operation runs');
    commit();
    await over;
    for (const { codes } of await Promise.all(asked)) t.same(codes, []);
    t.match(await (await inBatch).json(), [{ data: { posts: Array } }, { data: { posts: Array } }]);
    await eventually('no place is taken', () => app.core.seams.limits.places.figures().underWay === 0);
  });

  t.test('answers that are not read count for their caller and the process until the connection ends', async (t) => {
    const { graphql, url, bytes } = await started(t, {});
    const socket = connectTo(url).pause();
    socket.write(longTexts(developer, 8));
    await eventually('bytes of an answer', async () => (await bytes()) > 2 * MIB);
    const refused = await graphql(developer, LONG_TEXT);
    t.same(refused.codes, ['RATE_LIMITED']);
    t.ok(Number(refused.headers.get('retry-after')) >= 1);
    t.same((await graphql(viewer, LONG_TEXT)).codes, ['UNAVAILABLE'], 'the bound of the process');
    t.equal((await graphql(viewer, '{ me { name } }')).codes.length, 0, 'small answers are never refused');

    const closed = once(socket, 'close');
    socket.destroy();
    await closed;
    await eventually('no bytes', async () => (await bytes()) === 0);
    t.equal((await graphql(developer, LONG_TEXT)).codes.length, 0);
  });
});

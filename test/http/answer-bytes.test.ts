import { once } from 'node:events';
import t, { type Test } from 'tap';
import { onEachDatabase } from '../support/databases.js';
import { many } from '../support/many.js';
import type { Person } from '../support/people.js';
import { eventually } from '../support/process.js';
import { open as connectTo } from '../support/raw.js';
import { codeOf, startInstance, startService } from '../support/service.js';
import { dialAs } from '../support/socket.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const METRICS_TOKEN = 'a token for the metrics of this test';
const POSTS = 4;
const LENGTH = 20_000;
const ROWS = `posts(limit: ${POSTS}) { content }`;
/** The rows are read once, and written 30 times: 2.3 MiB. */
const LONG_TEXT = `{ posts(limit: ${POSTS}) { ${many(30, (n) => `a${n}: content`)} } }`;

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { admin, developer, viewer, graphql } = await startService(t, database);
  const add = 'mutation($content: String) { createPost(title: "long", content: $content) { id } }';
  for (let n = 0; n < POSTS; n++) await graphql(developer, add, { content: 'x'.repeat(LENGTH) });
  const generous = { answer: 3 * MIB, caller: 4 * MIB, process: 4 * MIB, step: 64 * KIB, reads: 16 };

  async function started(t: Test, answers: Partial<typeof generous>) {
    const instance = await startInstance(t, database, { METRICS_TOKEN }, { answers: { ...generous, ...answers } });
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const bytes = async () =>
      Number(/^answer_bytes (\d+)$/m.exec((await instance.rest('GET', '/metrics', { headers })).text)?.[1]);
    return { ...instance, bytes };
  }
  const tooLarge = { message: /^The answer must have at most \d+ bytes\. Ask for fewer items/ };

  t.test('rows beyond the bound of an answer are refused while they are read', async (t) => {
    const { graphql, url, bytes } = await started(t, { answer: 150 * KIB, step: 16 * KIB });
    const within = await graphql(viewer, `{ ${ROWS} }`);
    t.equal(within.data.posts.length, POSTS);
    const { data, errors, codes } = await graphql(viewer, `{ ${many(3, (n) => `a${n}: ${ROWS}`)} }`);
    t.same([data, codes], [undefined, ['PAYLOAD_TOO_LARGE']]);
    t.match(errors?.[0], tooLarge);
    t.equal(await bytes(), 0);

    const { send, take } = await dialAs(t, url, viewer);
    const query = `{ ${many(3, (n) => `a${n}: ${ROWS}`)} }`;
    send({ type: 'subscribe', id: '1', payload: { query } });
    const { payload } = await take(({ id }) => id === '1');
    t.match(payload.errors, [{ ...tooLarge, extensions: { code: 'PAYLOAD_TOO_LARGE' } }]);
    send({ type: 'subscribe', id: '2', payload: { query: `{ ${ROWS} }` } });
    t.equal((await take(({ id }) => id === '2')).payload.data.posts.length, POSTS);
    t.equal(await bytes(), 0);
  });

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
    const { graphql, rest, bytes } = await started(t, { answer: 100 * KIB, step: KIB });
    t.same((await graphql(viewer, LONG_TEXT)).codes, ['PAYLOAD_TOO_LARGE']);
    t.equal(await bytes(), 0);
    t.equal((await rest('GET', '/api/v1/users', { as: admin })).status, 200);

    const strict = await started(t, { answer: 512, step: 128 });
    const list = await strict.rest('GET', '/api/v1/users', { as: admin });
    t.same(codeOf(list), [413, 'PAYLOAD_TOO_LARGE']);
    t.match(list.body.detail, tooLarge.message);
  });

  t.test('answers that are not read count for their caller and the process until the connection ends', async (t) => {
    const { graphql, url, bytes } = await started(t, {});
    const unread = (person: Person) => {
      const body = JSON.stringify({ query: LONG_TEXT });
      const socket = connectTo(url).pause();
      const head = `POST /graphql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
      socket.write(
        many(8, () => `${head}\r\nAuthorization: ${person.headers.authorization}\r\n\r\n${body}`).replaceAll(
          '} POST',
          '}POST',
        ),
      );
      return socket;
    };
    const socket = unread(developer);
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

import t from 'tap';
import { onEachDatabase } from '../../support/databases.js';
import { serve } from '../../support/own-application.js';
import type { Person } from '../../support/people.js';
import { statementsOf } from '../../support/statements.js';
import { documentsApplication } from './documents-fixture.js';

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const { url, person, graphql, log } = await serve(t, database, documentsApplication);
  const [ada, eve] = [await person('Ada', 'DEVELOPER'), await person('Eve', 'DEVELOPER')];
  const [viewer, admin] = [await person('Vic'), await person('Amy', 'ADMIN')];

  const send = async (as: Person, method: string, path: string, ifMatch?: string, pages?: number) => {
    const headers = {
      ...as.headers,
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(pages !== undefined && { 'content-type': 'application/json' }),
    };
    const body = pages === undefined ? null : JSON.stringify({ pages });
    const response = await fetch(`${url}/api/v1${path}`, { method, headers, body });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  const added = async ({ id: userId }: Person, amount = 1): Promise<string> =>
    `/documents/${(await client.order.create({ data: { userId, amount, currency: 'EUR' } })).id}`;
  const folderOf = async ({ id: authorId }: Person): Promise<string> =>
    `/folders/${(await client.post.create({ data: { authorId, title: 'Drafts' } })).id}`;
  const remarkIn = async (folder: string): Promise<string> => {
    const data = { postId: idOf(folder), authorId: eve.id, text: 'Why?' };
    return `/remarks/${(await client.comment.create({ data })).id}`;
  };
  const idOf = (path: string) => Number(path.split('/')[2]);
  const graves = async () =>
    (await client.tombstone.findMany({ orderBy: [{ kind: 'asc' }, { id: 'asc' }] })).map(({ kind, id }) => [kind, id]);
  const seal = (sealed: boolean) => client.order.updateMany({ data: { status: sealed ? 'PAID' : 'PENDING' } });
  const NOWHERE = '/documents/999';

  t.test('a change increments the version, and fails with a stale If-Match', async (t) => {
    const path = await added(ada);
    const tag = (await send(ada, 'GET', path)).headers.get('etag') as string;
    t.equal(tag, `"${idOf(path)}-1"`);
    const changed = await send(ada, 'PUT', path, tag, 2);
    t.match([changed.status, changed.body], [200, { pages: 2 }]);
    t.equal(changed.headers.get('etag'), `"${idOf(path)}-2"`);
    const stale = await send(ada, 'PUT', path, tag, 3);
    t.match([stale.status, stale.body.code], [412, 'PRECONDITION_FAILED']);
    t.equal((await send(ada, 'DELETE', path, tag)).status, 412, 'nor may such a one delete');
    t.match(await send(ada, 'GET', path), { body: { pages: 2 } });
    for (const seen of [`"other", "${idOf(path)}-2"`, '*', undefined]) {
      t.equal((await send(ada, 'PUT', path, seen, 4)).status, 200, String(seen));
    }
    t.match((await send(ada, 'GET', path)).headers.get('etag'), /-5"$/);
  });

  t.test('of concurrent changes of one version, one succeeds', async (t) => {
    const path = await added(ada);
    const tag = `"${idOf(path)}-1"`;
    const answers = await Promise.all([2, 3, 4, 5].map((pages) => send(ada, 'PUT', path, tag, pages)));
    t.same(answers.map(({ status }) => status).sort(), [200, 412, 412, 412]);
  });

  t.test('failures have their order, and no failed request changes a row', async (t) => {
    const [path, gone] = [await added(ada), await added(ada)];
    t.equal((await send(ada, 'DELETE', gone)).status, 204);
    const before = await graves();
    await seal(true);
    const long = 21;
    for (const [method, pages] of [
      ['PUT', long],
      ['DELETE', undefined],
    ] as const) {
      const answered = async (as: Person, target: string, tag?: string) =>
        (await send(as, method, target, tag, pages)).status;
      t.equal(await answered(viewer, NOWHERE), 403, 'who may not do it to anything, before it is looked at');
      t.equal(await answered(ada, NOWHERE, '"stale"'), 404);
      t.equal(await answered(ada, '/documents/99999999999', '"stale"'), 404, 'an id that no row can have');
      t.equal(await answered(ada, gone, '"stale"'), method === 'PUT' ? 410 : 404);
      t.equal(await answered(eve, path, '"stale"'), 403, 'of another');
      t.equal(await answered(ada, path, '"stale"'), 412);
      t.equal(await answered(ada, path), 409);
    }
    await seal(false);
    t.equal((await send(ada, 'PUT', path, undefined, long)).status, 422);
    t.match(await send(ada, 'GET', path), { status: 200, body: { pages: 1 } });
    t.same(await graves(), before);
    t.equal((await send(admin, 'PUT', path, undefined, 7)).status, 200, 'an administrator may');
  });

  t.test('a second deletion is 404, and other requests are 410', async (t) => {
    await client.tombstone.deleteMany();
    const path = await added(ada);
    t.equal((await send(ada, 'DELETE', path)).status, 204);
    t.same(await graves(), [['ORDER', idOf(path)]]);
    t.equal((await send(ada, 'DELETE', path)).status, 404);
    t.match(await send(ada, 'GET', path), { status: 410, body: { detail: 'This document was deleted.' } });
    t.equal((await send(ada, 'PUT', path, undefined, 2)).status, 410);
    t.match(await send(ada, 'GET', NOWHERE), { status: 404, body: { detail: 'There is no such document.' } });
  });

  t.test('cascading deletions create tombstones, and a relation can decide the owner', async (t) => {
    await client.tombstone.deleteMany();
    const [folder, other] = [await folderOf(ada), await folderOf(ada)];
    const remarks = [await remarkIn(folder), await remarkIn(folder)];
    const [one, two] = [await remarkIn(other), await remarkIn(other)];
    t.equal((await send(eve, 'DELETE', folder)).status, 403);
    t.equal((await send(ada, 'DELETE', folder)).status, 204);
    const expected = [...remarks.map((remark) => ['COMMENT', idOf(remark)]), ['POST', idOf(folder)]];
    t.same(await graves(), expected);
    t.equal((await send(eve, 'DELETE', one)).status, 403, 'who wrote it in the folder of another');
    t.equal((await send(ada, 'DELETE', one)).status, 204);
    t.equal((await send(admin, 'DELETE', two)).status, 204);
    t.same(
      await graves(),
      [...remarks, one, two].map((path) => ['COMMENT', idOf(path)]).concat([expected[2] as never]),
    );
  });

  t.test('the deletion of an account creates tombstones of its rows', async (t) => {
    await client.tombstone.deleteMany();
    const leaver = await person('Lea', 'DEVELOPER');
    const [one, two, others, folder] = [
      await added(leaver),
      await added(leaver),
      await added(ada),
      await folderOf(leaver),
    ];
    const remark = await remarkIn(folder);
    t.equal((await send(leaver, 'DELETE', `/people/${leaver.id}`)).status, 204);
    t.same(await graves(), [
      ['COMMENT', idOf(remark)],
      ['ORDER', idOf(one)],
      ['ORDER', idOf(two)],
      ['POST', idOf(folder)],
      ['USER', leaver.id],
    ]);
    t.equal((await send(ada, 'GET', one)).status, 410);
    t.equal((await send(ada, 'GET', others)).status, 200);
  });

  t.test('the operations need no superfluous statement', async (t) => {
    const path = await added(ada);
    const asked = async (work: () => Promise<unknown>) =>
      (await statementsOf(work)).statements
        .filter((sql) => /"?(orders|tombstones)"?/.test(sql) && !/pg_advisory/.test(sql))
        .map((sql) => /SELECT|UPDATE|INSERT|DELETE/.exec(sql)?.[0]);
    t.same(await asked(() => send(ada, 'GET', '/documents?limit=1')), ['SELECT', 'SELECT'], 'with its total');
    t.same(await asked(() => send(ada, 'GET', '/documents?limit=1&after=')), ['SELECT']);
    // The statements of a transaction are not visible on the embedded database.
    if (database.kind === 'embedded') return;
    t.same(await asked(() => send(ada, 'PUT', path, undefined, 2)), ['SELECT', 'UPDATE']);
    t.same(await asked(() => send(ada, 'DELETE', path)), ['SELECT', 'INSERT', 'DELETE']);
  });

  t.test('lists report further pages', async (t) => {
    await client.$executeRaw`TRUNCATE orders RESTART IDENTITY CASCADE`;
    for (const pages of [1, 2, 3, 4, 5]) await added(ada, pages);
    const shown = (rows: { pages: number }[]) => rows.map(({ pages }) => pages).join('');

    t.test('by offset', async (t) => {
      const { body, headers } = await send(ada, 'GET', '/documents?limit=2&offset=2');
      t.equal(shown(body), '34');
      t.equal(headers.get('x-total-count'), '5');
      t.match(headers.get('link'), /offset=4>; rel="next"/);
      const last = await send(ada, 'GET', '/documents?limit=2&offset=4');
      t.equal(shown(last.body), '5');
      t.notMatch(last.headers.get('link'), /rel="next"/);
      t.same((await send(ada, 'GET', '/documents?limit=2&offset=99999999999')).body, [], 'beyond what ids can be');
    });

    t.test('by cursor', async (t) => {
      const seen: [string, boolean][] = [];
      for (let next = '', more = true; more; ) {
        const { body } = await send(ada, 'GET', `/documents?limit=2&after=${next}`);
        seen.push([shown(body.data), body.cursor.hasMore]);
        ({ next, hasMore: more } = body.cursor);
      }
      t.same(seen, [
        ['12', true],
        ['34', true],
        ['5', false],
      ]);
      const whole = await send(ada, 'GET', '/documents?limit=5&after=');
      t.equal(whole.body.cursor.hasMore, false, 'a page that is just full is the last one');
    });

    t.test('from both ends, between two cursors', async (t) => {
      const PAGE = 'edges { cursor node { id } } pageInfo { hasPreviousPage hasNextPage startCursor endCursor }';
      const ask = (args: string) => graphql(ada, `{ documents${args && `(${args})`} { ${PAGE} } }`);
      const whole = (await ask('')).data.documents;
      const [a, b, c, , e] = whole.edges.map(({ cursor }: { cursor: string }) => JSON.stringify(cursor));
      const window = async (args: string) => {
        const { edges, pageInfo } = (await ask(args)).data.documents;
        const ids = edges.map(({ node }: { node: { id: string } }) => node.id).join('');
        return [pageInfo.hasPreviousPage, ids, pageInfo.hasNextPage];
      };
      t.same(await window('first: 2'), [false, '12', true]);
      t.same(await window(`first: 2, after: ${b}`), [true, '34', true]);
      t.same(await window(`first: 2, after: ${c}`), [true, '45', false]);
      t.same(await window('last: 2'), [true, '45', false]);
      t.same(await window(`last: 2, before: ${c}`), [false, '12', true]);
      t.same(await window(`last: 2, after: ${a}, before: ${e}`), [true, '34', true]);
      t.same(await window('first: 5'), [false, '12345', false]);
      t.same(whole.pageInfo.startCursor, whole.edges[0].cursor);
      t.same(whole.pageInfo.endCursor, whole.edges[4].cursor);
      for (const args of ['first: 2, last: 2', 'after: "forged"']) {
        t.match(await ask(args), { errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
      }
    });
  });

  t.test('the log contains no fault', async (t) => t.same(log, []));
});

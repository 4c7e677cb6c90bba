import t from 'tap';
import { dataModel, type Field } from '../../../src/platform/database/client.js';
import { onEachDatabase } from '../../support/databases.js';
import { serve } from '../../support/own-application.js';
import type { Json, Person } from '../../support/people.js';
import { between, remarksApplication } from './references-fixture.js';

const NO_ROW = 999_999;
/** Greater than a PostgreSQL integer. */
const TOO_LARGE = 99_999_999_999;

onEachDatabase(t, async (t, open) => {
  const database = await open();
  const { client } = database;
  const { url, person, graphql, log } = await serve(t, database, remarksApplication);
  const ada = await person('Ada', 'DEVELOPER');

  const send = async (method: string, path: string, body?: object, as: Person = ada, at = url) => {
    const headers = { ...as.headers, ...(body && { 'content-type': 'application/json' }) };
    const response = await fetch(`${at}/api/v1${path}`, { method, headers, body: body ? JSON.stringify(body) : null });
    const sent = await response.text();
    return { status: response.status, body: (sent === '' ? {} : JSON.parse(sent)) as Json };
  };
  const folder = () => client.post.create({ data: { authorId: ada.id, title: 'Drafts' } });
  const { id } = await folder();
  const pointers = ({ status, body }: Awaited<ReturnType<typeof send>>) => [
    status,
    body.code,
    ...(body.errors ?? []).map((error: Json) => error.pointer ?? error.parameter),
  ];
  const INVALID = [422, 'VALIDATION_FAILED'];

  t.test('a foreign key in a request that names no row is 422 with its place', async (t) => {
    const before = await client.comment.count();
    for (const none of [NO_ROW, TOO_LARGE, 0, -TOO_LARGE]) {
      t.same(pointers(await send('POST', '/remarks', { folder_id: none })), [...INVALID, '/folder_id'], `${none}`);
      const otherKey = await send('POST', '/remarks', { folder_id: id, authorId: none });
      t.same(pointers(otherKey), [...INVALID, '/authorId']);
      const many = await send('POST', '/many-remarks', { folders: [{ id }, { id: none }, { id }, { id: NO_ROW - 1 }] });
      t.same(pointers(many), [...INVALID, '/folders/1/id', '/folders/3/id']);
    }
    const { id: remark } = await client.comment.create({ data: { postId: id, authorId: ada.id, text: 'Hm' } });
    const moved = await send('PUT', `/remarks/${remark}`, { to: { folder: NO_ROW } });
    t.same(pointers(moved), [...INVALID, '/to/folder']);
    t.equal(moved.body.errors[0].detail, 'names no folder');
    t.same(pointers(await send('PUT', `/remarks/${remark}?folder=${NO_ROW}`)), [...INVALID, 'folder']);
    t.equal((await send('PUT', `/remarks/${remark}`, { to: { folder: id } })).status, 204);
    t.equal(await client.comment.count(), before + 1);
    t.same(log, []);
  });

  t.test('a value decides together with a name', async (t) => {
    const eve = { id: NO_ROW - 1, name: 'Eve', email: 'eve@example.com', emailKey: 'eve@example.com', role: 'VIEWER' };
    await client.user.create({ data: eve });
    const body = { authorId: eve.id, folder_id: eve.id };
    t.same(pointers(await send('POST', '/remarks', body)), [...INVALID, '/folder_id']);
    const both = { authorId: NO_ROW, folder_id: NO_ROW };
    t.same(pointers(await send('POST', '/remarks', both)).sort(), [...INVALID, '/authorId', '/folder_id'].sort());
  });

  t.test('a key may have several members', async (t) => {
    const { fields } = dataModel.models['Comment'] as { fields: Record<string, Field> };
    const relation = { model: 'Tombstone', fields: ['text', 'postId'], references: ['kind', 'id'] };
    fields['folder'] = { ...(fields['post'] as Field), name: 'folder', column: 'folder', relation };
    await client.$executeRawUnsafe(
      'ALTER TABLE comments ADD CONSTRAINT two FOREIGN KEY (text, post_id) REFERENCES tombstones (kind, id) NOT VALID',
    );
    const { url } = await serve(t, database, remarksApplication);
    const remark = () => send('POST', '/remarks', { folder_id: id }, ada, url);
    await client.tombstone.create({ data: { kind: 'Other', id } });
    const missing = await remark();
    t.same(pointers(missing), [...INVALID, '/folder_id']);
    t.equal(missing.body.errors[0].detail, 'names no tombstone');
    await client.tombstone.create({ data: { kind: 'Why?', id } });
    t.equal((await remark()).status, 204);
    await client.$executeRawUnsafe('ALTER TABLE comments DROP CONSTRAINT two');
    delete fields['folder'];
  });

  t.test('a constraint may have any name', async (t) => {
    const name = 'comments_post_id_fkey';
    await client.$executeRawUnsafe(`ALTER TABLE comments RENAME CONSTRAINT ${name} TO "Of the author"`);
    t.same(pointers(await send('POST', '/remarks', { folder_id: NO_ROW })), [...INVALID, '/folder_id']);
    await client.$executeRawUnsafe(`ALTER TABLE comments RENAME CONSTRAINT "Of the author" TO ${name}`);
  });

  t.test('GraphQL names the argument or the member of the input', async (t) => {
    const fail = async (field: string) => {
      const { errors } = await graphql(ada, `mutation { ${field} }`);
      const [{ code, errors: issues = [] }] = errors.map(({ extensions }: Json) => extensions);
      return [code, ...issues.map(({ pointer }: Json) => pointer)];
    };
    for (const none of [NO_ROW, TOO_LARGE]) {
      t.same(await fail(`remark(folderId: ${none})`), ['VALIDATION_FAILED', '/folderId']);
      t.same(await fail(`remarkIn(place: { folder: ${none} })`), ['VALIDATION_FAILED', '/place/folder']);
      const within = `{ folder: ${id}, within: { folder: "${none}" } }`;
      t.same(await fail(`remarkIn(place: ${within})`), ['VALIDATION_FAILED', '/place/within/folder']);
      t.same(await fail(`remarkInEach(folders: [${id}, ${none}])`), ['VALIDATION_FAILED', '/folders/1']);
    }
    t.equal((await graphql(ada, `mutation { remarkInEach(folders: [${id}, ${id}]) }`)).data.remarkInEach, true);
    t.same(log, []);
  });

  t.test('an ID in an input object or a list is read like the ID of an argument', async (t) => {
    const codes = async (variables: object) => {
      const query =
        'mutation ($folders: [ID!]!, $places: [[Place!]!]) { remarkInEach(folders: $folders, places: $places) }';
      const { errors = [] } = await graphql(ada, query, variables);
      return errors.flatMap(({ extensions: { code, errors: issues = [] } }: Json) => [
        code,
        ...issues.map(({ pointer }: Json) => pointer),
      ]);
    };
    for (const wrong of ['x', '', '0', '-1', '1.5', '01', ' 1']) {
      t.same(await codes({ folders: ['1', wrong] }), ['BAD_REQUEST', '/folders/1'], wrong);
      const deep = { folder: '1', within: { folder: '1', within: { folder: wrong } } };
      const places = [[{ folder: '1' }], [{ folder: '1', page: wrong, room: 'any' }, deep]];
      const expected = ['BAD_REQUEST', '/places/1/0/page', '/places/1/1/within/within/folder'];
      t.same(await codes({ folders: [], places }), expected, wrong);
    }
    t.same(await codes({ folders: [], places: [[{ folder: '1', least: '0', room: 'a', within: null }]] }), []);
    t.same(await codes({ folders: [], places: [[{ folder: '1', least: '-1' }]] }), [
      'BAD_REQUEST',
      '/places/0/0/least',
    ]);
  });

  t.test('a row that the call has read and that vanished is 409', async (t) => {
    const { id: gone } = await folder();
    between.run = () => client.post.delete({ where: { id: gone } });
    const answer =
      database.kind === 'embedded'
        ? undefined // One connection: nothing can happen in between.
        : await send('POST', '/checked-remarks', { folder_id: gone });
    between.run = async () => {};
    if (answer) t.same(pointers(answer), [409, 'CONFLICT']);
    t.same(pointers(await send('POST', '/remarks', { folder_id: NO_ROW })), [...INVALID, '/folder_id']);
  });

  t.test('a row to which another one refers is 409', async (t) => {
    const { id: kept } = await folder();
    const { id: remark } = await client.comment.create({ data: { postId: kept, authorId: ada.id, text: 'Hm' } });
    const refer = (action: string) =>
      client.$executeRawUnsafe(`ALTER TABLE comments DROP CONSTRAINT comments_post_id_fkey,
        ADD CONSTRAINT comments_post_id_fkey FOREIGN KEY (post_id) REFERENCES posts ON DELETE ${action}`);
    for (const action of ['RESTRICT', 'NO ACTION', 'NO ACTION DEFERRABLE INITIALLY DEFERRED']) {
      await refer(action);
      t.same(pointers(await send('DELETE', `/folders/${kept}`)), [409, 'CONFLICT'], action);
      t.same(pointers(await send('POST', '/removals', { folders: [{ id: kept }] })), [409, 'CONFLICT'], action);
    }
    t.equal(await client.tombstone.count({ where: { id: { in: [kept, remark] } } }), 0);
    await refer('CASCADE');
    t.equal((await send('DELETE', `/folders/${kept}`)).status, 204);
    t.same(log, []);
  });

  t.test('an id that is no UUID names no row', async (t) => {
    t.equal((await send('POST', '/payments', { payment: 'x' })).status, 204);
    t.same(log, []);
  });

  t.test('a key that the handler made up is an error of the service', async (t) => {
    t.same(pointers(await send('POST', '/made-up-remarks', { text: `${NO_ROW}` })), [500, 'INTERNAL']);
    t.equal(log.length, 1);
  });
});

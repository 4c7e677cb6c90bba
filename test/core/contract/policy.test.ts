import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { accountRules } from '../../../src/platform/parts/identity/accounts/users.js';
import { identity } from '../../../src/platform/parts/identity/index.js';
import { readConfig } from '../../../src/platform/server/config.js';
import { prepareData } from '../../../src/platform/server/serve.js';
import { check } from '../../../src/workbench/model/check.js';
import { contractsOf } from '../../../src/workbench/model/contracts.js';
import { memoryDatabase } from '../../support/databases.js';
import { library } from '../../support/library/application.js';
import { contracts, FIXTURE, generated } from '../../support/library/files.js';
import type { Role } from '../../support/library/generated/policy.js';
import { openLibrary, type Person } from '../../support/library/library.js';
import { place } from '../../support/place.js';

const ROLES: Role[] = ['GUEST', 'READER', 'CLERK', 'KEEPER'];

t.test(
  'the contracts of the fixture are valid, and its generated files are current (UPDATE_FIXTURE=1 writes them)',
  async (t) => {
    t.same(await check(contractsOf(contracts)), []);
    for (const [name, text] of Object.entries(generated(contracts))) {
      const path = join(FIXTURE, 'generated', name);
      if (process.env['UPDATE_FIXTURE']) writeFileSync(path, text);
      t.equal(readFileSync(path, 'utf8'), text, name);
    }
  },
);

t.test('a contradiction between the contracts is reported with both places', async (t) => {
  const schema = contracts.schema.replace('reader: OWN, clerk: ANY', 'reader: ANY, clerk: ANY');
  const [found, ...others] = await check(contractsOf({ ...contracts, schema }));
  t.same(others, []);
  t.equal(`${found?.file}:${found?.line}:${found?.column}`, `schema.graphql:${place(schema, 'ANY, clerk: ANY')}`);
  const there = place(contracts.openapi, 'own, clerk: any');
  const message = `Query.loan gives reader "any" in loans.read, and getLoan gives "own" (openapi.yaml:${there}).`;
  t.equal(found?.message, message);
});

t.test('four roles of another application have their reach on both transports', async (t) => {
  const { person, rest, graphql } = await openLibrary(t);
  /** The access to an own loan and to another's, by role. */
  const table = {
    GUEST: { lend: false, read: [false, false], end: [false, false] },
    READER: { lend: true, read: [true, false], end: [false, false] },
    CLERK: { lend: true, read: [true, true], end: [true, false] },
    KEEPER: { lend: true, read: [true, true], end: [true, true] },
  };
  const stranger = await person('CLERK');
  let books = 0;
  const lent = async (as: Person): Promise<number> => {
    books += 1;
    return (await rest('POST', '/loans', as, { book: `Book ${books}` })).body.id;
  };
  const answered = (allowed: boolean, success: number) => (allowed ? [success, undefined] : [403, 'FORBIDDEN']);
  for (const role of ROLES) {
    const somebody = await person(role);
    const { lend, read, end } = table[role];
    const created = await rest('POST', '/loans', somebody, { book: role });
    t.same([created.status, created.body.code], answered(lend, 201), `${role} lends`);
    const asked = await graphql(somebody, 'mutation($book: String!) { lend(book: $book) { book } }', {
      book: `${role}2`,
    });
    const expected = (allowed: boolean) => (allowed ? [] : ['403 FORBIDDEN']);
    const found = ({ errors }: typeof asked) => errors.map(({ code, statusCode }) => `${statusCode} ${code}`);
    t.same([asked.data, found(asked)], [{ lend: lend ? { book: `${role}2` } : null }, expected(lend)]);

    for (const [index, owner] of [somebody, stranger].entries()) {
      const whose = index === 0 ? 'own' : "another's";
      if (owner === somebody && !lend) continue;
      const [reads, ends] = [read[index] === true, end[index] === true];
      const id = await lent(owner);
      const got = await rest('GET', `/loans/${id}`, somebody);
      t.same([got.status, got.body.code], answered(reads, 200), `${role} reads ${whose}`);
      const loan = await graphql(somebody, 'query($id: ID!) { loan(id: $id) { id } }', { id });
      t.same(found(loan), expected(reads), `${role} reads ${whose} by GraphQL`);
      const ended = await graphql(somebody, 'mutation($id: ID!) { endLoan(id: $id) }', { id });
      t.same(found(ended), expected(ends), `${role} ends ${whose} by GraphQL`);
      const gone = await rest('DELETE', `/loans/${await lent(owner)}`, somebody);
      t.same([gone.status, gone.body?.code], answered(ends, 204), `${role} ends ${whose}`);
    }
  }
  const { body } = await rest('POST', '/loans', await person('GUEST'), { book: 'A' });
  t.equal(body.detail, 'The role guest may not do this (loans.create).', 'a role has its REST spelling');
  t.equal((await rest('POST', '/loans', undefined, { book: 'A' })).status, 401);
});

t.test('accounts that may set roles are administrators, and the last one remains', async (t) => {
  const { person, rest, graphql } = await openLibrary(t);
  const [keeper, clerk, reader] = [await person('KEEPER'), await person('CLERK'), await person('READER')];
  const appoint = 'mutation($id: ID!, $role: Role!) { appoint(id: $id, role: $role) { role } }';
  const as = async (who: Person, whom: Person, role: string) => {
    const { status, body } = await rest('PATCH', `/people/${whom.id}`, who, { role });
    return [status, body.code ?? body.role];
  };
  t.same(await as(clerk, reader, 'clerk'), [403, 'FORBIDDEN'], "another's account");
  t.same(await as(clerk, clerk, 'keeper'), [403, 'FORBIDDEN'], "one's own role");
  t.same(await as(keeper, keeper, 'clerk'), [409, 'CONFLICT'], 'the last one');
  t.match(await graphql(keeper, appoint, { id: keeper.id, role: 'GUEST' }), { errors: [{ code: 'CONFLICT' }] });
  t.equal((await rest('DELETE', `/people/${keeper.id}`, keeper)).body.code, 'CONFLICT');

  t.same(await graphql(keeper, appoint, { id: clerk.id, role: 'KEEPER' }), {
    data: { appoint: { role: 'KEEPER' } },
    errors: [],
  });
  t.same(await as(clerk, keeper, 'reader'), [200, 'reader'], 'no longer the last');
  t.equal((await rest('DELETE', `/people/${keeper.id}`, keeper)).status, 204);
  t.same(await as(clerk, clerk, 'reader'), [409, 'CONFLICT']);
});

t.test('the first administrator gets the administrator role', async (t) => {
  const database = await memoryDatabase(t);
  const config = readConfig({
    NODE_ENV: 'test',
    ADMIN_EMAIL: 'first@example.com',
    ADMIN_PASSWORD: 'a password for the first one',
  });
  await prepareData([identity()], { database, config, application: library });
  t.match(await database.client.user.findMany(), [{ email: 'first@example.com', role: 'KEEPER' }]);
});

t.test('the rules of accounts follow from the policy', async (t) => {
  const row = { LOW: 'own', HIGH: 'any', HIGHEST: 'any' } as const;
  t.same(accountRules({ 'users.set-role': row }).administrators, ['HIGH', 'HIGHEST'], 'every role that reaches any');
  t.match(accountRules({ raise: row }, { setRole: 'raise' }), { administrators: ['HIGH', 'HIGHEST'] });
  t.throws(() => accountRules({ raise: row }), { message: /no contract gives a role `any` for users\.set-role/ });
});

t.test('an action without a permission is forbidden to everybody', async (t) => {
  const { 'people.remove': _removed, ...policy } = library.policy;
  const { person, rest } = await openLibrary(t, {}, { ...library, policy });
  const keeper = await person('KEEPER');
  t.equal((await rest('DELETE', `/people/${(await person('READER')).id}`, keeper)).status, 403);
});

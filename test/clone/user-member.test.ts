import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { Json } from '../support/people.js';
import { ask, basic, NODE, run, startServer } from '../support/process.js';
import { copyProject, errorsIn } from '../support/project-copy.js';
import { skipUnlessWhole } from '../support/servers.js';

/** Adds three members to users: a column with another name, a time without a zone, and a list in a JSON column. */
const EDITS: Record<string, (text: string) => string> = {
  'openapi.yaml': (text) =>
    text
      .replace(/^( {6}required: \[id, name, email, role), createdAt, _links\]$/m, '$1, nickName, createdAt, _links]')
      .replaceAll(/^( {8})role: \{ \$ref: '#\/components\/schemas\/Role' \}$/gm, (line, indent) =>
        [
          line,
          `${indent}nickName: { $ref: '#/components/schemas/NickName' }`,
          `${indent}bornAt: { $ref: '#/components/schemas/BornAt' }`,
          `${indent}interests: { $ref: '#/components/schemas/Interests' }`,
        ].join('\n'),
      )
      .replace(/^ {2}schemas:$/m, (line) =>
        [
          line,
          "    NickName: { description: What friends say., type: [string, 'null'], maxLength: 40 }",
          "    BornAt: { description: The hour., type: [string, 'null'], format: date-time }",
          '    Interests: { description: What to talk of., type: array, maxItems: 9, items: { type: string, maxLength: 40 } }',
        ].join('\n'),
      ),
  'schema.graphql': (text) =>
    text
      .replace(/^type User \{$/m, '$&\n  "What friends say."\n  nickName: String')
      .replace(
        /^input CreateUserInput \{$/m,
        '$&\n  "What friends say."\n  nickName: String @constraint(maxLength: 40)',
      ),
  'prisma/schema.prisma': (text) =>
    text.replace(
      /^model User \{$/m,
      '$&\n  nickName String? @map("nick_name") @db.VarChar(40)\n  bornAt DateTime?\n  interests Json @default("[]")',
    ),
};
/** The representation of users in REST. GraphQL reads members by their names. */
const REPRESENTATION = 'src/application/rest/representations.ts';
const WRITTEN: [string, string][] = [
  [
    'export const representUser = ({ id, name, email,',
    'export const representUser = ({ id, name, email, nickName, bornAt, interests,',
  ],
  [
    '  createdAt: createdAt.toISOString(),\n  _links: { self: { href: hrefOfUser',
    '  nickName,\n  bornAt: bornAt?.toISOString() ?? null,\n  interests: interests as string[],\n$&',
  ],
];

t.test('the platform reads and writes further members of users', { skip: skipUnlessWhole }, async (t) => {
  const folder = copyProject(t, EDITS);
  const command = (...args: string[]) =>
    run(t, [process.execPath, 'src/platform/server/cli/bin.js', ...args], {}, folder).ended;
  t.equal((await command('codegen')).code, 0);
  t.equal((await command('migrate', 'nick_name')).code, 0);
  const migration = readdirSync(join(folder, 'prisma', 'migrations')).find((name) => name.endsWith('nick_name'));
  const sql = readFileSync(join(folder, 'prisma', 'migrations', String(migration), 'migration.sql'), 'utf8');
  t.match(sql, 'ADD COLUMN     "nick_name" VARCHAR(40)');
  t.equal((await command('build')).code, 0);

  const files = [REPRESENTATION, 'rest/users.ts', 'graphql/Mutation.ts', 'services/messages.ts'];
  const paths = [REPRESENTATION, ...files.slice(1).map((file) => `src/application/${file}`)];
  const [complaint = '', ...others] = errorsIn(folder, paths);
  t.match(complaint, /'nickName' is missing in type/, 'the compiler asks for it where a user is represented');
  t.same(others, [], 'and nowhere else');
  const path = join(folder, REPRESENTATION);
  writeFileSync(
    path,
    WRITTEN.reduce(
      (text, [before, after]) => text.replace(before, after.replace('$&', before)),
      readFileSync(path, 'utf8'),
    ),
  );
  t.same(errorsIn(folder, paths), []);

  const start = [...NODE, '--import', 'tsx', join(folder, 'src', 'main.ts')] as const;
  const { url } = await startServer(t, { DATABASE_URL: 'pglite://memory' }, start);
  const headers = {
    ...basic('ada@demo.accord.example', 'correct horse battery'),
    'content-type': 'application/json',
  };
  const rest = async (method: string, path: string, body?: object) => {
    const answer = await ask(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, body: (await answer.json()) as Json };
  };
  const graphql = async (query: string) => (await rest('POST', '/graphql', { query })).body;

  const created = await rest('POST', '/api/v1/users', {
    ...{ name: 'Katherine Johnson', email: 'katherine@example.com', role: 'viewer' },
    nickName: 'Kat',
    ...{ bornAt: '1918-08-26T02:00:00+02:00', interests: ['orbits', 'a "quote"'] },
  });
  const born = { bornAt: '1918-08-26T00:00:00.000Z', interests: ['orbits', 'a "quote"'] };
  t.match(created, { status: 201, body: { nickName: 'Kat', ...born } });
  const own = `/api/v1/users/${created.body.id}`;
  t.match(await rest('GET', own), { body: born });
  t.match(await rest('PATCH', own, { interests: [], bornAt: null }), { body: { bornAt: null, interests: [] } });
  t.match(await rest('GET', own), { status: 200, body: { nickName: 'Kat' } });
  t.match(await rest('PATCH', own, { nickName: null }), { status: 200, body: { nickName: null } });
  t.match(await rest('PATCH', own, { nickName: 'x'.repeat(41) }), { status: 422 });
  const input = '{ name: "Mary", email: "mary@example.com", role: VIEWER, nickName: "M" }';
  t.match(await graphql(`mutation { createUser(input: ${input}) { nickName } }`), {
    data: { createUser: { nickName: 'M' } },
  });
  t.match(await graphql('mutation { addMessage(channelId: "c", text: "t") { author { nickName } } }'), {
    data: { addMessage: { author: { nickName: null } } },
  });
  const [, grace] = (
    await graphql('{ users(limit: 2) { nickName posts(limit: 1) { comments(limit: 1) { author { nickName } } } } }')
  ).data.users;
  t.same(grace.posts[0].comments[0], { author: { nickName: null } });
});

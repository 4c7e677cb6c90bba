import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import codegen from '../../codegen.js';
import { platformOperations } from '../../src/platform/core/contract/part-operations.js';
import { filesIn } from '../../src/platform/core/contract/project-files.js';
import { generateErrors, generatePolicy, openApiTypes } from '../../src/workbench/generate/generate.js';
import { generateOperations } from '../../src/workbench/generate/operations.js';
import { generateResolvers } from '../../src/workbench/generate/resolvers.js';
import { check, checkOpenApi, checkSchema } from '../../src/workbench/model/check.js';
import { readCodes } from '../../src/workbench/model/codes.js';
import { contractsOf } from '../../src/workbench/model/contracts.js';
import { openApiOf } from '../../src/workbench/model/openapi-source.js';
import { prismaOf, problemsIn } from '../../src/workbench/model/prisma-schema.js';
import { sdlOf } from '../../src/workbench/model/sdl-source.js';
import { accord } from '../support/accord.js';
import { place } from '../support/place.js';
import { ROOT, run } from '../support/process.js';
import { copyProject } from '../support/project-copy.js';
import { skipUnlessWhole } from '../support/servers.js';
import '../support/typescript.js';
import { openapi, schema, sources } from '../support/small-project.js';
import { compile } from './compile.js';

const project = (t: Test, files: Record<string, string>) =>
  t.testdir({
    'openapi.yaml': openapi,
    'schema.graphql': schema,
    'codegen.ts': t.fixture('symlink', join(ROOT, 'codegen.ts')),
    ...files,
  });

t.test('all broken contracts are reported with place, rule and frame, and nothing is generated', async (t) => {
  const generated = { 'operations.ts': '// as it was\n' };
  const text = openapi.replace('putNote', 'put-note').replace('basic: []', 'basci: []');
  const folder = project(t, {
    'openapi.yaml': text,
    'schema.graphql': schema.replace('name: String!', 'name: Strin!'),
    generated: generated as never,
  });
  const { code, stderr } = await accord(t, ['--root', folder, 'codegen']);
  t.equal(code, 1);
  t.match(stderr, `openapi.yaml:${place(text, 'put-note')}  error  operationId "put-note" cannot be a function's name`);
  t.match(stderr, '(operation-id-identifier)');
  t.match(stderr, '  29 |       operationId: put-note\n     |                    ^^^^^^^^\n');
  t.match(stderr, `openapi.yaml:${place(text, 'basci')}  error  There is no \`basci\` security scheme defined.`);
  t.match(stderr, 'schema.graphql:7:9  error  Unknown type "Strin".');
  t.match(stderr, '  7 |   name: Strin!\n    |         ^^^^^\n');
  t.match(stderr, '3 errors in openapi.yaml, schema.graphql');
  t.notMatch(stderr, '\u001b', 'no colour where there is no terminal');
  t.equal(readFileSync(join(folder, 'generated/operations.ts'), 'utf8'), '// as it was\n');
});

t.test('a stale file fails the check by name', async (t) => {
  const folder = project(t, {});
  t.match(await accord(t, ['--root', folder, 'codegen']), { code: 0, stdout: 'generated/operations.ts' });
  const first = readFileSync(join(folder, 'generated/operations.ts'), 'utf8');
  t.match(first, /^\/\/ Generated from openapi\.yaml by `npm run codegen`\. Do not edit\.\n/);

  writeFileSync(join(folder, 'openapi.yaml'), openapi.replaceAll('getNote', 'readNote'));
  const { code, stderr } = await accord(t, ['--root', folder, 'codegen', '--check']);
  t.equal(code, 1);
  t.match(
    stderr,
    /generated\/operations\.ts is stale\.\n {2}from line \d+:\n {2}- .*getNote.*\n(.*\n)* {2}\+ .*readNote/,
  );
  t.equal(readFileSync(join(folder, 'generated/operations.ts'), 'utf8'), first, 'a check writes nothing');
});

const ODD =
  "{ name: If-Match, in: header, schema: { oneOf: [{ $ref: '#/components/schemas/Note' }, { type: string }] } }";

t.test('each rule of the contracts names its place', async (t) => {
  const broken: [rule: string, edit: [from: string, to: string], where: string][] = [
    ['syntax', ['tags: [notes]', 'tags: [notes'], 'summary'],
    ['version', ['3.1.0', '3.0.3'], '3.0.3'],
    ['struct', ['summary:', 'sumary:'], 'sumary'],
    ['no-unresolved-refs', ['schemas/Note', 'schemas/Nota'], "{ $ref: '#/components/schemas/Nota"],
    [
      'operation-operationId-unique',
      ['putNote', 'getNote'],
      'operationId: getNote\n      tags: [notes]\n      security: [{',
    ],
    ['path-parameters-defined', ['name: note_id', 'name: id'], 'id, in: path'],
    ['path-parameter-name', ['/{note_id}', '/{note-id}'], '/notes/{note-id}'],
    ['parameter-form', ['{ name: If-Match, in: header, schema: { type: string } }', ODD], '{ name: If-Match'],
    [
      'parameter-form',
      ['schema: { type: integer }', "style: matrix, schema: { $ref: '#/components/schemas/Note' }"],
      '{ name: note_id',
    ],
    ['operation-one-tag', ['tags: [notes]', 'tags: [notes, more]'], 'tags: [notes, more]'],
    ['operation-one-tag', ['tags: [notes]', 'tags: [nots]'], 'nots'],
    ['operation-permission', ['      x-permission: public\n', ''], 'get:'],
    ['operation-permission', ['developer: own', 'developer: mine'], 'mine'],
    [
      'operation-deprecation',
      ['      x-permission: public\n', '      deprecated: true\n      x-permission: public\n'],
      'get:',
    ],
    ['response-exact-status', ["'204'", 'default'], 'default'],
    [
      'local-references',
      [
        '{ type: array, items: { type: string } }\n      additional',
        "{}\n      anyOf: [{ $ref: '#/components/schemas/Note' }]\n      additional",
      ],
      'Note:',
    ],
  ];
  for (const [rule, [from, to], where] of broken) {
    const text = openapi.replace(from, to).replace('name: note_id', to === '/{note-id}' ? 'name: note-id' : '$&');
    const found = (await checkOpenApi(openApiOf(text))).map(
      (problem) => `${problem.rule} ${problem.line}:${problem.column}`,
    );
    t.ok(found.includes(`${rule} ${place(text, where)}`), `${rule} at ${where}`, { found });
  }
  t.same(await checkOpenApi(openApiOf(openapi)), []);

  const places = (text: string) =>
    checkSchema(sdlOf(text)).map(({ rule, line, column }) => `${rule} ${line}:${column}`);
  t.same(places(schema.replace('name: String!', 'name: }')), ['syntax 7:9']);
  const bare = schema.replace(/ @permission\(action: "users.read".*/, '');
  t.same(places(bare), [`permission ${place(bare, 'user(')}`]);
  const misnamed = schema.replace('action: "users.read"', 'act: 1');
  t.same(places(misnamed), [`schema ${place(misnamed, 'act: 1')}`, `schema ${place(misnamed, '@permission(act: 1')}`]);
  t.same(places(schema), []);

  const prisma = 'model User {\n  id Nope\n}\n';
  const output = 'error: Type "Nope" is neither a built-in type, nor a model.\n  -->  prisma/schema.prisma:2\n   | \n';
  t.match(problemsIn(output, prismaOf(prisma)), [
    { file: 'prisma/schema.prisma', line: 2, column: 6, frame: '|      ^^^^' },
  ]);
});

t.test('a contradiction is reported with both places', async (t) => {
  const updateAlso = schema.replace('deleteUser(', 'putNote(text: String): User $permission\n  deleteUser(');
  const sdl = (permission: string) =>
    updateAlso.replace('$permission', `@permission(action: "notes.update", ${permission})`);
  const agreed = sdl('viewer: NONE, developer: OWN, admin: ANY');
  t.same(await check(contractsOf({ openapi, schema: agreed })), []);

  const problemsOf = async (texts: { openapi?: string; schema?: string }) =>
    (await check(contractsOf({ openapi, schema: agreed, ...texts }))).map(
      ({ file, line, column, rule, message }) => `${file}:${line}:${column} ${rule}: ${message}`,
    );
  const other = sdl('viewer: NONE, developer: ANY, admin: ANY');
  t.same(await problemsOf({ schema: other }), [
    `schema.graphql:${place(other, 'ANY, admin: ANY)\n  deleteUser')} permission: Mutation.putNote gives developer "any" in notes.update, and putNote gives "own" (openapi.yaml:${place(openapi, 'own, admin')}).`,
  ]);

  const further = 'x-permission-also: [{ action: users.read, viewer: none, developer: any, admin: any, when: old }]';
  const within = openapi.replace('      x-permission: { action: notes.update', `      ${further}\n$&`);
  const user = 'Query.user gives viewer "any" in users.read, and putNote gives "none"';
  t.same(await problemsOf({ openapi: within }), [
    `schema.graphql:${place(agreed, 'ANY, developer: ANY, admin: ANY)\n}')} permission: ${user} (openapi.yaml:${place(within, 'none, developer: any')}).`,
  ]);

  const more = openapi.replace('viewer: none, developer', 'guest: own, viewer: none, developer');
  const guest = `must give guest one of none, own, any; openapi.yaml:${place(more, 'own, viewer')} names this role.`;
  t.same(
    (await problemsOf({ openapi: more })).map((problem) => problem.replace(/^\S+ /, '')),
    ['users.read', 'notes.update', 'users.delete'].map((action) => `permission: Permission "${action}" ${guest}`),
    'a role that only one contract knows',
  );

  const roles = `${agreed}\nenum Role { VIEWER DEVELOPER GUEST }\n`;
  const first = `(openapi.yaml:${place(openapi, '{ action: notes.update')})`;
  t.same(await problemsOf({ schema: roles }), [
    `schema.graphql:${place(roles, 'GUEST')} permission: The enum Role has GUEST, and no permission gives a role of this name anything ${first}.`,
    `schema.graphql:${place(roles, 'VIEWER DEVELOPER GUEST')} permission: The enum Role lacks ADMIN, and permissions name this role ${first}.`,
  ]);
});

t.test('the policy is a readable table with types of its actions and roles', async (t) => {
  const text = generatePolicy(contractsOf({ openapi, schema }).permissions);
  t.match(
    text,
    "\n  'notes.update': { VIEWER: 'none', DEVELOPER: 'own', ADMIN: 'any' },\n  'users.read': { VIEWER: 'any',",
  );
  t.match(text, "export type Role = 'VIEWER' | 'DEVELOPER' | 'ADMIN';");
  t.match(text, "export interface Decisions {\n  putNote: 'owner';\n}", 'one that reaches `own` and `any`');
  const ownOnly = openapi.replace('developer: own, admin: any', 'developer: own, admin: own');
  t.match(generatePolicy(contractsOf({ openapi: ownOnly }).permissions), "  putNote: 'owner' | 'self';\n");
  const four = (text: string) =>
    text.replaceAll(/viewer(: ?\w+!?), developer(: ?\w+!?), admin(: ?\w+!?)/g, 'guest$1, clerk$2, chief$3, owner$3');
  const others = generatePolicy(contractsOf({ openapi: four(openapi), schema: four(schema) }).permissions);
  t.match(others, "'notes.update': { GUEST: 'none', CLERK: 'own', CHIEF: 'any', OWNER: 'any' },");
});

t.test('an error code has its status and meaning once, and the compiler knows it', async (t) => {
  const withCodes = (list: string, codes: string) =>
    openapi.replace('  schemas:\n', `$&    ErrorCode: { type: string, enum: [${list}], x-codes: { ${codes} } }\n`);
  const taken = 'NOTE_TAKEN: { status: 409, title: Taken, description: "Somebody has it; take another." }';
  const gone = 'GONE: { description: The note was burnt. }';
  const sound = withCodes('NOT_FOUND, NOTE_TAKEN, GONE', `${taken}, ${gone}`);
  t.same(await checkOpenApi(openApiOf(sound)), []);

  const broken: [list: string, codes: string, message: string, where: string][] = [
    [
      'NOTE_TAKEN',
      '',
      'The error code NOTE_TAKEN has no status, title and description: add them to x-codes.',
      'NOTE_TAKEN]',
    ],
    ['GONE', taken, 'The error code NOTE_TAKEN is not among the values of ErrorCode.', 'NOTE_TAKEN: {'],
    ['NOTE_TAKEN', taken.replace('409', '200'), 'NOTE_TAKEN needs a status from 400 to 599.', 'NOTE_TAKEN: {'],
    ['NOTE_TAKEN', taken.replace('title: Taken, ', ''), 'The error code NOTE_TAKEN needs a title.', 'NOTE_TAKEN: {'],
    [
      'GONE',
      gone.replace('description', 'status: 404, description'),
      'The platform defines the status of GONE',
      'GONE: {',
    ],
  ];
  for (const [list, codes, message, where] of broken) {
    const text = withCodes(list, codes);
    const [found, ...others] = await checkOpenApi(openApiOf(text));
    t.match(found, { rule: 'error-codes', message: new RegExp(`${message.replaceAll('.', '\\.')}`) }, message);
    t.equal(`${found?.line}:${found?.column}`, place(text, where));
    t.same(others, []);
  }

  const codes = readCodes(openApiOf(sound).document);
  t.same(Object.keys(codes).slice(0, 3), ['NOT_FOUND', 'NOTE_TAKEN', 'GONE'], 'in the order of the contract');
  t.same(codes['GONE'], { status: 410, title: 'Gone', description: 'The note was burnt.' });
  const text = generateErrors(codes);
  t.match(
    text,
    "\n  NOTE_TAKEN: {\n    status: 409,\n    title: 'Taken',\n    description: 'Somebody has it; take another.',",
  );
  const mistyped = "export const one = new Failure('NOTE_TOKEN', 'It is taken.');";
  const typed = `import { errors } from './errors.js';
import { failuresOf } from '../src/failures.js';
class Failure extends failuresOf(errors) {}
`;
  const found = compile({
    'generated/errors.ts': text,
    'src/failures.ts': `export declare const failuresOf: <Codes>(codes: Codes) => new (code: keyof Codes & string, message: string) => Error;`,
    'generated/typed.ts': `${typed}${mistyped.replace('NOTE_TOKEN', 'NOTE_TAKEN')}`,
    'generated/mistyped.ts': `${typed}${mistyped}`,
  });
  t.same(found['generated/typed.ts'], []);
  t.match(found['generated/mistyped.ts']?.join(), /'"NOTE_TOKEN"' is not assignable/);
});

const POLICY = generatePolicy(contractsOf({ openapi, schema }).permissions);
const ROUTES = `import { create, list, notWritten, record } from '@accord-api/platform';
import { Ownerless, Post, User } from '../src/application/models.js';
import { route } from '../src/application/routes.js';
`;
const notes = (...handlers: string[]) =>
  `${ROUTES}import * as Contract from '../generated/operations.js';
export const notes = Contract.notesHandlers({\n${handlers.join('')}});\n`;
const getNote = `getNote: async ({ path }) =>
  path.note_id > 1 ? { status: 404, body: { status: 404 } } : { status: 200, headers: { etag: '"1"' }, body: { text: 'a' } },\n`;
/** Returns a route for `putNote`. */
const put = (parts: string, target = "record(Post, 'note_id')") => `putNote: route({ target: ${target}, ${parts} }),\n`;
const handled = `handler: async ({ body, headers }) =>
  headers['if-match'] ? { status: 204 } : { status: 201, headers: { location: body.text } }`;
const replied = `reply: ({ title }, { headers }) =>
  headers['if-match'] ? { status: 204 } : { status: 201, headers: { location: title } }`;
const putNote = put(handled);
/** Returns a route whose handler returns a promise. */
const promised = (handler: string) =>
  handler.replace('async ({ path })', '({ path })').replace('=>\n  ', '=>\n  Promise.resolve(').replace(/,\n$/, '),\n');
const isNot = (what: string) =>
  new RegExp(`TS2322.*is not assignable to type '"'${what}' is not in openapi\\.yaml"'`, 's');
const user = `import type { UserResolvers } from '../generated/graphql.js';\n`;
const root2 = `${ROUTES}import type { Resolvers } from '../generated/graphql.js';\n`;
const query = "user: route({ target: record(User, 'id') })";
const mutation = "deleteUser: route({ target: record(User, 'id'), reply: () => ({ success: true }) })";

/** A schema with a union and an interface, whose types have models. */
const withAbstract = schema.replace('  name: String!', '  initials: String!\n$&').replace(
  'type Query {',
  `union Result = User | Deletion
interface Titled { title: String! }
type Book implements Titled { title: String! }
type Query {`,
);
const abstract = `Result: { __resolveType: (value) => ('success' in value ? 'Deletion' : 'User') }, Titled: { __resolveType: () => 'Book' }`;

/** Files that compile, and files that do not, with the compiler's message. */
const fixtures: Record<string, { text: string; says?: RegExp }> = {
  right: { text: notes(getNote, putNote) },
  'right-promised': { text: notes(promised(getNote), putNote) },
  wired: {
    text: `import type { Handlers } from '../generated/operations.js';
import { notes } from './right.js';
export const handlers: Handlers = { notes };\n`,
  },
  'missing-tag': {
    text: `import type { Handlers } from '../generated/operations.js';\nexport const handlers: Handlers = {};\n`,
    says: /TS2741: Property 'notes' is missing in type '{}' but required in type 'Handlers'/,
  },
  // The error is at the handler.
  missing: {
    text: notes(getNote),
    says: /TS2345.*Property 'putNote' is missing in type .* required in type 'NotesHandlers'/s,
  },
  misnamed: {
    text: notes(getNote, putNote.replace('putNote', 'putNot')),
    says: /'putNot' does not exist in type 'NotesHandlers .*Did you mean to write 'putNote'/,
  },
  surplus: {
    text: notes(getNote, putNote, `getNotes: async () => ({ status: 204 }),\n`),
    says: /is not assignable to type '"'getNotes' is not an operationId of this tag in openapi\.yaml"'/,
  },
  'undeclared-status': {
    text: notes(getNote, put('handler: async () => ({ status: 202 })')),
    says: /TS2322.*Type '202' is not assignable to type '20[14]'/s,
  },
  replied: { text: notes(getNote, put(replied)) },
  'handled-and-replied': {
    text: notes(
      getNote,
      put('handler: async ({ body }) => body.text, reply: (location) => ({ status: 201, headers: { location } })'),
    ),
  },
  'handled-without-parameters': { text: notes(getNote, put('handler: async () => ({ status: 204 })')) },
  'not-written': { text: notes(getNote, 'putNote: notWritten,\n') },
  'undeclared-status-in-a-reply': {
    text: notes(getNote, put('reply: () => ({ status: 202 })')),
    says: /TS2322.*Type '202' is not assignable to type '20[14]'/s,
  },
  'surplus-body-in-a-reply': {
    text: notes(getNote, put(replied.replace('{ status: 204 }', '{ status: 204, body: {} }'))),
    says: isNot('reply.body'),
  },
  'undeclared-header-in-a-reply': {
    text: notes(getNote, put(replied.replace('location:', "'x-note': 'a', location:"))),
    says: isNot('reply.headers.x-note'),
  },
  'no-reply-at-all': {
    text: notes(getNote, 'putNote: route({ target: record(Post, "note_id") }),\n'),
    says: /TS2322.*Type 'Row<"Post">' is not assignable to type 'PutNoteReply'/s,
  },
  'reply-of-another-value': {
    text: notes(
      getNote,
      put('handler: async () => 1, reply: (text: string) => ({ status: 201, headers: { location: text } })'),
    ),
    says: /Types of parameters 'text' and 'result' are incompatible.\s+Type 'number' is not assignable to type 'string'/,
  },
  'function-for-a-route': {
    text: notes(getNote, `putNote: async () => ({ status: 204 }),\n`),
    says: /TS2322: Type '\(\) => Promise<.*>' is not assignable to type 'PutNote'\./,
  },
  'undecided-list': {
    text: notes(getNote, put('reply: () => ({ status: 204 })', 'list(Ownerless)')),
    says: /TS2322.*Type '"nothing"' is not assignable to type '"owner"'/s,
  },
  'undecided-record': {
    text: notes(getNote, put(replied, "record(Ownerless, 'note_id')")),
    says: /TS2322.*Type '"nothing"' is not assignable to type '"owner"'/s,
  },
  'undecided-create': {
    text: notes(getNote, put(handled, 'create(Post)')),
    says: /TS2322.*Type '"self"' is not assignable to type '"owner"'/s,
  },
  "another-reply's-header": {
    text: notes(getNote.replace('etag:', "location: '/', etag:"), putNote),
    says: /TS2322.*Types of property 'location' are incompatible/s,
  },
  'undeclared-header': {
    text: notes(getNote.replace('etag:', "'x-note': 'a', etag:"), putNote),
    says: isNot('reply.headers.x-note'),
  },
  'undeclared-header-promised': {
    text: notes(promised(getNote.replace('etag:', "'x-note': 'a', etag:")), putNote),
    says: isNot('reply.headers.x-note'),
  },
  'surplus-member': {
    text: notes(getNote.replace("text: 'a'", "text: 'a', surplus: 1"), putNote),
    says: isNot('reply.body.surplus'),
  },
  'surplus-member-promised': {
    text: notes(promised(getNote.replace("text: 'a'", "text: 'a', surplus: 1")), putNote),
    says: isNot('reply.body.surplus'),
  },
  'surplus-member-within': {
    text: notes(getNote.replace("text: 'a'", "text: 'a', parts: [{ text: 'b', surplus: 1 }]"), putNote),
    says: isNot('reply.body.parts\\[\\].surplus'),
  },
  'surplus-member-of-a-value': {
    text: `const stored = { text: 'a', secret: 'b' };\n${notes(getNote.replace("{ text: 'a' }", 'stored'), putNote)}`,
    says: isNot('reply.body.secret'),
  },
  'surplus-body': {
    text: notes(getNote, putNote.replace('{ status: 204 }', '{ status: 204, body: {} }')),
    says: isNot('reply.body'),
  },
  'open-member': {
    text: notes(getNote.replace("text: 'a'", "text: 'a', labels: { any: 'one' }"), putNote),
  },
  'missing-header': {
    text: notes(getNote, put('handler: async () => ({ status: 201, headers: {} })')),
    says: /Property 'location' is missing/,
  },
  'automatic-header': {
    text: `import type { GetNoteReply } from '../generated/operations.js';
export const reply: GetNoteReply = { status: 200, headers: { etag: '', 'x-rate-limit-limit': 1 }, body: { text: '' } };\n`,
    says: /TS2353.*'x-rate-limit-limit'' does not exist in type 'Only<\{ etag: string; \}>'/s,
  },
  'wrong-body': {
    text: notes(getNote.replace("text: 'a'", 'text: 1'), putNote),
    says: /Type 'number' is not assignable to type 'string'/,
  },
  'undeclared-parameter': {
    text: notes(getNote, put('handler: async ({ query }) => ({ status: 204 })')),
    says: /TS2339.*Property 'query' does not exist on type 'PutNoteRequest'/s,
  },
  'right-resolvers': {
    text: `${root2}export const resolvers: Resolvers = {
  Query: { ${query} },
  Mutation: { ${mutation} },
  User: { initials: ({ name }) => name.slice(0, 2) },
  ${abstract},
};\n`,
  },
  'forgotten-union': {
    text: `${root2}export const resolvers: Omit<Resolvers, 'Query' | 'Mutation' | 'User' | 'Titled'> = {};\n`,
    says: /TS2741: Property 'Result' is missing/,
  },
  'forgotten-interface': {
    text: `${root2}export const resolvers: Omit<Resolvers, 'Query' | 'Mutation' | 'User' | 'Result'> = {};\n`,
    says: /TS2741: Property 'Titled' is missing/,
  },
  'untold-type': {
    text: `import type { ResultResolvers } from '../generated/graphql.js';\nexport const Result: ResultResolvers = {};\n`,
    says: /Property '__resolveType' is missing in type/,
  },
  'wrong-type': {
    text: `import type { TitledResolvers } from '../generated/graphql.js';\nexport const Titled: TitledResolvers = { __resolveType: () => 'User' };\n`,
    says: /Type '"User"' is not assignable to type .*"Book"/s,
  },
  'forgotten-resolver': {
    text: `${user}export const User: UserResolvers = { name: ({ name }) => name };\n`,
    says: /TS2322.*is not assignable to type 'UserResolvers'.*Property 'initials' is missing/s,
  },
  'forgotten-type': {
    text: `${root2}export const resolvers: Resolvers = { Query: { ${query} }, User: { initials: () => '' }, ${abstract} };\n`,
    says: /TS2741: Property 'Mutation' is missing in type .* but required in type 'Resolvers'/,
  },
  'mistyped-resolver': {
    text: `${user}export const User: UserResolvers = { initials: ({ createdAt }) => createdAt };\n`,
    says: /TS2322.*Type 'Date' is not assignable to type/s,
  },
  'surplus-resolver': {
    text: `${user}export const User: UserResolvers = { initials: () => '', fullName: () => '' };\n`,
    says: /TS2353.*'fullName' does not exist in type 'ResolversOf<"User">'/s,
  },
};

t.test('handlers and resolvers compile only if they match the contracts', async (t) => {
  // One schema is recursive, and one is open.
  const more = `parts: { type: array, items: { $ref: '#/components/schemas/Note' } }
        labels: { type: object, additionalProperties: { type: string } }
        tags: {`;
  const rest = openApiOf(openapi.replace('tags: {', more));
  const generated = {
    'generated/openapi.ts': await openApiTypes(rest),
    'generated/operations.ts': generateOperations(rest),
    'generated/policy.ts': POLICY,
    'generated/graphql.ts': await generateResolvers(sdlOf(withAbstract), codegen),
  };
  const written = Object.entries(fixtures).map(([name, { text }]) => [`handlers/${name}.ts`, text]);
  const errors = compile({ ...generated, ...sources, ...Object.fromEntries(written) });
  for (const name of Object.keys(generated)) t.same(errors[name], [], `${name} is sound`);
  for (const [name, { says }] of Object.entries(fixtures)) {
    const found = errors[`handlers/${name}.ts`] ?? [];
    if (says === undefined) t.same(found, [], `${name} compiles`);
    else t.match(found.join('\n'), says, `${name} does not compile`);
  }
  t.equal(generateOperations(rest), generated['generated/operations.ts'], 'the same each time');
});

t.test('operations and fields of parts need no handler of the application, and the others do', async (t) => {
  const rest = openApiOf(
    openapi.replaceAll('getNote', 'getLiveness').replace('tags:', 'x-parts: [core, identity, observability]\ntags:'),
    undefined,
    filesIn(ROOT),
  );
  const sdl = withAbstract.replace(
    'type Query {',
    '$&\n  me: User @permission(action: "users.read", viewer: ANY, developer: ANY, admin: ANY)',
  );
  const contracts = contractsOf({ openapi: rest.text, schema: sdl }, undefined, filesIn(ROOT));
  const live = getNote.replace('getNote', 'getLiveness');
  const resolvers = (fields: string) =>
    `${root2}export const resolvers: Resolvers = { Query: { ${fields} }, Mutation: { ${mutation} }, User: { initials: () => '' }, ${abstract} };\n`;
  const { says } = fixtures['missing'] ?? {};
  const cases: Record<string, { text: string; says?: RegExp | undefined }> = {
    answered: { text: notes(putNote) },
    replaced: { text: notes(live, putNote) },
    'replaced-wrongly': { text: notes(live.replace('status: 200', 'status: 299'), putNote), says: /299/ },
    'not-of-a-part': { text: notes(live), says },
    fields: { text: resolvers(query) },
    'own-field': { text: resolvers(`${query}, me: route({ target: record(User, 'id') })`) },
    'field-not-of-a-part': { text: resolvers(''), says: /Property 'user' is missing/ },
  };
  const files = Object.entries(cases).map(([name, { text }]) => [`handlers/${name}.ts`, text]);
  const errors = compile({
    'generated/openapi.ts': await openApiTypes(rest),
    'generated/operations.ts': generateOperations(rest),
    'generated/policy.ts': generatePolicy(contracts.permissions, platformOperations(rest.document)),
    'generated/graphql.ts': await generateResolvers(sdlOf(sdl), codegen),
    ...sources,
    ...Object.fromEntries(files),
  });
  for (const [name, { says }] of Object.entries(cases)) {
    const found = (errors[`handlers/${name}.ts`] ?? []).join('\n');
    if (says === undefined) t.equal(found, '', name);
    else t.match(found, says, name);
  }
});

t.test('bodies, recursive schemas, and members next to a reference have types', async (t) => {
  const more = `    Comment:
      type: object
      required: [text]
      properties: { text: { type: string }, replies: { type: array, items: { $ref: '#/components/schemas/Comment' } } }
    Tagged: { $ref: '#/components/schemas/Note', required: [tags], properties: { stars: { type: integer } } }
    Route: { type: string }
    NotWritten: { type: string }
    Decides: { type: string }
    Decisions: { type: string }
    DecisionOf: { type: string }
    Problem:
`;
  const media = "application/json: { schema: { $ref: '#/components/schemas/Note' } }\n      responses";
  const tagged = "{ $ref: '#/components/schemas/Note', required: [tags], properties: { stars: { type: integer } } }";
  const others = `application/json: { schema: ${tagged} }
          text/plain: { schema: { type: string } }
          image/*: {}
      responses`;
  const text = openapi.replace('    Problem:\n', more).replace(media, others);
  t.same(await checkOpenApi(openApiOf(text)), []);
  const generated = {
    'generated/openapi.ts': await openApiTypes(openApiOf(text)),
    'generated/operations.ts': generateOperations(openApiOf(text)),
    'generated/policy.ts': POLICY,
  };
  const use = (body: string) =>
    `import type { Comment, PutNoteRequest, Tagged } from '../generated/operations.js';\n${body}\n`;
  const put = (body: string) => use(`export const used = ({ body, mediaType }: PutNoteRequest) => { ${body}; };`);
  const errors = compile({
    ...generated,
    ...sources,
    'handlers/tree.ts': use("export const tree: Comment = { text: 'a', replies: [{ text: 'b', replies: [] }] };"),
    'handlers/no-tree.ts': use("export const tree: Comment = { text: 'a', replies: [{ text: 1 }] };"),
    'handlers/tagged.ts': use("export const one: Tagged = { text: 'a', tags: ['b'], stars: 1 };"),
    'handlers/untagged.ts': use("export const one: Tagged = { text: 'a', stars: 1 };"),
    'handlers/bodies.ts': put(
      "if (typeof body === 'string') body.trim(); else if ('pipe' in body) body.pipe(process.stdout); else body.tags.join(String(body.stars)); mediaType.trim()",
    ),
    'handlers/no-bodies.ts': put('body.tags.join()'),
  });
  for (const name of Object.keys(generated)) t.same(errors[name], [], `${name} is sound`);
  for (const name of ['tree', 'tagged', 'bodies']) t.same(errors[`handlers/${name}.ts`], [], name);
  t.match(errors['handlers/no-tree.ts']?.join(), /Type 'number' is not assignable to type 'string'/);
  t.match(errors['handlers/untagged.ts']?.join(), /Property 'tags' is missing/);
  t.match(errors['handlers/no-bodies.ts']?.join(), /Property 'tags' does not exist on type 'string'/);
});

t.test('parameters have the types of their parsed values', async (t) => {
  const more = `      parameters:
        - { name: deep, in: query, schema: { type: boolean } }
        - { name: sizes, in: query, required: true, explode: false, schema: { type: array, items: { enum: [1, 2] } } }
        - { name: place, in: query, content: { application/json: { schema: { type: object, properties: { at: { type: integer } } } } } }
        - { name: seen, in: cookie, schema: { type: [boolean, 'null'] } }
`;
  const text = openapi.replace('      operationId: getNote\n', `$&${more}`);
  const generated = {
    'generated/openapi.ts': await openApiTypes(openApiOf(text)),
    'generated/operations.ts': generateOperations(openApiOf(text)),
    'generated/policy.ts': POLICY,
  };
  const use = (body: string) =>
    `import type { GetNote } from '../generated/operations.js';\nexport const used = ({ query, cookies }: Parameters<GetNote>[0]) => { ${body} };\n`;
  const errors = compile({
    ...generated,
    ...sources,
    'handlers/read.ts': use(
      'const a: boolean | undefined = query.deep; const b: (1 | 2)[] = query.sizes; const d: number | undefined = query.place?.at; const e: boolean | null | undefined = cookies.seen; return [a, b, d, e];',
    ),
    'handlers/misread.ts': use('return query.sizes.trim();'),
  });
  t.same(errors['generated/operations.ts'], []);
  t.same(errors['handlers/read.ts'], []);
  t.match(errors['handlers/misread.ts']?.join(), /Property 'trim' does not exist/);
});

const byThemselves = 'the tools by themselves do the same: graphql-codegen, and Prisma without a binary';
t.test(byThemselves, { skip: skipUnlessWhole }, async (t) => {
  const copy = copyProject(t, { 'generated/graphql.ts': () => '' });
  const tool = (...command: [string, ...string[]]) => run(t, ['npx', ...command], { NO_COLOR: '1' }, copy).ended;
  t.equal((await tool('graphql-codegen')).code, 0);
  const made = readFileSync(join(copy, 'generated/graphql.ts'), 'utf8');
  t.equal(made, readFileSync(join(ROOT, 'generated/graphql.ts'), 'utf8'), 'codegen.ts says all of it');
  const { code, stdout } = await tool('prisma', 'validate');
  t.match([code, stdout], [0, 'The schema at prisma/schema.prisma is valid']);
});

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Kind } from 'graphql';
import t from 'tap';
import { Project } from 'ts-morph';
import { Failure, notWritten } from '../../src/platform/core/calls/errors.js';
import { operations } from '../../src/platform/core/contract/openapi.js';
import { editCode, scaffold } from '../../src/workbench/cli/scaffold.js';
import { contractsOf } from '../../src/workbench/model/contracts.js';
import { openApiOf } from '../../src/workbench/model/openapi-source.js';
import { sdlOf } from '../../src/workbench/model/sdl-source.js';
import { MANIPULATION_SETTINGS } from '../../src/workbench/scaffold/source-edits.js';
import { fieldComment, operationComment, typesOf } from '../../src/workbench/scaffold/stubs.js';
import { accord } from '../support/accord.js';
import { blocks, section } from '../support/documentation.js';
import { ask, basic, run, startServer } from '../support/process.js';
import { copyProject, errorsIn } from '../support/project-copy.js';
import { skipUnlessWhole } from '../support/servers.js';
import '../support/typescript.js';
import { openapi, schema } from '../support/small-project.js';

const targetComment = (target: string) => `// route({ target: ${target}, handler: … })`;
const stubOf = (target: string) => `deleteNote: notWritten, ${targetComment(target)}`;
const DELETE = stubOf("removal(Note, 'note_id')");
const ERRORS = `import { notWritten } from '@accord-api/platform';\n`;
const USER = `import type { UserResolvers } from '../../../generated/graphql.js';

export const User: UserResolvers = {
  // as text
  createdAt: ({ createdAt }) => createdAt.toISOString(), // ISO 8601
};
`;
const NOTES = `// Notes, and nothing else.
import * as Contract from '../../../generated/operations.js';

export const notes = Contract.notesHandlers({
  /** Reads one. */
  getNote: async () => ({ status: 200, body: { text: 'a' } }), // enough

  // Writes one.
  putNote: async ({ body }) => {
    const text: Contract.PutNoteRequestBody = body;
    // \`
    const lines = \`
two spaces stay
  \${text}\`;
    return { status: 201, headers: { location: lines } };
  },
});

const helper = () => notes;
`;
/** The complete code of the small project. */
const CODE: Record<string, string> = {
  'src/application/rest/handlers.ts': `import { notes } from './notes.js';

export const handlers: Handlers = { notes };
`,
  'src/application/rest/notes.ts': NOTES,
  'src/application/rest/paging.ts': 'export const page = 1;\n',
  'src/application/graphql/resolvers.ts': `import { Mutation } from './Mutation.js';
import { Query } from './Query.js';
import { User } from './User.js';

export const resolvers: Resolvers = { Query, Mutation, User };
`,
  'src/application/graphql/User.ts': USER,
  'src/application/graphql/Query.ts': 'export const Query: QueryRoutes = { user: () => null };\n',
  'src/application/graphql/Mutation.ts': 'export const Mutation: MutationRoutes = {\n  deleteUser: () => null,\n};\n',
  'src/application/graphql/page.ts': 'export const page = 1;\n',
};

interface Edit {
  openapi?: string;
  schema?: string;
  code?: Record<string, string>;
  /** Further fields that need a resolver. */
  required?: Record<string, string[]>;
}

const REQUIRED = { Query: ['user'], Mutation: ['deleteUser'], User: ['createdAt'] };

/** Returns the changed files of the small project after an edit. */
function edit({ openapi: text = openapi, schema: sdl = schema, code = {}, required = {} }: Edit) {
  const before = { ...CODE, ...code };
  const project = new Project({
    useInMemoryFileSystem: true,
    skipLoadingLibFiles: true,
    manipulationSettings: MANIPULATION_SETTINGS,
  });
  for (const [path, content] of Object.entries(before)) project.createSourceFile(`/${path}`, content).saveSync();
  const old = operations(openApiOf(openapi).document);
  const types = typesOf(sdlOf(sdl));
  const demanded = Object.entries({ ...REQUIRED, ...required }).map(([type, fields]): [string, Set<string>] => [
    type,
    new Set(fields.filter((field) => types.get(type)?.has(field))),
  ]);
  const { changes, left } = editCode(project, '/', contractsOf({ openapi: text, schema: sdl }), {
    before: Object.fromEntries(old.map((operation) => [operation.operationId, operation])),
    required: new Map(demanded),
  });
  const after = project
    .getSourceFiles()
    .map((file): [string, string] => [file.getFilePath().slice(1), file.getFullText()]);
  return {
    reported: changes.map(({ kind, file, name }) => `${kind} ${name} in ${file}`),
    left: left.map(({ file, name, reason }) => `${name} in ${file}: ${reason}`),
    files: Object.fromEntries(after.filter(([path, content]) => before[path] !== content)),
  };
}

const OPERATION = `    delete:
      operationId: deleteNote
      tags: [notes]
      security: [{ basic: [] }]
      x-permission: { action: notes.delete, viewer: none, developer: own, admin: any }
      responses:
        '204': { description: Deleted. }
components:`;
const withDelete = openapi.replace('components:', OPERATION);
const without = (text: string, from: string, to: string) =>
  text.slice(0, text.indexOf(from)) + text.slice(text.indexOf(to));
const withoutPut = without(openapi, '    put:\n', 'components:');

t.test('the marker answers 501', async (t) => {
  await t.rejects(
    notWritten(),
    new Failure('NOT_IMPLEMENTED', 'This operation is in the contract and is not built yet.'),
  );
});

t.test('complete code does not change', async (t) => {
  t.same(edit({}), { reported: [], left: [], files: {} });
});

t.test('a new operation gets a stub in the order of the contract', async (t) => {
  const last = edit({ openapi: withDelete });
  t.same(last.reported, ['added deleteNote in src/application/rest/notes.ts']);
  t.same(Object.keys(last.files), ['src/application/rest/notes.ts']);
  const expected = NOTES.replace("operations.js';\n", (text) => text + ERRORS).replace(
    '\n  },\n});',
    `\n  },\n\n  ${DELETE}\n});`,
  );
  t.equal(last.files['src/application/rest/notes.ts'], expected);

  const operation = OPERATION.replace('\ncomponents:', '');
  const between = edit({ openapi: openapi.replace('    get:\n', `${operation.replace('delete', 'head')}\n$&`) });
  t.match(
    between.files['src/application/rest/notes.ts'],
    `// enough\n\n  ${stubOf("record(Note, 'note_id')")}\n\n  // Writes one.`,
  );
  const first = edit({ openapi: openapi.replace('paths:\n', `$&  /notes:\n${operation}\n`) });
  t.match(
    first.files['src/application/rest/notes.ts'],
    `Handlers({\n  ${stubOf('caller(User)')}\n\n  /** Reads one. */`,
  );

  const again = edit({ openapi: withDelete, code: last.files });
  t.same([again.reported, again.files], [[], {}], 'a second run changes nothing');
});

t.test('the comment behind a stub names the target that the contract suggests', async (t) => {
  const requests: [request: string, target: string][] = [
    ['GET /notes', 'list(Note)'],
    ['GET /users/{user_id}/notes', "list(Note, { of: record(User, 'user_id') })"],
    ['GET /notes/{id}', "record(Note, 'id')"],
    ['GET /users/{user_id}/notes/{note_id}', "record(Note, 'note_id', { of: record(User, 'user_id') })"],
    ['POST /notes', 'create(Note)'],
    ['POST /users/{user_id}/entries', "create(Entry, { of: record(User, 'user_id') })"],
    ['POST /notes/{note_id}/print', "record(Note, 'note_id')"],
    ['PATCH /pages/{pageId}', "record(Page, 'pageId')"],
    ['DELETE /order-lines/{id}', "removal(OrderLine, 'id')"],
  ];
  for (const [request, target] of requests) {
    const [method = '', path = ''] = request.split(' ');
    const status = method === 'POST' && !path.endsWith('print') ? 201 : 200;
    const one = openapi.replace(
      'paths:\n',
      `paths:\n  ${path}: { ${method.toLowerCase()}: { operationId: added, tags: [notes], x-permission: public, responses: { '${status}': {} } } }\n`,
    );
    const [operation] = operations(openApiOf(one).document);
    t.equal(operation && operationComment(operation), targetComment(target), request);
  }
  const fields: [root: string, field: string, target: string][] = [
    ['Query', 'notes: [Note!]!', 'list(Note)'],
    ['Query', 'notes(userId: ID!): [Note!]!', "list(Note, { of: record(User, 'userId') })"],
    ['Query', 'notesConnection: NoteConnection!', 'connection(Note)'],
    ['Query', 'note(id: ID!): Note', "record(Note, 'id')"],
    ['Query', 'me: User', 'caller(User)'],
    ['Mutation', 'addNote(userId: ID!): Note', "create(Note, { on: record(User, 'userId') })"],
    ['Mutation', 'renameNote(id: ID!, name: String!): Note', "record(Note, 'id')"],
    ['Mutation', 'deleteNote(id: ID!): Deletion', "removal(Note, 'id')"],
    ['Subscription', 'noteAdded: Note', 'stream(Note)'],
  ];
  for (const [root, field, target] of fields) {
    const [definition] = sdlOf(`type ${root} { ${field} }`).document.definitions;
    const [node] = (definition?.kind === Kind.OBJECT_TYPE_DEFINITION && definition.fields) || [];
    t.equal(node && fieldComment(root, node), targetComment(target), field);
  }
});

t.test('a new tag gets its file and its registration, and replaces no other file', async (t) => {
  const tagged = (tag: string) =>
    withDelete.replace(
      'tags: [notes]\n      security: [{ basic: [] }]\n      x-permission: { action: notes.delete',
      `tags: [${tag}]\n      security: [{ basic: [] }]\n      x-permission: { action: notes.delete`,
    );
  const { reported, files } = edit({ openapi: tagged('trash') });
  t.same(reported.slice(0, 2), [
    'added deleteNote in src/application/rest/trash.ts',
    'registered trash in src/application/rest/handlers.ts',
  ]);
  t.equal(
    files['src/application/rest/trash.ts'],
    `import * as Contract from '../../../generated/operations.js';\n${ERRORS}
export const trash = Contract.trashHandlers({\n  ${DELETE}
});
`,
  );
  t.match(
    files['src/application/rest/handlers.ts'],
    /import { trash } from '.\/trash.js';\n\n.*= { notes,\n {2}trash,\n };/,
  );
  t.throws(() => edit({ openapi: tagged('paging') }), {
    name: 'Unable',
    message: /The tag paging needs the file src\/application\/rest\/paging\.ts, which has other content/,
  });
  t.throws(() => edit({ openapi: tagged('Notes') }), {
    name: 'Unable',
    message: /Notes\.ts and notes\.ts differ in case only/,
  });
});

t.test('the code of a removed operation is reported, and stays', async (t) => {
  t.same(edit({ openapi: withoutPut }), {
    reported: [],
    left: ['putNote in src/application/rest/notes.ts: openapi.yaml no longer has it.'],
    files: {},
  });
  const stubbed = edit({ openapi: withDelete }).files;
  const { left } = edit({
    code: { 'src/application/rest/notes.ts': stubbed['src/application/rest/notes.ts'] ?? '' },
  });
  t.same(left, ['deleteNote in src/application/rest/notes.ts: openapi.yaml no longer has it.'], 'a stub too');
});

t.test('the import of the marker goes with the last stub', async (t) => {
  const code = { 'src/application/rest/notes.ts': NOTES.replace("operations.js';\n", (text) => text + ERRORS) };
  const { reported, files } = edit({ code });
  t.same(reported, ['dropped notWritten in src/application/rest/notes.ts']);
  t.equal(files['src/application/rest/notes.ts'], NOTES);
});

t.test('another operationId for the same request is reported', async (t) => {
  const { reported, left } = edit({ openapi: openapi.replace('putNote', 'writeNote').replaceAll('note_id', 'id') });
  t.same(reported, ['added writeNote in src/application/rest/notes.ts']);
  t.same(left, [
    'putNote in src/application/rest/notes.ts: openapi.yaml no longer has it, and has its request as writeNote.',
  ]);
});

t.test('an operation under another tag is reported', async (t) => {
  const text = openapi
    .replace('tags:\n', 'tags:\n  - { name: drafts }\n')
    .replace(/(operationId: \w+Note\n {6}tags: )\[notes\]\n {6}security: \[{/, '$1[drafts]\n      security: [{');
  const { reported, left, files } = edit({ openapi: text });
  t.same(reported, [
    'added putNote in src/application/rest/drafts.ts',
    'registered drafts in src/application/rest/handlers.ts',
  ]);
  t.same(left, ['putNote in src/application/rest/notes.ts: openapi.yaml has it under the tag drafts.']);
  const again = edit({ openapi: text, code: files });
  t.same([again.reported, again.files], [[], {}], 'a second run changes nothing');
});

t.test('handlers in unexpected places are not duplicated', async (t) => {
  const code = { 'src/application/rest/notes.ts': 'export const getNote = async () => ({ status: 200 });\n' };
  t.throws(() => edit({ code }), {
    name: 'Unable',
    message: /notes\.ts must contain `export const notes = Contract\.notesHandlers\({ … }\)`, with a handler for each/,
  });
});

t.test('a removed tag is reported with its registration', async (t) => {
  const text = openapi
    .replaceAll('tags: [notes]', 'tags: [papers]')
    .replaceAll('getNote', 'getPaper')
    .replaceAll('/notes/', '/papers/')
    .replaceAll('putNote', 'putPaper');
  const { reported, left } = edit({ openapi: text });
  t.same(reported, [
    'added getPaper in src/application/rest/papers.ts',
    'added putPaper in src/application/rest/papers.ts',
    'registered papers in src/application/rest/handlers.ts',
  ]);
  t.same(left, [
    'getNote in src/application/rest/notes.ts: openapi.yaml no longer has it.',
    'putNote in src/application/rest/notes.ts: openapi.yaml no longer has it.',
    'notes in src/application/rest/handlers.ts: The contract has no such tag.',
  ]);
});

t.test('a new field gets its stub on Query, on a type, and on Subscription', async (t) => {
  const everybody = '@permission(action: "users.read", viewer: ANY, developer: ANY, admin: ANY)';
  const sdl = `${schema.replace('user(id: ID!): User', `all: [User!] ${everybody}\n  user(id: ID!): User`).replace('name: String!', 'name: String!\n  age: Int!\n  nick: String')}
type Subscription { userAdded: User ${everybody} }
type Deleted { id: ID! }
`;
  const required = { Query: ['all', 'user'], User: ['createdAt', 'age'], Subscription: ['userAdded'] };
  const { reported, files } = edit({ schema: sdl, required });
  t.same(reported, [
    'added Query.all in src/application/graphql/Query.ts',
    'added User.age in src/application/graphql/User.ts',
    'added Subscription.userAdded in src/application/graphql/Subscription.ts',
    'registered Subscription in src/application/graphql/resolvers.ts',
  ]);
  t.equal(
    files['src/application/graphql/User.ts'],
    USER.replace("graphql.js';\n", (text) => text + ERRORS).replace('{\n', '{\n  age: notWritten,\n'),
  );
  t.equal(
    files['src/application/graphql/Query.ts'],
    `${ERRORS}\nexport const Query: QueryRoutes = {\n  all: notWritten, ${targetComment('list(User)')}\n user: () => null };\n`,
  );
  t.equal(
    files['src/application/graphql/Subscription.ts'],
    `import type { SubscriptionRoutes } from '../../../generated/graphql.js';\n${ERRORS}\nexport const Subscription: SubscriptionRoutes = {\n  userAdded: notWritten, ${targetComment('stream(User)')}\n};
`,
  );
  t.match(
    files['src/application/graphql/resolvers.ts'],
    /import { Subscription } from '.\/Subscription.js';\n\n.*{ Query, Mutation, User,\n {2}Subscription,\n };/,
  );
  const again = edit({ schema: sdl, required, code: files });
  t.same([again.reported, again.files], [[], {}], 'a second run changes nothing');
  const Page = { schema: `${schema}\ntype Page { size: Int! }\n`, required: { Page: ['size'] } };
  t.throws(() => edit(Page), { name: 'Unable', message: /Page\.ts and page\.ts differ in case only/ });
});

t.test('a removed field and a removed type are reported', async (t) => {
  t.same(edit({ schema: schema.replace('  createdAt: String!\n', '') }), {
    reported: [],
    left: ['User.createdAt in src/application/graphql/User.ts: schema.graphql no longer has it.'],
    files: {},
  });
  const sdl = without(schema, 'type Mutation', 'nothing').slice(0, schema.indexOf('type Mutation'));
  t.same(edit({ schema: sdl }).left, [
    'Mutation.deleteUser in src/application/graphql/Mutation.ts: schema.graphql no longer has it.',
    'Mutation in src/application/graphql/resolvers.ts: The contract has no such type.',
  ]);
});

/** Returns the contents of all source files. */
const sourcesOf = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' })
      .map((name) => join('src', name))
      .filter((path) => path.endsWith('.ts'))
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );

/** The code blocks of the walk-through, and its last query. */
const WALK = section('docs/changing-the-contracts.md', 'Walk-through: add an operation');
const [PATH = '', SCHEMAS = ''] = blocks(WALK, 'yaml');
const [PROPOSED = '', HANDLER = '', BELOW = ''] = blocks(WALK, 'ts');
const [, ASKED = ''] = /^curl .* http:\/\/localhost:3000(\S+)$/m.exec(WALK) ?? [];
/** The field in README, and the compiler's message for it. */
const README = section('README.md', 'Make it yours');
const [FIELD = ''] = blocks(README, 'graphql');
const [, RESOLVERS = '', COMPLAINT = ''] = /^(\S+)\(\d.* error TS2741: (.+?) in type …$/m.exec(README) ?? [];
const addOperation = (text: string) =>
  text.replace(/^ {2}# orders -/m, () => `${PATH}\n  # orders -`).replace(/^ {2}schemas:\n/m, (line) => line + SCHEMAS);
/** An interface and a union, whose types need no resolvers. */
const ABSTRACT = `
interface Titled {
  title: String!
}

type Leaflet implements Titled {
  title: String!
}

union Found = Leaflet | DeleteResult

`;
const EDITS = {
  'openapi.yaml': addOperation,
  'schema.graphql': (text: string) =>
    text
      .replace('\ntype User {\n', '\ntype User {\n  postCount: Int!\n  version: Int!\n')
      .replace('\ntype Query {\n', (line) => ABSTRACT + line)
      .replace('\ntype Query {\n', '\ntype Draft {\n  id: ID!\n  heading: String!\n}\n\ntype Query {\n')
      .replace('\ntype Query {\n', (line) => line + FIELD),
  'codegen.ts': (text: string) =>
    text.replace('mappers: {\n', "$&Draft: '../src/application/models.js#Post as DraftModel',\n"),
};

t.test(
  'in this project, stubs compile and answer 501, nothing else changes, and a second run changes nothing',
  { skip: skipUnlessWhole },
  async (t) => {
    const misspelt = (text: string) => text.replace('type User {', 'type User {\n  age: Intt\n');
    const broken = copyProject(t, { 'schema.graphql': misspelt });
    const refusal = run(t, [process.execPath, 'src/platform/server/cli/bin.js', '--root', broken, 'scaffold']).ended;
    const folder = copyProject(t, EDITS);
    const before = sourcesOf(folder);
    const old = readFileSync(join(folder, 'generated/operations.ts'), 'utf8');
    const generated = ['graphql.ts', 'openapi.ts', 'openapi.yaml', 'operations.ts', 'permissions.md'].map(
      (name) => `generated/${name}`,
    );

    const dryRun = await accord(t, ['--root', folder, 'scaffold', '--dry-run', '--json']);
    t.equal(dryRun.code, 1);
    t.same(
      [sourcesOf(folder), readFileSync(join(folder, 'generated/operations.ts'), 'utf8')],
      [before, old],
      'unwritten',
    );

    const first = await scaffold(folder);
    const after = sourcesOf(folder);
    const start = [process.execPath, '--import', 'tsx', join(folder, 'src', 'main.ts')] as const;
    const started = startServer(t, { DATABASE_URL: 'pglite://memory' }, start);
    t.same(JSON.parse(dryRun.stdout), { ...first, next: ['Run `npx accord scaffold`.'] }, 'what was to come');
    t.match(first, { generated });
    const untold = first.pending.filter(({ name }) => name.endsWith('.__resolveType'));
    t.same(
      untold.map(({ file, name, line, column }) => [file, name, line, column]),
      ['Titled', 'Found'].map((type) => [`src/application/graphql/${type}.ts`, `${type}.__resolveType`, 5, 3]),
      'what a value of an interface or union is, somebody has to say',
    );

    const changed = Object.keys(after).filter((path) => after[path] !== before[path]);
    t.same(changed.sort(), [
      'src/application/graphql/Draft.ts',
      'src/application/graphql/Found.ts',
      RESOLVERS,
      'src/application/graphql/Titled.ts',
      'src/application/graphql/User.ts',
      'src/application/graphql/resolvers.ts',
      'src/application/rest/users.ts',
    ]);
    /** Adds the marker to the imports of a file. */
    const withMarker = (path: string) => {
      const text = before[path] ?? '';
      const [written = '', names = ''] = /import \{\s([^}]*?),?\s\} from '@accord-api\/platform';\n/.exec(text) ?? [];
      const all = names.split(/,\s*/).map((name) => name.trim());
      const at = all.findIndex((name) => name.replace('type ', '').localeCompare('notWritten') > 0);
      const sorted = all.toSpliced(at < 0 ? all.length : at, 0, 'notWritten').filter(Boolean);
      const line = `import { ${sorted.join(', ')} } from '@accord-api/platform';\n`;
      const lines = `import {\n${sorted.map((name) => `  ${name},\n`).join('')}} from '@accord-api/platform';\n`;
      return (line.length <= 120 ? line : lines) + text.replace(written, '');
    };
    const stub = `\n${PROPOSED}`;
    const users = withMarker('src/application/rest/users.ts').replace('});\n\nfunction updated', `${stub}$&`);
    t.equal(after['src/application/rest/users.ts'], users);
    const user = `${ERRORS}import type { UserResolvers } from '../../../generated/graphql.js';

export const User: UserResolvers = {\n  postCount: notWritten,\n};\n`;
    t.equal(after['src/application/graphql/User.ts'], user);
    const query = withMarker(RESOLVERS).replace(
      '= {\n',
      `$&  userCount: notWritten, ${targetComment('caller(User)')}\n`,
    );
    t.equal(after[RESOLVERS], query);
    const draft = `${ERRORS}import type { DraftResolvers } from '../../../generated/graphql.js';

export const Draft: DraftResolvers = {\n  heading: notWritten,\n};\n`;
    t.equal(after['src/application/graphql/Draft.ts'], draft);
    t.same(errorsIn(folder, [...changed, 'src/application/rest/handlers.ts']), []);

    const second = await accord(t, ['--root', folder, 'scaffold', '--check']);
    const line = users.slice(0, users.indexOf('listUserPosts')).split('\n').length;
    const step = `1. Fill in src/application/rest/users.ts:${line}:3: listUserPosts (GET /api/v1/users/{user_id}/posts) answers 501.`;
    t.equal(second.code, 0, 'there is nothing left to write');
    t.match(second.stdout, step);
    t.notMatch(second.stdout, 'added');

    await t.test('REST and GraphQL answer 501 for stubs', async (t) => {
      const server = await started;
      const headers = {
        ...basic('ada@demo.accord.example', 'correct horse battery'),
        'content-type': 'application/json',
      };
      const rest = await ask(`${server.url}${ASKED}`, { headers });
      t.match([rest.status, await rest.json()], [501, { code: 'NOT_IMPLEMENTED' }]);
      const body = JSON.stringify({ query: '{ me { postCount } }' });
      const graphql = await ask(`${server.url}/graphql`, { method: 'POST', headers, body });
      t.match(await graphql.json(), {
        errors: [{ path: ['me', 'postCount'], extensions: { code: 'NOT_IMPLEMENTED' } }],
      });
    });

    const handled = users.replace(stub, `\n${HANDLER}`).replace('import { User } from', 'import { Post, User } from');
    writeFileSync(join(folder, 'src/application/rest/users.ts'), `${handled}\n${BELOW}`);
    writeFileSync(join(folder, RESOLVERS), before[RESOLVERS] ?? '');
    const complaints = errorsIn(folder, ['src/application/rest/users.ts', RESOLVERS]);
    t.equal(complaints.length, 1, 'the handler of the walk-through is what the contract asks for');
    t.match(complaints[0], COMPLAINT, 'without a resolver the compiler asks as README says');

    await t.test('unfinished code and invalid contracts are refused', async (t) => {
      writeFileSync(join(folder, 'src/application/rest/users.ts'), `${users}const half = (`);
      await t.rejects(scaffold(folder), {
        name: 'Unable',
        message: /^src\/application\/rest\/users\.ts:\d+ cannot be edited: /,
      });

      const refused = await refusal;
      t.match([refused.code, refused.stdout], [2, '']);
      t.match(refused.stderr, /^schema\.graphql:\d+:8 {2}error {2}Unknown type "Intt"\./);
    });
  },
);

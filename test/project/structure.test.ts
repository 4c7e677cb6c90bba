import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import t from 'tap';
import type { OpenApiDocument } from '../../src/platform/contract/document.js';
import { inlineSchemas, operations } from '../../src/platform/contract/openapi.js';
import { checkPermissions } from '../../src/platform/graphql/permissions.js';
import { checkContract } from '../../src/platform/rest/contract-check.js';
import { loadOpenApi } from '../../src/workbench/model/load-openapi.js';
import { type Import, importsOf, sourcesIn } from '../support/imports.js';

const src = sourcesIn('src');

/** What each part of src may import of the others: inwards only, and the two transports nothing of each other. */
const MAY_IMPORT: Record<string, string[]> = {
  server: ['app', 'http', 'services', 'auth', 'database'],
  cli: ['server', 'contract', 'graphql', 'services', 'database'],
  app: ['contract', 'rest', 'graphql', 'http', 'services', 'database'],
  rest: ['contract', 'http', 'services', 'database'],
  graphql: ['contract', 'http', 'services', 'database'],
  http: ['contract', 'services', 'auth', 'database'],
  services: ['auth', 'database'],
  auth: [],
  database: [],
  // The workbench makes the Prisma client; it knows nothing of what is built upon the contracts.
  contract: ['database'],
};
/** Parts that are a file or a few; what all may use is none. */
const PART_OF_FILE: Record<string, string | undefined> = {
  'server.ts': 'server',
  'serve.ts': 'server',
  'announce.ts': 'server',
  'first-start.ts': 'server',
  'port.ts': 'server',
  'admin-socket.ts': 'server',
  'app.ts': 'app',
  'composition.ts': 'app',
  'http-server.ts': 'app',
};
const SHARED = ['config.ts', 'loopback.ts', 'root.ts', 'npm-shell.ts'];

/** Where a package may be imported. */
const HOME_OF_PACKAGE: [RegExp, RegExp][] = [
  [/^jose$/, /^auth\//],
  [/^@node-rs\/argon2$/, /^auth\//],
  [/^(@prisma\/|@electric-sql\/|pglite-|pg$)/, /^database\//],
  [/^\.\.\/generated\/prisma\//, /^database\/client\.ts$/],
  [/^mercurius$/, /^graphql\//],
  [/^fastify-openapi-glue$/, /^rest\//],
  [/^env-schema$/, /^config\.ts$/],
];

const partOf = (path: string) => (path.includes('/') ? path.split('/')[0] : PART_OF_FILE[path]) as string;

function importProblem({ from, to, typeOnly }: Import): string | undefined {
  const refused = HOME_OF_PACKAGE.some(([name, home]) => name.test(to) && !home.test(from));
  // Types of the client vanish; its values are for those that talk to the database.
  const client = to === 'database/client.ts' && !typeOnly && !/^(database|services)\//.test(from);
  const inside = to.endsWith('.ts') && !to.startsWith('../') && !SHARED.includes(to);
  const outward =
    inside && partOf(from) !== partOf(to) && !SHARED.includes(from) && !MAY_IMPORT[partOf(from)]?.includes(partOf(to));
  const fromShared = inside && SHARED.includes(from);
  return refused || client || outward || fromShared ? `${from} imports ${to}` : undefined;
}

const importProblems = (sources: Record<string, string>) =>
  importsOf(sources)
    .map(importProblem)
    .filter((problem) => problem !== undefined);

t.test('imports point inwards, and each library has one home', async (t) => {
  t.strictSame(importProblems(src), []);
  const parts = new Set(Object.keys(src).map(partOf).filter(Boolean));
  t.strictSame([...parts].sort(), Object.keys(MAY_IMPORT).sort(), 'every folder has its place in the table');
});

t.test('an import that points outwards is found, however it is written', async (t) => {
  const forbidden: [from: string, text: string, to: string][] = [
    ['rest/users.ts', "import { resolvers } from '../graphql/resolvers.js';", 'graphql/resolvers.ts'],
    ['graphql/User.ts', "import type { Context } from '../rest/context.js';", 'rest/context.ts'],
    ['services/users.ts', "const { callOf } = await import('../http/call.js');", 'http/call.ts'],
    ['http/call.ts', "export { restPlugin } from '../rest/plugin.js';", 'rest/plugin.ts'],
    ['auth/keys.ts', "import '../database/open.js';", 'database/open.ts'],
    ['contract/check.ts', "type Call = import('../services/access.js').Call;", 'services/access.ts'],
    ['app.ts', "import { main } from './server.js';", 'server.ts'],
    ['config.ts', "import { buildApp } from './app.js';", 'app.ts'],
    ['services/users.ts', "import { jwtVerify } from 'jose';", 'jose'],
    ['rest/users.ts', "import { PrismaClient } from '../database/client.js';", 'database/client.ts'],
    ['services/users.ts', "import '../../generated/prisma/client.js';", '../generated/prisma/client.ts'],
    ['http/call.ts', "import { Prisma } from '@prisma/client';", '@prisma/client'],
  ];
  for (const [from, text, to] of forbidden) t.strictSame(importProblems({ [from]: text }), [`${from} imports ${to}`]);
});

/** Handing the environment on, whole, is not reading it. */
const readsEnvironment = ([, text]: [string, string]) =>
  /\bprocess\.env\b/.test(text.replaceAll(/\.\.\.process\.env\b|(whenShellGone|readConfig)\(process\.env\b/g, ''));

t.test('the environment is read in one place', async (t) => {
  t.strictSame(Object.entries(src).filter(readsEnvironment), []);
  t.ok(readsEnvironment(['http/call.ts', 'const { PORT } = process.env;']));
  t.ok(readsEnvironment(['http/call.ts', "({ ...process.env, port: process.env['PORT'] })"]));
});

t.test('tap starts each folder of tests', async (t) => {
  const named = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.test.ts'));
  const folders = readdirSync('test').filter((name) => !name.includes('.') && named(`test/${name}`).length > 0);
  t.strictSame(
    named('test').sort(),
    folders.map((name) => `${name}.test.ts`),
  );
  for (const name of folders) t.match(readFileSync(`test/${name}.test.ts`, 'utf8'), `testsIn('${name}')`);
});

t.test('a file has one idea, and a name that says which', async (t) => {
  const long = Object.entries(src).filter(([, text]) => text.split('\n').length - 1 > 300);
  t.strictSame(
    long.map(([path]) => path),
    [],
  );
  const vague = /(^|\/)(utils?|helpers?|types?|constants?|common|misc)\.(ts|js)$/;
  t.strictSame(
    Object.keys(src).filter((path) => vague.test(path)),
    [],
  );
});

const openapi = readFileSync('openapi.yaml', 'utf8');
const sdl = readFileSync('schema.graphql', 'utf8');

/** Holds a changed copy of the REST contract against the code, as the start of the service does. */
function holdRest(change: (document: OpenApiDocument) => void): void {
  const document = loadOpenApi(openapi);
  change(document);
  checkContract(document, operations(inlineSchemas(document)));
}

const operation = ({ paths }: OpenApiDocument, path: string, method: 'get' | 'delete') => {
  const found = paths[path]?.[method];
  if (found === undefined) throw new Error(`${method} ${path} is not in the contract`);
  return found;
};

t.test('the service does not start on a REST contract that the code does not keep', async (t) => {
  t.doesNotThrow(() => holdRest(() => {}));
  t.throws(
    () =>
      holdRest((document) => {
        document.components.securitySchemes = {
          ...document.components.securitySchemes,
          saml: { type: 'http', scheme: 'saml' },
        };
      }),
    { message: /security scheme saml has no handler/ },
  );
  t.throws(
    () =>
      holdRest((document) => {
        operation(document, '/api/v1/users', 'get').security = [{ basicAuth: [] }, { saml: [] }];
      }),
    { message: /listUsers requires saml, which has no handler/ },
  );
  t.throws(
    () =>
      holdRest((document) => {
        operation(document, '/api/v1/users', 'get').security = [];
      }),
    { message: /listUsers has a permission and takes no credentials/ },
  );
  t.throws(
    () =>
      holdRest((document) => {
        const found = operation(document, '/api/v1/users/{user_id}', 'delete');
        found['x-permission'] = { action: 'users.delete', viewer: 'any', developer: 'own', admin: 'any' };
      }),
    { message: /deleteUser grants users\.delete otherwise than the policy table/ },
  );
  t.throws(
    () =>
      holdRest((document) => {
        const found = operation(document, '/api/v1/users', 'get');
        found['x-permission'] = { action: 'users.lst', viewer: 'any', developer: 'any', admin: 'any' };
      }),
    { message: /listUsers names the action users\.lst, which the policy table lacks/ },
  );
  t.throws(
    () =>
      holdRest((document) => {
        delete operation(document, '/api/v1/users', 'get')['x-permission'];
      }),
    { message: /listUsers does not say who may call it/ },
  );
});

t.test('nor on a GraphQL contract that the code does not keep', async (t) => {
  const hold = (text: string) => checkPermissions(buildSchema(text));
  const permission = /(users\(.*?\).*?) @permission\(action: "users\.list", viewer: ANY/s;
  t.match(sdl, permission);
  t.doesNotThrow(() => hold(sdl));
  t.throws(() => hold(sdl.replace(permission, '$1 @permission(action: "users.list", viewer: NONE')), {
    message: /Query\.users grants users\.list otherwise than the policy table/,
  });
  t.throws(() => hold(`${sdl}\nextend type Query { everything: Int }`), {
    message: /Query\.everything has no @permission/,
  });
});

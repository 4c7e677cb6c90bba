import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import t from 'tap';
import { errors } from '../../generated/errors.js';
import { policy } from '../../generated/policy.js';
import { ACCOUNT_ACTIONS } from '../../src/platform/core/accounts.js';
import { rolesOf } from '../../src/platform/core/calls/access.js';
import { isPlatformCode } from '../../src/platform/core/contract/codes.js';
import type { OpenApiDocument } from '../../src/platform/core/contract/document.js';
import { operations } from '../../src/platform/core/contract/openapi.js';
import { OPERATIONS_OF } from '../../src/platform/core/contract/part-operations.js';
import { filesIn } from '../../src/platform/core/contract/project-files.js';
import { inlineSchemas } from '../../src/platform/core/contract/schemas.js';
import { checkPermissions } from '../../src/platform/core/graphql/schema.js';
import { namesOf } from '../../src/platform/core/names.js';
import { type Owner, rows } from '../../src/platform/core/order.js';
import { checkContract } from '../../src/platform/core/rest/plugin.js';
import { VARIABLES_OF } from '../../src/platform/core/variables.js';
import { allParts } from '../../src/platform/server/all-parts.js';
import { openApiOf } from '../../src/workbench/model/openapi-source.js';
import { MUTANTS } from '../mutants/list.js';
import { blocks, namesIn, page, section } from '../support/documentation.js';
import { type Import, importsOf, sourcesIn } from '../support/imports.js';
import { sizes } from '../support/sizes.js';

/** The template of new projects does not count as code of the workbench. */
const TEMPLATE = /^workbench\/new\/template\//;
const src = Object.fromEntries(Object.entries(sourcesIn('src')).filter(([path]) => !TEMPLATE.test(path)));

/** The folders of the core by layer, the innermost first. A folder imports from its own and inner layers. */
const CORE = [
  ['contract', 'calls'],
  // The guards of operations, which are their only access to data.
  ['operations'],
  ['http', 'rest', 'graphql'],
];
const PARTS = ['browsers', 'idempotency', 'identity', 'jobs', 'limits', 'live', 'observability', 'pages', 'versions'];
const FOLDERS = ['core', 'database', 'parts', 'server'];
/** Small modules that every folder may import. */
const EVERYWHERE = [
  'core/bounds.ts',
  'core/names.ts',
  'core/order.ts',
  'core/part.ts',
  'core/stages.ts',
  'core/way.ts',
  'core/secrets.ts',
  'core/calls/schedulers.ts',
  'core/calls/in-flight.ts',
  'root.js',
].map((name) => `platform/${name}`);
/** The transports do not import each other. */
const APART = ['rest', 'graphql'];

/** The entry points of the platform. */
const DOOR = ['platform/index.ts', 'platform/core/variables.ts', 'platform/server/run.ts'];
/**
 * Modules that the workbench may import: the reader of contracts, the tools of the database, and parts of the `accord` command.
 * `accord migrate` has a form for operators and one for developers.
 */
const DOOR_OF_TOOLS =
  /^platform\/((core\/contract|database)\/|root\.js$|server\/cli\/(built\.js|(migrate|output)\.ts)$|parts\/pages\/files\.ts$|server\/npm-shell\.ts$)/;
/** The package that a project may leave out, so that only the database knows it. */
const DOOR_OF_PREPARED = 'prepared-prisma/index.ts';
/** The recordings of coverage, which the workbench may import. */
const DOOR_OF_COVERAGE = /^testing\/coverage\//;
/** The command loads the subcommands of the workbench if it is installed. */
const DOOR_OF_COMMAND: [from: string, to: string] = ['platform/server/cli/bin.js', 'workbench/cli/index.js'];
/** The folders of the workbench that may be imported by all others, and may import all others. */
const MODEL = 'model';
const COMMANDS = 'cli';

/** Functions that parse contracts or follow their references, by module and name. */
const READERS: [RegExp, RegExp][] = [
  [/^(yaml|js-yaml|yaml-ast-parser)$/, /./],
  [/^graphql($|\/)/, /^(\*|parse|buildSchema|buildASTSchema|extendSchema|Parser|Lexer)$/],
  [/^@redocly\/openapi-core$/, /^(\*|Source|BaseResolver|validate|(lint|bundle|resolve|makeDocument)\w*)$/],
  [/^platform\/core\/contract\/openapi\.ts$/, /^(\*|normaliseOpenApi|operations)$/],
  [/^platform\/core\/graphql\/documents\.ts$/, /^(\*|buildSchema|introspectionFromSchema)$/],
];
const READERS_OF_OTHER_TEXTS = [
  // Commands of operators, in installations without the workbench.
  'platform/server/cli/program.ts',
];

const GENERATED = '../generated/';

/** The files that may import a package. */
const HOME_OF_PACKAGE: [RegExp, RegExp][] = [
  [/^jose$/, /^platform\/parts\/identity\//],
  [/^@node-rs\/argon2$/, /^platform\/core\/hasher\.ts$/],
  [/^(@prisma\/|@electric-sql\/|pglite-|pg$)/, /^(platform\/database|prepared-prisma|workbench\/prisma)\//],
  [/^mercurius$/, /^platform\/core\/graphql\//],
  [/^fastify-openapi-glue$/, /^platform\/core\/rest\//],
  [/^fast-check$/, /^testing\//],
];

const houseOf = (path: string) => path.split('/')[0] as string;
const roomOf = (path: string) => path.split('/')[1] as string;

/** The imports that each top-level folder may have from the others. */
const MAY_IMPORT: Record<string, (imported: Import) => boolean> = {
  'main.ts': ({ to }) => houseOf(to) === 'application' || DOOR.includes(to),
  application: ({ to }) => DOOR.includes(to) || to.startsWith(GENERATED),
  platform: ({ from, to }) =>
    (to.startsWith(`${GENERATED}prisma/`) && /^platform\/database\/client\.ts$/.test(from)) ||
    (to === DOOR_OF_PREPARED && from.startsWith('platform/database/')) ||
    (from === DOOR_OF_COMMAND[0] && to === DOOR_OF_COMMAND[1]),
  // Knows Prisma and pg only.
  'prepared-prisma': () => false,
  // The kit may import every module of the platform, by `internals/`.
  testing: ({ to }) => houseOf(to) === 'platform',
  workbench: ({ to }) => DOOR_OF_TOOLS.test(to) || DOOR_OF_COVERAGE.test(to),
  create: ({ to }) => to === 'platform/server/cli/bin.js',
};

const wingOf = (path: string) => path.split('/')[2] as string;

/** The imports within a top-level folder. */
const MAY_IMPORT_INSIDE: Record<string, (imported: Import) => boolean> = {
  platform({ from, to }) {
    const [here, there] = [roomOf(from), roomOf(to)];
    if (EVERYWHERE.includes(to) || here === 'server' || here === 'index.ts') return true;
    if (here === 'parts')
      return there === 'core' || there === 'database' || (there === 'parts' && wingOf(from) === wingOf(to));
    if (here === 'database') return there === 'database';
    if (there !== 'core') return there === 'database';
    const [one, other] = [from, to].map((path) => CORE.findIndex((layer) => layer.includes(wingOf(path))));
    if (one === undefined || other === undefined || one < 0 || other < 0) return one !== undefined && one < 0;
    return other <= one && !(APART.includes(wingOf(from)) && APART.includes(wingOf(to)) && wingOf(from) !== wingOf(to));
  },
  workbench: ({ from, to }) => [roomOf(from), MODEL].includes(roomOf(to)) || roomOf(from) === COMMANDS,
};

function importProblem(imported: Import): string | undefined {
  const { from, to } = imported;
  const isPackage = !(houseOf(to) in MAY_IMPORT) && !to.startsWith('../');
  const away = HOME_OF_PACKAGE.some(([name, home]) => name.test(to) && !home.test(from));
  const inside = houseOf(from) === houseOf(to);
  const allowed = isPackage
    ? !away
    : inside
      ? (MAY_IMPORT_INSIDE[houseOf(from)]?.(imported) ?? true)
      : MAY_IMPORT[houseOf(from)]?.(imported);
  return allowed ? undefined : `${from} imports ${to}`;
}

const importProblems = (sources: Record<string, string>) =>
  importsOf(sources)
    .map(importProblem)
    .filter((problem) => problem !== undefined);

t.test(
  'imports respect the entry points of folders, the layers of the platform, and the folders of packages',
  async (t) => {
    t.strictSame(importProblems(src), []);
    const houses = new Set(Object.keys(src).map(houseOf));
    t.strictSame([...houses].sort(), Object.keys(MAY_IMPORT).sort(), 'every folder is a house');
    const files = Object.keys(src).filter((path) => houseOf(path) === 'platform');
    const foldersIn = (of: string) =>
      [...new Set(files.flatMap((path) => new RegExp(`^${of}/([^/]+)/`).exec(path)?.[1] ?? []))].sort();
    t.strictSame(foldersIn('platform'), FOLDERS, 'the folders of the platform');
    t.strictSame(foldersIn('platform/parts'), PARTS, 'the parts');
    t.strictSame(foldersIn('platform/core'), CORE.flat().sort(), 'every folder of the core has its layer');
  },
);

t.test('the packages that the conformance kit imports are its dependencies', (t) => {
  const { dependencies, peerDependencies } = JSON.parse(readFileSync('src/testing/package.json', 'utf8'));
  const packages = importsOf(src)
    .filter(({ from, to, typeOnly }) => houseOf(from) === 'testing' && /^[@a-z]/.test(to) && !typeOnly)
    .filter(({ to }) => !to.startsWith('node:') && !(houseOf(to) in MAY_IMPORT))
    .map(({ to }) => /^(@[^/]+\/)?[^/]+/.exec(to)?.[0] ?? to);
  const unlisted = (name: string) => !(name in dependencies) && !(name in peerDependencies);
  t.strictSame(packages.filter(unlisted), []);
  t.ok(packages.includes('fast-check') && packages.includes('ws'));
  t.end();
});

/** Returns the names that only an application defines: roles, actions except the default ones of accounts, and error codes. */
const ownWords = (): string[] => {
  const byDefault: readonly string[] = Object.values(ACCOUNT_ACTIONS);
  return [
    ...rolesOf(policy),
    ...Object.keys(policy).filter((action) => !byDefault.includes(action)),
    ...Object.keys(errors).filter((code) => !isPlatformCode(code)),
  ];
};

t.test('the platform names no role, action or error code of the application', async (t) => {
  const quoted = new RegExp(`['"\`](${ownWords().join('|').replaceAll('.', '\\.')})['"\`]`, 'i');
  const files = Object.entries(src).filter(([path]) => houseOf(path) === 'platform');
  t.strictSame(
    files.filter(([, text]) => quoted.test(text)).map(([path]) => path),
    [],
  );
  for (const word of ['admin', 'posts.read', 'PAYMENT_DECLINED']) t.match(`one === '${word}'`, quoted);
});

/** The applications that tests of the platform have of their own. */
const OWN_APPLICATIONS = /^\.\.\/test\/(support\/own-application|support\/library\/.*|.*-fixture)\.ts$/;
/** Tests of the platform without an application. */
const WITHOUT_APPLICATION = [
  'conformance/successive-databases',
  'core/operations/guarded-calls',
  'core/operations/route-check',
  'parts/jobs/jobs',
].map((name) => `../test/${name}.test.ts`);
/** Tests of the example beside another application. */
const OF_SEVERAL = ['../test/server/process/administration.test.ts'];

t.test('the platform, and tests with an application of their own, do not depend on the example', async (t) => {
  const tests = Object.fromEntries(Object.entries(sourcesIn('test')).map(([path, text]) => [`../test/${path}`, text]));
  const imports = importsOf({ ...src, ...tests });
  const roots = imports.filter(({ to }) => OWN_APPLICATIONS.test(to)).map(({ from }) => from);
  const reached = new Set([...roots, ...WITHOUT_APPLICATION].filter((path) => !OF_SEVERAL.includes(path)));
  t.ok([...reached].filter((path) => path.endsWith('.test.ts')).length >= 17);
  for (const file of reached)
    for (const { to } of imports.filter(({ from }) => from === file)) reached.add(to.replace(/^\.\.\/src\//, ''));
  t.ok(reached.has('platform/index.ts') && reached.has('platform/server/services.ts'));
  const ofApplication = (path: string) =>
    path.startsWith('application/') || path === 'main.ts' || /^\.\.\/generated\/[^/]+\.ts$/.test(path);
  t.strictSame([...reached].filter(ofApplication), []);
  t.ok(WITHOUT_APPLICATION.every((path) => path in tests) && OF_SEVERAL.every((path) => roots.includes(path)));
});

t.test('no test file sends requests while it is loaded, because other cases run meanwhile', async (t) => {
  const atOnce = /^(const|let|await) (?!.*=>).*\b(startService|startInstance|startServer|dialAs|fetch)\(/m;
  const files = Object.entries(sourcesIn('test')).filter(([path]) => path.endsWith('.test.ts'));
  t.strictSame(
    files.filter(([, text]) => atOnce.test(text)).map(([path]) => path),
    [],
  );
  t.match('const { url } = await startService(t, database, {}, slowClock());', atOnce);
});

t.test('a forbidden import is found in every syntax', async (t) => {
  const forbidden: [from: string, text: string, to: string][] = [
    [
      'application/rest/users.ts',
      "import { Failure } from '../../platform/core/calls/errors.js';",
      'platform/core/calls/errors.ts',
    ],
    ['application/seed.ts', "import '../workbench/model/check.js';", 'workbench/model/check.ts'],
    [
      'platform/core/rest/plugin.ts',
      "import { handlers } from '../../../application/rest/handlers.js';",
      'application/rest/handlers.ts',
    ],
    [
      'platform/core/http/call.ts',
      "type One = import('../../../../generated/operations.js').Handlers;",
      '../generated/operations.ts',
    ],
    [
      'platform/core/contract/published.ts',
      "await import('../../../workbench/model/check.js');",
      'workbench/model/check.ts',
    ],
    [
      'platform/core/rest/plugin.ts',
      "import type { GraphQLContext } from '../graphql/context.js';",
      'platform/core/graphql/context.ts',
    ],
    [
      'platform/core/contract/codes.ts',
      "const { callOf } = await import('../http/call.js');",
      'platform/core/http/call.ts',
    ],
    ['platform/core/http/call.ts', "export { readConfig } from '../../server/config.js';", 'platform/server/config.ts'],
    [
      'platform/database/open.ts',
      "import '../parts/identity/keys/signing-keys.js';",
      'platform/parts/identity/keys/signing-keys.ts',
    ],
    [
      'platform/core/rest/plan.ts',
      "import { platformServices } from '../../server/services.js';",
      'platform/server/services.ts',
    ],
    ['platform/server/run.ts', "await import('../../testing/index.js');", 'testing/index.ts'],
    ['platform/server/app.ts', "import type { Contract } from '../../testing/contract.js';", 'testing/contract.ts'],
    ['application/seed.ts', "import { testService } from '@accord-api/testing';", 'testing/index.ts'],
    [
      'application/seed.ts',
      "import { buildApp } from '@accord-api/platform/internals/server/app';",
      'platform/server/app.ts',
    ],
    ['platform/parts/live/sockets.ts', "import fc from 'fast-check';", 'fast-check'],
    ['platform/core/http/call.ts', "import { jwtVerify } from 'jose';", 'jose'],
    ['platform/core/http/call.ts', "import { Prisma } from '@prisma/client';", '@prisma/client'],
    [
      'platform/parts/identity/accounts/users.ts',
      "import '../../../../../generated/prisma/client.js';",
      '../generated/prisma/client.ts',
    ],
    ['workbench/diff/diff.ts', "import { lint } from '../lint/lint.js';", 'workbench/lint/lint.ts'],
    [
      'workbench/model/check.ts',
      "import { generate } from '../generate/generate.js';",
      'workbench/generate/generate.ts',
    ],
    [
      'workbench/scaffold/scaffold.ts',
      "import type { Outcome } from '../generate/generate.js';",
      'workbench/generate/generate.ts',
    ],
    ['workbench/lint/lint.ts', "import { buildApp } from '../../platform/server/app.js';", 'platform/server/app.ts'],
    ['main.ts', "import { buildApp } from './platform/server/app.js';", 'platform/server/app.ts'],
    [
      'platform/parts/live/streams.ts',
      "import { preparedClient } from '@accord-api/prepared-prisma';",
      'prepared-prisma/index.ts',
    ],
    ['platform/database/open.ts', "import '../../prepared-prisma/calls.js';", 'prepared-prisma/calls.ts'],
    ['prepared-prisma/calls.ts', "import type { Bound } from '../platform/core/bounds.js';", 'platform/core/bounds.ts'],
  ];
  for (const [from, text, to] of forbidden) t.strictSame(importProblems({ [from]: text }), [`${from} imports ${to}`]);
});

/** Returns the functions of `READERS` that the workbench imports outside the model. */
const readersBesideTheModel = (sources: Record<string, string>) =>
  importsOf(sources)
    .filter(
      ({ from, typeOnly }) => /^(workbench|platform\/server\/cli)\//.test(from) && roomOf(from) !== MODEL && !typeOnly,
    )
    .flatMap(({ from, to, names }) => {
      const isReader = (name: string) => READERS.some(([origin, some]) => origin.test(to) && some.test(name));
      return names.filter(isReader).map((name) => ({ from, problem: `${from} takes ${name} of ${to}` }));
    });

t.test('only the model reads contracts', async (t) => {
  const found = readersBesideTheModel(src);
  const others = found.filter(({ from }) => !READERS_OF_OTHER_TEXTS.includes(from));
  t.strictSame(
    others.map(({ problem }) => problem),
    [],
  );
  t.strictSame([...new Set(found.map(({ from }) => from))].sort(), READERS_OF_OTHER_TEXTS.sort(), 'none is in vain');

  const forbidden: [text: string, problem: string][] = [
    ["import { parse as read } from 'graphql';", 'parse of graphql'],
    ["const { buildSchema } = await import('graphql');", '* of graphql'],
    ["import { Kind, buildASTSchema } from 'graphql';", 'buildASTSchema of graphql'],
    ["await import('../../platform/core/graphql/documents.js');", '* of platform/core/graphql/documents.ts'],
    ["import { parseDocument } from 'yaml';", 'parseDocument of yaml'],
    ["import * as yaml from 'yaml';", '* of yaml'],
    ["import { lintFromString } from '@redocly/openapi-core';", 'lintFromString of @redocly/openapi-core'],
    ["import { bundle } from '@redocly/openapi-core';", 'bundle of @redocly/openapi-core'],
    [
      "export { operations } from '../../platform/core/contract/openapi.js';",
      'operations of platform/core/contract/openapi.ts',
    ],
  ];
  const from = 'workbench/lint/lint.ts';
  for (const [text, problem] of forbidden) {
    t.strictSame(readersBesideTheModel({ [from]: text }), [{ from, problem: `${from} takes ${problem}` }]);
    t.strictSame(readersBesideTheModel({ 'workbench/model/check.ts': text }), []);
  }
});

/** Returns the files that import themselves indirectly. */
function circles(sources: Record<string, string>): string[] {
  const next = new Map<string, string[]>();
  for (const { from, to } of importsOf(sources)) next.set(from, [...(next.get(from) ?? []), to]);
  const leadsBack = (start: string) => {
    const seen = new Set<string>();
    const todo = [...(next.get(start) ?? [])];
    for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
      if (file === start) return true;
      if (!seen.has(file)) todo.push(...(next.get(file) ?? []));
      seen.add(file);
    }
    return false;
  };
  return Object.keys(sources).filter(leadsBack);
}

t.test('no circular imports', async (t) => {
  t.strictSame(circles(src), []);
  const round = {
    'a.ts': "import './b.js';",
    'b.ts': "import type { C } from './c.js';",
    'c.ts': "export * from './a.js';",
  };
  t.strictSame(circles(round), Object.keys(round));
});

/** Returns true if a file reads the environment. Passing the whole environment on does not count. */
const readsEnvironment = ([, text]: [string, string]) =>
  /\bprocess\.env\b/.test(
    text.replaceAll(
      /\.\.\.process\.env\b|(whenShellGone|readConfig|readDatabaseConfig|printsJson)\(process\.env\b/g,
      '',
    ),
  );

t.test('the environment is read in one place', async (t) => {
  t.strictSame(Object.entries(src).filter(readsEnvironment), []);
  t.ok(readsEnvironment(['http/call.ts', 'const { PORT } = process.env;']));
  t.ok(readsEnvironment(['http/call.ts', "({ ...process.env, port: process.env['PORT'] })"]));
});

t.test('each test file is in a folder, or in one of a folder that has several', async (t) => {
  const files = Object.keys(sourcesIn('test')).filter((path) => path.endsWith('.test.ts'));
  t.ok(files.length > 50);
  const place = /^([a-z-]+|(core|example|parts|server)\/[a-z-]+)\/[\w.-]+$/;
  t.strictSame(
    files.filter((path) => !place.test(path)),
    [],
  );
});

t.test('each folder of tests is in the rule where a test stands, and each part has its folder', async (t) => {
  const named = (text: string) => new Set([...text.matchAll(/`test\/([a-z-]+)\//g)].map(([, name]) => name));
  const rule = section('docs/testing.md', 'Where a test stands');
  const folders = readdirSync('test', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  t.strictSame([...named(rule)].sort(), folders.map(({ name }) => name).sort());
  const files = Object.keys(sourcesIn('test')).filter((path) => path.endsWith('.test.ts'));
  const isTested = (room: string) => files.some((path) => path.startsWith(`${room}/`));
  const parts = readdirSync('src/platform/parts', { withFileTypes: true }).filter((entry) => entry.isDirectory());
  t.ok(parts.length > 5);
  t.strictSame(
    parts.filter(({ name }) => !isTested(`parts/${name}`)),
    [],
  );
  const withoutPart = readdirSync('test/parts').filter((name) => !parts.some((part) => part.name === name));
  t.strictSame(withoutPart, [], 'and no folder is of a part that does not exist');
});

/** The variables by owner. The core has those that several owners read, and those of the database and the server. */
const README_LINES = 25;

t.test('each part has a short README with its stages, operations, variables, tables and commands', async (t) => {
  const schema = readFileSync('prisma/schema.prisma', 'utf8');
  const models = [...schema.matchAll(/^model [^}]*@@map\("(\w+)"\)\n\}/gm)].map(([, table]) => table);
  const commands = [...(src['platform/server/cli/program.ts'] ?? '').matchAll(/^ {2}(\w+): \{/gm)].map(
    ([, name]) => `accord ${name}`,
  );
  const given: string[] = [];
  for (const part of PARTS as Exclude<Owner, 'core'>[]) {
    const text = page(`src/platform/parts/${part}/README.md`);
    t.ok(text.startsWith(`# ${part}\n`) && text.split('\n').length - 1 <= README_LINES, `${part}: title and length`);
    const stages = rows.filter(({ owner }) => owner === part).map(({ name }) => name);
    t.strictSame(namesIn(text, 'Stages'), stages, part);
    t.strictSame(namesIn(text, 'Variables').sort(), [...(VARIABLES_OF[part] ?? [])].sort(), part);
    const operations = (OPERATIONS_OF as Partial<Record<Owner, readonly string[]>>)[part];
    if (operations) {
      t.strictSame(namesIn(text, 'Operations'), operations, part);
      const row = page('docs/your-own-api.md').match(new RegExp(`^\\| \`${part}\` \\|(.*)\\|$`, 'm'));
      t.strictSame(
        [...(row?.[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, name]) => name),
        operations,
        'docs',
      );
    }
    const [tables, own] = [namesIn(text, 'Tables'), namesIn(text, 'Commands')];
    t.strictSame(tables, [...(allParts.find(({ name }) => name === part)?.tables ?? [])], part);
    for (const name of tables) t.ok(models.includes(name), `${part}: ${name}`);
    for (const name of own) t.ok(commands.includes(name), `${part}: ${name}`);
    given.push(...tables, ...own);
    const leftOut = `- Left out: an application omits \`${part}()\` from \`parts\`.`;
    t.ok(text.includes(leftOut), leftOut);
  }
  t.ok(given.length > 10);
  t.strictSame(given, [...new Set(given)], 'no table or command has two parts');
});

t.test('each part names the error codes with which it answers', async (t) => {
  for (const { name, codes = [] } of allParts) {
    const refused = rows.filter(({ owner }) => owner === name).flatMap(({ refuses }) => refuses);
    const own = Object.entries(src).filter(([path]) => path.startsWith(`platform/parts/${name}/`));
    const thrown = own.flatMap(([, text]) =>
      [...text.matchAll(/\bFailure\(\s*(?:\w+ \? )?'([A-Z_]+)'(?: : '([A-Z_]+)')?/g)].flatMap(([, ...found]) => found),
    );
    t.strictSame([...codes].sort(), [...new Set([...refused, ...thrown].filter(Boolean))].sort(), name);
  }
});

t.test('each mutant changes a line that occurs once, and names existing tests', async (t) => {
  const tests = sourcesIn('test');
  for (const { file, before, tests: named } of MUTANTS) {
    t.equal(src[file]?.split(before).length, 2, `${file}: ${before}`);
    t.strictSame(
      named.filter((path) => !(path in tests)),
      [],
    );
  }
});

/** The code of applications: the example, the template, and the code in tutorials. */
const applicationCode: Record<string, string> = {
  ...Object.fromEntries(Object.entries(sourcesIn('src')).filter(([path]) => /(^|\/)application\//.test(path))),
  ...Object.fromEntries(
    ['your-own-api', 'changing-the-contracts'].map((name) => [
      `docs/${name}.md`,
      blocks(readFileSync(`docs/${name}.md`, 'utf8'), 'ts').join('\n'),
    ]),
  ),
};
const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

t.test('applications contain no SQL, no raw access, no lock and no decision', async (t) => {
  const forbidden =
    /\$(queryRaw|executeRaw|transaction\(\[)|\b(SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+["\w*]|pg_advisory|\bauthorise\(|\bauthenticated\(|\bcheckpoint\(|tombstone/;
  t.ok(Object.keys(applicationCode).length > 45);
  t.strictSame(
    Object.entries(applicationCode)
      .filter(([, text]) => forbidden.test(text))
      .map(([path]) => path),
    [],
  );
  for (const line of [
    'await db.$queryRaw`SELECT 1`',
    "statement('book by id', 'SELECT id FROM books WHERE id = $1')",
    'SELECT pg_advisory_xact_lock(1)',
    "authorise(call, 'books.read');",
  ])
    t.match(line, forbidden);
});

t.test('applications call other services by `outside`, which limits the calls', async (t) => {
  const isUnlimited = (text: string) => /\bfetch\(/.test(text) && !/\boutside\(/.test(text);
  t.strictSame(
    Object.entries(applicationCode)
      .filter(([, text]) => isUnlimited(text))
      .map(([path]) => path),
    [],
  );
  t.ok(isUnlimited('await fetch(url)'));
});

t.test('packages are named with their scope, because `accord` in the npm registry is another project', async (t) => {
  const unscoped =
    /(\bfrom|\bimport|\bresolve\(|\bimport\() ?['"]accord['"/]|"accord": "[\^~<\d]|@accord\/|\baccord@|node_modules\/accord\b|--package[= ]accord|\bnpm (i|install|create|init) accord\b/;
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).split('\n');
  const texts = files.filter((path) => /\.(md|[jt]s|json|ya?ml|prisma|graphql)$|Dockerfile$|run$/.test(path));
  t.ok(texts.length > 500);
  t.strictSame(
    texts.filter((path) => !path.endsWith('structure.test.ts') && unscoped.test(readFileSync(path, 'utf8'))),
    [],
  );
  for (const line of ["from 'accord'", 'npm install accord@latest', "import('accord/run')", 'npm create accord books'])
    t.match(line, unscoped);
});

/** `npm run size` prints the counts. Lower a limit if the count is lower. */
const LIMITS = {
  lines: {
    all: 40_935,
    application: 1_010,
    platform: 23_076,
    'prepared-prisma': 2_040,
    testing: 3_300,
    workbench: 11_509,
  },
  files: 315,
  withOneImporter: 112,
  /** The lines that a service without parts loads. */
  core: 12_130,
};

t.test('`src/` does not grow', (t) => {
  const { all, groups, longest, withOneImporter } = sizes();
  for (const [name, limit] of Object.entries(LIMITS.lines)) {
    const inside = Object.entries(groups).filter(([group]) => name === 'all' || houseOf(group) === name);
    const count = inside.reduce((sum, [, { lines }]) => sum + lines, 0);
    t.ok(count <= limit && count > limit * 0.9, `${name}: ${count} lines, at most ${limit}`);
  }
  t.ok(all.files.length <= LIMITS.files, `${all.files.length} files`);
  t.ok(longest <= 300, `the longest file has ${longest} lines`);
  t.ok(withOneImporter <= LIMITS.withOneImporter, `${withOneImporter} files that one other file imports`);
  t.end();
});

t.test('a service without parts loads the core only', (t) => {
  const { core, added, stale } = sizes();
  t.ok(core.lines <= LIMITS.core, `${core.lines} lines, at most ${LIMITS.core}`);
  t.strictSame(
    core.files.filter((path) => roomOf(path) === 'parts'),
    [],
  );
  t.ok(core.files.includes('platform/server/app.ts') && core.files.includes('platform/database/postgres.ts'));
  for (const [name, { lines }] of Object.entries(added)) t.ok(lines > 0, `${name} adds lines`);
  t.strictSame(stale, [], 'each import with a condition exists');
  t.end();
});

t.test('applications are small: the example, and the resource of a new project', async (t) => {
  const example = Object.entries(src).filter(([path]) => houseOf(path) === 'application');
  t.ok(example.flatMap(([, text]) => text.trimEnd().split('\n')).length <= 1200);
  const template = Object.entries(sourcesIn('src/workbench/new/template/src'));
  const books = template.flatMap(([, text]) =>
    [...text.matchAll(/^ *\/\/ <books>\n([\s\S]*?)^ *\/\/ <\/books>\n/gm)].flatMap(([, part = '']) => linesOf(part)),
  );
  t.ok(books.length > 40 && books.length <= 60, `${books.length} lines of books`);
});

t.test('the public module of the platform is small, and each export has an example', async (t) => {
  const exported = [
    ...(src['platform/index.ts'] as string).matchAll(/export (?:type )?\{([^}]*)\} from '\.\/(.+)\.js'/g),
  ];
  const names = exported.flatMap(([, list = '', file]) =>
    list
      .split(',')
      .filter((name) => name.trim() !== '')
      .map((name) => ({ name: name.replace('type ', '').trim(), text: src[`platform/${file}.ts`] as string })),
  );
  t.ok(names.length > 30 && names.length <= 45, `${names.length} exports`);
  const hasExample = ({ name, text }: { name: string; text: string }) =>
    new RegExp(
      `@example\\n(?:(?!\\*/)[\\s\\S])*\\*/\\nexport (?:async )?(?:const|function|interface|class|type) ${name}\\b`,
    ).test(text);
  t.strictSame(
    names.filter((entry) => !hasExample(entry)).map(({ name }) => name),
    [],
  );
});

t.test('the name of a file says what it contains', async (t) => {
  const vague = /(^|\/)(utils?|helpers?|types?|constants?|common|misc)\.(ts|js)$/;
  t.strictSame(
    Object.keys(src).filter((path) => vague.test(path)),
    [],
  );
});

const openapi = readFileSync('openapi.yaml', 'utf8');
const sdl = readFileSync('schema.graphql', 'utf8');

/** Checks a changed copy of the REST contract against the code, as the service does at its start. */
function holdRest(change: (document: OpenApiDocument) => void): void {
  const document = openApiOf(openapi, undefined, filesIn('.')).document;
  change(document);
  checkContract(document, operations(inlineSchemas(document)), namesOf('accord'));
}

const operation = ({ paths }: OpenApiDocument, path: string, method: 'get' | 'delete') => {
  const found = paths[path]?.[method];
  if (found === undefined) throw new Error(`${method} ${path} is not in the contract`);
  return found;
};

t.test('the service does not start with a REST contract that the code does not fulfil', async (t) => {
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
        delete operation(document, '/api/v1/users', 'get')['x-permission'];
      }),
    { message: /listUsers does not say who may call it/ },
  );
  t.throws(
    () =>
      holdRest((document) => {
        const key = { name: 'Idempotency-Key', in: 'header', schema: { type: 'string' } } as const;
        operation(document, '/livez', 'get').parameters.push(key);
      }),
    { message: /getLiveness is public and takes an Idempotency-Key/ },
  );
});

t.test('the service does not start with a GraphQL contract that the code does not fulfil', async (t) => {
  const hold = (text: string) => checkPermissions(buildSchema(text));
  t.doesNotThrow(() => hold(sdl));
  t.throws(() => hold(`${sdl}\nextend type Query { everything: Int }`), {
    message: /Query\.everything has no @permission/,
  });
});

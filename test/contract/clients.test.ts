import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { demo } from '../../src/application/seed.js';
import { contractOperations } from '../support/contract.js';
import { memoryDatabase } from '../support/databases.js';
import { type Ended, ROOT, run, temporaryFolder } from '../support/process.js';
import { skipUnlessWhole } from '../support/servers.js';
import { startInstance } from '../support/service.js';

const { email: DEMO_ADMIN, password: DEMO_PASSWORD } = demo.people[0];

/**
 * What a consumer types, without options, to get a client from the service's address. The program of the same name in
 * `consumers/` uses what comes out.
 */
const COMMANDS = {
  'openapi-fetch': (url: string) => ['openapi-typescript', `${url}/openapi.yaml`, '-o', 'api.d.ts'],
  'hey-api': (url: string) => ['openapi-ts', '-i', `${url}/openapi.json`, '-o', 'client'],
  orval: (url: string) => ['orval', '--input', `${url}/openapi.json`, '--output', 'api.ts'],
  'graphql-codegen': () => ['graphql-codegen'],
};
type Generator = keyof typeof COMMANDS;

const CONSUMERS = join(ROOT, 'test/contract/consumers');
let url: string;
let project: string;

/** A consumer's project: a strict tsconfig.json, the packages, and a folder for each generator with its program. */
function consumersProject(t: Test): string {
  const folder = temporaryFolder(t);
  const writeJson = (path: string, value: object) => writeFileSync(join(folder, path), JSON.stringify(value));
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
    ...{ module: 'esnext', moduleResolution: 'bundler', esModuleInterop: true, strict: true, noEmit: true },
  };
  writeJson('tsconfig.json', { compilerOptions });
  writeJson('package.json', { type: 'module' });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const name of Object.keys(COMMANDS)) {
    mkdirSync(join(folder, name));
    cpSync(join(CONSUMERS, `${name}.ts`), join(folder, name, 'program.ts'));
  }
  writeJson('graphql-codegen/codegen.json', {
    schema: `${url}/schema.graphql`,
    documents: 'program.ts',
    generates: { 'gql/': { preset: 'client' } },
  });
  return folder;
}

/** Runs a command of an installed package, without what measures the coverage of our own processes. */
function execute([command = '', ...args]: string[], folder: string): Promise<Ended> {
  const path = join(ROOT, 'node_modules/.bin', command);
  return run(t, [path, ...args], { HOME: project, NO_COLOR: '1' }, join(project, folder)).ended;
}

/** Runs as a module in the consumer's project, and prints what each program saw, or how it failed. */
const ALL_PROGRAMS = `
  const seen = {};
  for (const name of ${JSON.stringify(Object.keys(COMMANDS))}) {
    const { consume } = await import('./' + name + '/program.ts');
    seen[name] = await consume(...process.argv.slice(2)).catch(String);
  }
  console.log(JSON.stringify(seen));
`;

const MADE_UP = /(\d|One|Two|Three|Item|Writable)$/;

t.test('the clients that four generators make of what is served', { skip: skipUnlessWhole }, async (t) => {
  const database = await memoryDatabase(t);
  await demo.seed(database.client);
  ({ url } = await startInstance(t, database));
  project = consumersProject(t);

  t.test('each generator takes the served contract, and has nothing to say against it', async (t) => {
    const generate = async (name: Generator) => {
      const { code, stdout, stderr } = await execute(COMMANDS[name](url), name);
      t.equal(code, 0, name);
      t.notMatch(stdout + stderr, /warn|error|fail|⚠/i, name);
    };
    // Two at a time.
    await Promise.all([
      generate('graphql-codegen').then(() => generate('orval')),
      generate('hey-api').then(() => generate('openapi-fetch')),
    ]);
  });

  t.test('what was generated, and the programs that use it, compile under strict', async (t) => {
    const { code, stdout } = await execute(['tsc', '--project', '.'], '.');
    t.same([code, stdout], [0, '']);
  });

  t.test('a client of each logs in, pages, creates, and reads a failure', async (t) => {
    writeFileSync(join(project, 'all.mjs'), ALL_PROGRAMS);
    const { stdout, stderr } = await execute(['tsx', 'all.mjs', url, DEMO_ADMIN, DEMO_PASSWORD], '.');
    t.equal(stderr, '');
    const overRest = {
      names: ['Ada Lovelace', 'Grace Hopper'],
      more: true,
      role: 'admin',
      order: { status: 'pending', amount: 1999 },
      refused: { code: 'VALIDATION_FAILED', pointers: ['/total/amount'] },
    };
    const overGraphql = {
      names: ['Ada Lovelace', 'Grace Hopper'],
      more: true,
      role: 'ADMIN',
      created: { name: 'Barbara Liskov', role: 'DEVELOPER' },
      refused: { data: { createUser: null }, codes: ['CONFLICT'] },
    };
    t.strictSame(JSON.parse(stdout), {
      'openapi-fetch': overRest,
      'hey-api': overRest,
      orval: overRest,
      'graphql-codegen': overGraphql,
    });
  });

  for (const [name, file] of [
    ['hey-api', 'client/types.gen.ts'],
    ['orval', 'api.ts'],
  ] as const) {
    t.test(`${name} finds a name for each type in the contract`, async (t) => {
      const text = readFileSync(join(project, name, file), 'utf8');
      const types = [...text.matchAll(/^export (?:type|interface) (\w+)/gm)].map(([, type = '']) => type);
      t.ok(types.includes('CreateUserRequest'));
      const madeUp = types.filter((type) => MADE_UP.test(type));
      t.same(madeUp, []);
    });
  }

  for (const [name, file] of [
    ['hey-api', 'client/sdk.gen.ts'],
    ['orval', 'api.ts'],
  ] as const) {
    t.test(`${name} makes a function of each operation, and tells what it does`, async (t) => {
      const text = readFileSync(join(project, name, file), 'utf8');
      const absent = contractOperations.filter(
        ({ operationId, operation: { summary } }) =>
          !text.includes(`export const ${operationId} = `) || !text.includes(` ${summary}\n`),
      );
      t.same(
        absent.map(({ operationId }) => operationId),
        [],
      );
    });
  }
});

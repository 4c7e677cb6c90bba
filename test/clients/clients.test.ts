import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { demo } from '../../src/application/seed.js';
import { contractOperations } from '../support/contract.js';
import { memoryDatabase } from '../support/databases.js';
import { asked, exchanges } from '../support/documentation.js';
import { sourcesIn } from '../support/imports.js';
import { type Ended, eventually, ROOT, type Running, run, temporaryFolder } from '../support/process.js';
import { skipUnlessWhole } from '../support/servers.js';
import { startInstance } from '../support/service.js';
import { type ClientTool, LONG, SHORT } from './tools.js';

const { email: DEMO_ADMIN, password: DEMO_PASSWORD } = demo.people[0];

/** Every run tests the short matrix. */
const isLong = skipUnlessWhole === false;
const CLIENTS: Record<string, ClientTool> = { ...SHORT, ...(isLong ? LONG : {}) };
/** Tools that check the contract, and the proxy that checks traffic against it. */
const READERS = isLong ? ['spectral', 'redocly', 'swagger-parser', 'prism'] : [];

const CONSUMERS = join(ROOT, 'test/clients/consumers');
/** The folder with the packages of the long matrix. */
const INSTALLED = join(CONSUMERS, 'node_modules');
let url: string;
let project: string;

/** Installs the packages of the long matrix, unless they match their lockfile. */
async function install(): Promise<void> {
  const [lock, done] = [join(CONSUMERS, 'package-lock.json'), join(INSTALLED, '.package-lock.json')];
  if (existsSync(done) && statSync(done).mtimeMs >= statSync(lock).mtimeMs) return;
  // The environment may name the registry.
  const environment = process.env as Record<string, string>;
  const command = ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'] as const;
  const { code, stderr } = await run(t, command, environment, CONSUMERS).ended;
  if (code !== 0) throw new Error(`The packages of ${CONSUMERS} were not installed:\n${stderr}`);
}

/** A consumer's project: a strict tsconfig.json, the packages, and a folder for each tool with its program and configuration. */
async function consumersProject(t: Test): Promise<string> {
  const folder = temporaryFolder(t);
  const write = (path: string, value: string | object) =>
    writeFileSync(join(folder, path), typeof value === 'string' ? value : JSON.stringify(value));
  const compilerOptions = {
    ...{ target: 'es2022', lib: ['es2023', 'dom', 'dom.iterable'], types: [] },
    ...{ module: 'esnext', moduleResolution: 'bundler', esModuleInterop: true, strict: true, noEmit: true },
    // Kubb imports its files by their whole names.
    allowImportingTsExtensions: true,
  };
  write('tsconfig.json', { compilerOptions });
  write('package.json', { type: 'module' });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const name of [...Object.keys(CLIENTS), ...READERS]) {
    mkdirSync(join(folder, name));
    if (!(name in SHORT)) symlinkSync(INSTALLED, join(folder, name, 'node_modules'));
  }
  for (const [name, { files, fetched = {} }] of Object.entries(CLIENTS)) {
    cpSync(join(CONSUMERS, `${name}.ts`), join(folder, name, 'program.ts'));
    for (const [file, text] of Object.entries(files?.(url) ?? {})) write(join(name, file), text);
    for (const [file, path] of Object.entries(fetched))
      write(join(name, file), await (await fetch(`${url}${path}`)).text());
  }
  return folder;
}

/** Runs a command of an installed package, without what measures the coverage of our own processes. */
function start([command, ...args]: readonly [string, ...string[]], folder: string): Running {
  const paths = [INSTALLED, join(ROOT, 'node_modules')].map((packages) => join(packages, '.bin', command));
  const found = paths.find((path) => existsSync(path)) ?? command;
  // Switches off telemetry.
  const environment = { HOME: project, NO_COLOR: '1', DO_NOT_TRACK: '1', REDOCLY_TELEMETRY: 'off' };
  return run(t, [found, ...args], environment, join(project, folder));
}
const execute = (command: readonly [string, ...string[]], folder: string): Promise<Ended> =>
  start(command, folder).ended;

/** Runs as a module in the consumer's project, and prints what each program saw, or how it failed. */
const ALL_PROGRAMS = `
  const seen = {};
  for (const name of ${JSON.stringify(Object.keys(CLIENTS))}) {
    const { consume } = await import('./' + name + '/program.ts');
    seen[name] = await consume(...process.argv.slice(2)).catch(String);
  }
  console.log(JSON.stringify(seen));
`;

/** Gives swagger-parser a downloaded contract, because it does not read from local addresses. */
const PARSED = `
  import SwaggerParser from '@apidevtools/swagger-parser';
  const answer = await fetch(process.argv[2]);
  const { paths } = await SwaggerParser.validate(await answer.json());
  console.log(Object.keys(paths).length);
`;

/** Matches warnings in the output of a tool. Some tools name each file that they write. */
const COMPLAINT = /\b(warn(ing)?s?|errors?|fail(ed|ures?)?)\b|[⚠✖✗]/i;
const MADE_UP = /(\d|One|Two|Three|Item|Writable)$/;

t.test('the tools of consumers accept the served contracts', async (t) => {
  const whole = { skip: skipUnlessWhole };
  const database = await memoryDatabase(t);
  await demo.seed(database.client);
  const [instance] = await Promise.all([startInstance(t, database), isLong && install()]);
  // Linters reject the name `localhost` in a contract.
  url = instance.url.replace('localhost', '127.0.0.1');
  project = await consumersProject(t);

  t.test('each generator accepts the served contract without warnings', async (t) => {
    const left = Object.entries(CLIENTS);
    const oneAfterTheOther = async () => {
      for (let next = left.shift(); next !== undefined; next = left.shift()) {
        const [name, { command, printed }] = next;
        const { code, stdout, stderr } = await execute(command(url), name);
        t.equal(code, 0, name);
        t.notMatch((printed === undefined ? stdout : '') + stderr, COMPLAINT, name);
        if (printed !== undefined) writeFileSync(join(project, name, printed), stdout);
      }
    };
    await Promise.all([oneAfterTheOther(), oneAfterTheOther()]);
  });

  t.test('Spectral reports nothing, not even a hint', whole, async (t) => {
    writeFileSync(join(project, 'spectral', '.spectral.yaml'), 'extends: ["spectral:oas"]\n');
    const { stdout } = await execute(
      ['spectral', 'lint', '-F', 'hint', '-f', 'json', `${url}/openapi.json`],
      'spectral',
    );
    t.match(stdout, /^\[\]/);
  });

  t.test('Redocly with strict rules reports nothing', whole, async (t) => {
    const command = [
      'redocly',
      'lint',
      `${url}/openapi.json`,
      '--extends=recommended-strict',
      '--format=json',
    ] as const;
    const { problems } = JSON.parse((await execute(command, 'redocly')).stdout);
    t.same(problems, []);
  });

  t.test('swagger-parser accepts the contract, and finds all paths', whole, async (t) => {
    writeFileSync(join(project, 'swagger-parser', 'parsed.mjs'), PARSED);
    const { stdout, stderr } = await execute([process.execPath, 'parsed.mjs', `${url}/openapi.json`], 'swagger-parser');
    t.same([stderr, Number(stdout)], ['', new Set(contractOperations.map(({ path }) => path)).size]);
  });

  t.test('Prism between the service and the curl lines of two pages finds no violation', whole, async (t) => {
    const prism = start(['prism', 'proxy', `${url}/openapi.json`, url, '--errors', '--port', '0'], 'prism');
    const proxy = await eventually('a proxy', () => /listening on (\S+)/.exec(prism.stdout())?.[1]);
    // Prism needs addresses with the prefix, as in the contract.
    const lines = ['README.md', 'docs/using-the-api.md']
      .flatMap(exchanges)
      .filter(({ line }) => /localhost:3000\/(api\/v1|\.well-known)\//.test(line));
    const answers = await asked(t, proxy, lines);
    t.ok(answers.length > 20);
    for (const { line, status, found, body } of answers) t.equal(found, status, `${line}\n${body}`);

    const headers = { 'content-type': 'application/json' };
    const spoilt = await fetch(`${proxy}/api/v1/auth/login`, { method: 'POST', body: '{}', headers });
    t.match(await spoilt.json(), { type: /prism/ });
  });

  t.test('generated clients and the programs that use them compile under strict', async (t) => {
    // Some generated files disable the compiler's checks. The test enables them, except for Relay, whose files violate them.
    for (const name of Object.keys(CLIENTS).filter((name) => name !== 'relay')) {
      for (const [file, text] of Object.entries(sourcesIn(join(project, name))))
        writeFileSync(join(project, name, file), text.replace(/^.*@ts-nocheck.*$/m, ''));
    }
    const { stdout } = await execute(['tsc', '--project', '.'], '.');
    // Errors in the declarations of installed packages do not count.
    const ours = stdout.split('\n').filter((line) => line !== '' && !/^\S*node_modules\//.test(line));
    t.same(ours, []);
  });

  t.test('a client of each generator reads the responses by its types', async (t) => {
    writeFileSync(join(project, 'all.mjs'), ALL_PROGRAMS);
    const { stdout, stderr } = await execute(['tsx', 'all.mjs', url, DEMO_ADMIN, DEMO_PASSWORD], '.');
    t.equal(stderr, '');
    const page = { names: ['Ada Lovelace', 'Grace Hopper'], more: true };
    const all = {
      rest: {
        ...page,
        role: 'admin',
        order: { status: 'pending', amount: 1999 },
        refused: { code: 'VALIDATION_FAILED', pointers: ['/total/amount'] },
      },
      graphql: {
        ...page,
        role: 'ADMIN',
        created: { name: 'Barbara Liskov', role: 'DEVELOPER' },
        refused: { data: { createUser: null }, codes: ['CONFLICT'] },
      },
    };
    const some = {
      rest: { ...page, name: 'Ada Lovelace', role: 'admin' },
      graphql: { ...page, name: 'Ada Lovelace', role: 'ADMIN' },
    };
    const expected = Object.entries(CLIENTS).map(([name, { over, whole }]) => [name, (whole ? all : some)[over]]);
    t.strictSame(JSON.parse(stdout), Object.fromEntries(expected));
  });

  for (const [name, file] of [
    ['hey-api', 'client/types.gen.ts'],
    ['orval', 'api.ts'],
  ] as const) {
    t.test(`${name} finds a name for each type in the contract`, whole, async (t) => {
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
    t.test(`${name} makes a documented function of each operation`, whole, async (t) => {
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

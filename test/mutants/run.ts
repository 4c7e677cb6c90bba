// Plants each mutant in a copy of the checkout and runs the tests that should notice it: `npm run mutants [text…]`
// runs those whose file or text contains one of the texts. Exits with 1 if a mutant survives, and with 2 if the list
// or a test is wrong.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT } from '../support/process.js';
import { MUTANTS } from './list.js';
import type { Mutant } from './mutant.js';

/** Two copies, each with one test at a time. */
const COPIES = 2;
/** A test that takes longer hangs. */
const LIMIT_MS = 6 * 60_000;
const FLAGS = ['plain-promises.js', 'sparing-compiler.js', 'tsx'].map((name) => {
  const place = { 'plain-promises.js': './test/support/', 'sparing-compiler.js': './src/workbench/cli/' }[name] ?? '';
  return `--import=${place}${name}`;
});
/** Nobody listens there, so tests of PostgreSQL and Redis are skipped. */
const WITHOUT_SERVERS = { TEST_DATABASE_URL: 'postgres://127.0.0.1:2', TEST_REDIS_URL: 'redis://127.0.0.1:2' };

/** Copies the checkout with its uncommitted changes. Packages are links, except those of this repository. */
function copyCheckout(): string {
  const folder = mkdtempSync(join(tmpdir(), 'accord-mutants-'));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: ROOT });
  const files = listed.toString().split('\0').filter(Boolean);
  const removed = execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: ROOT }).toString().split('\0');
  for (const file of files) {
    if (removed.includes(file)) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(ROOT, file), join(folder, file), { verbatimSymlinks: true });
  }
  for (const name of ['generated', 'dist']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of ['node_modules', 'tmp']) mkdirSync(join(folder, name));
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    const [here, there] = [join(ROOT, 'node_modules', name), join(folder, 'node_modules', name)];
    if (name === '@accord-api') cpSync(here, there, { recursive: true, verbatimSymlinks: true });
    else if (name !== '.cache') symlinkSync(here, there);
  }
  return folder;
}

/** Functions that end the running tests. */
const running = new Set<() => void>();

/** Runs a test file until its first failed assertion, and returns its name; undefined if the file passes. */
function runTest(folder: string, test: string, servers: boolean): Promise<string | undefined> {
  const places = { TMPDIR: join(folder, 'tmp'), ...(!servers && WITHOUT_SERVERS) };
  const child = spawn(process.execPath, [...FLAGS, `test/${test}`], {
    cwd: folder,
    env: { ...process.env, CI: '', TAP_TIMEOUT: '600', ...places },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const stop = () => {
    // The group includes processes that the test has started.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  running.add(stop);
  return new Promise((resolve) => {
    let output = '';
    let failure: string | undefined;
    const timer = setTimeout(() => {
      failure ??= 'hangs';
      stop();
    }, LIMIT_MS);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const failed = /^ *not ok \d+ - (?!.*# (?:TODO|SKIP))(.*)$/m.exec(output)?.[1];
      if (failed === undefined) return;
      failure ??= failed;
      // A test with a server ends by itself, because it drops its databases.
      if (!servers) stop();
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      running.delete(stop);
      if (code !== 0) failure ??= `exit code ${code}`;
      resolve(failure);
    });
  });
}

const textOf = (path: string) => readFileSync(path, 'utf8');

/** Returns the entries of the list that cannot be planted. */
const problemsOf = ({ file, before, after }: Mutant): string[] => {
  const found = textOf(join(ROOT, 'src', file)).split(before).length - 1;
  if (before === after) return [`${file}: "${before}" changes nothing`];
  return found === 1 ? [] : [`${file}: "${before}" occurs ${found} times`];
};

/** Runs each task in one of the copies. */
async function inCopies<T>(copies: string[], tasks: T[], work: (folder: string, task: T) => Promise<void>) {
  const left = [...tasks];
  await Promise.all(
    copies.map(async (folder) => {
      for (let task = left.shift(); task !== undefined; task = left.shift()) await work(folder, task);
    }),
  );
}

async function main(copies: string[]): Promise<number> {
  const wanted = process.argv.slice(2);
  const mutants = MUTANTS.filter(
    ({ file, before }) => wanted.length === 0 || wanted.some((text) => file.includes(text) || before.includes(text)),
  );
  const problems = mutants.flatMap(problemsOf);
  if (problems.length > 0) {
    console.error(problems.join('\n'));
    return 2;
  }

  /** The outcome of each test without a mutant, which is known after it has killed one. */
  const clean = new Map<string, Promise<string | undefined>>();
  const failsAnyway = (folder: string, test: string, servers: boolean) => {
    const key = `${test} ${servers}`;
    const outcome = clean.get(key) ?? runTest(folder, test, servers);
    clean.set(key, outcome);
    return outcome;
  };

  const survivors: string[] = [];
  const broken = new Set<string>();
  await inCopies(copies, mutants, async (folder, { file, before, after, tests, servers = false }) => {
    const path = join(folder, 'src', file);
    const original = textOf(path);
    writeFileSync(
      path,
      original.replace(before, () => after),
    );
    let killer: string | undefined;
    for (const test of tests) {
      const failure = await runTest(folder, test, servers);
      if (failure === undefined) continue;
      killer = `${test}: ${failure}`;
      writeFileSync(path, original);
      const other = await failsAnyway(folder, test, servers);
      if (other !== undefined) broken.add(`${test}: ${other}`);
      break;
    }
    writeFileSync(path, original);
    const line = original.slice(0, original.indexOf(before)).split('\n').length;
    const mutant = `src/${file}:${line}  ${before}  =>  ${after}`;
    console.log(killer ? `killed    ${mutant}\n          ${killer}` : `SURVIVED  ${mutant}`);
    if (!killer) survivors.push(mutant);
  });

  const drawn = mutants.filter((mutant) => mutant.drawn).length;
  console.log(
    `\n${mutants.length - survivors.length} of ${mutants.length} mutants are killed (${drawn} at drawn places).`,
  );
  for (const survivor of survivors) console.log(`survived: ${survivor}`);
  for (const test of broken) console.log(`fails without a mutant: ${test}`);
  if (broken.size > 0) return 2;
  return survivors.length > 0 ? 1 : 0;
}

const copies: string[] = [];
process.once('exit', () => running.forEach((stop) => void stop()));
process.once('exit', () => copies.forEach((folder) => void rmSync(folder, { recursive: true, force: true })));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
for (let n = 0; n < COPIES; n++) copies.push(copyCheckout());
process.exitCode = await main(copies);

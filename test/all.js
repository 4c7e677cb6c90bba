// Runs all tests, or those of the named folders, in one process per folder. A folder below another one (`parts/pages`)
// belongs to the process of the upper one, unless `FIRST` lists it. An uncaught error fails its file, and the others go on
// (`reportUncaught` in support/ending.ts). A killed or crashed process fails its file, and another process runs the other
// files of the folder. `TESTS` names another directory of such folders. It bundles the TypeScript, because tap's loaders
// take four times as long to start, also in each child process. Therefore this file is JavaScript.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const SUPPORT = join(ROOT, 'test', 'support');
const TESTS = resolve(process.env['TESTS'] ?? join(ROOT, 'test'));
/** Other tests leave the results of the project's tests alone. */
const own = TESTS === join(ROOT, 'test');
/** Inside the project, so that imports find its packages. */
const BUNDLES = join(ROOT, 'node_modules', '.cache', 'accord', own ? 'tests' : `tests-${process.pid}`);
const COVERAGE = join(own ? ROOT : TESTS, 'coverage');
/** The TAP output of each process. */
const RESULTS = join(COVERAGE, 'tests');
/** The recordings for `accord coverage` (`RECORDINGS` in the sources). */
const RECORDINGS = join(COVERAGE, 'contract');
/** Contains the process id of the running tests. */
const LOCK = join(COVERAGE, 'tests.lock');
/** Two more than the cores, because most processes wait at times. */
const JOBS = availableParallelism() + 2;
/** The slowest folders start first, so that no process runs alone at the end. Each has a process of its own. */
const FIRST = [
  'conformance',
  'new',
  'server/process',
  'workbench',
  'parts/identity',
  'example',
  'install',
  'clients',
  'core/http',
  'database',
  'parts/live',
  'faults',
  'parts',
  'server',
  'project',
  'core/operations',
  'core',
];
/** The tests that run after all others, alone: what they promise depends on the processor time of other processes. */
const ALONE = ['parts/limits/unread-answers.test.ts'];
const FLAGS = [
  '--enable-source-maps',
  '--import=./test/support/plain-promises.js',
  '--import=./src/workbench/cli/sparing-compiler.js',
];
/** Seconds until tap stops a test, more than ten times as long as any takes. A process is killed after four times this time. */
const TIMEOUT = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).tap.timeout;

/**
 * Lists the test files below a folder, without installed packages and frozen projects.
 * @param {string} folder
 * @returns {string[]} `parts/pages/files.test.ts`
 */
const testsBelow = (folder) =>
  readdirSync(join(TESTS, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (entry.isDirectory()) return /^(node_modules|\d+\.\d+\.\d+)$/.test(entry.name) ? [] : testsBelow(path);
    return path.endsWith('.test.ts') && folder !== '' ? [path] : [];
  });

const asked = process.argv.slice(2);
const tests = testsBelow('').sort();
/** @param {string} folder */
const isAbove = (folder) => (/** @type {string} */ file) => file.startsWith(`${folder}/`);
const unknown = asked.filter((folder) => !tests.some(isAbove(folder)));
if (unknown.length > 0) throw new Error(`There is no folder of tests: ${unknown.join(', ')}`);
/** The test files of each process, which share loaded modules, by folder. @type {Map<string, string[]>} */
const filesOf = new Map();
for (const file of tests.filter((file) => asked.length === 0 || asked.some((folder) => isAbove(folder)(file)))) {
  const above = FIRST.filter((pattern) => isAbove(pattern)(file)).sort((a, b) => b.length - a.length);
  const folder = ALONE.includes(file) ? file : (above[0] ?? /** @type {string} */ (file.split('/')[0]));
  filesOf.set(folder, [...(filesOf.get(folder) ?? []), file]);
}
const inOrder = [...new Set([...FIRST, ...filesOf.keys()])].filter((folder) => filesOf.has(folder));

/** @param {number} id of a process */
function isAlive(id) {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Locks the folder, because two runs would delete each other's bundles and results. Throws if another run has the lock.
 */
function takeFolder() {
  mkdirSync(dirname(LOCK), { recursive: true });
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
    const holder = Number(readFileSync(LOCK, 'utf8'));
    if (isAlive(holder))
      throw new Error(
        `Process ${holder} runs tests in this folder, and two runs would delete each other's results. Wait until it has ended, or run these in a folder of their own (git worktree add). If it is no run of tests, delete ${LOCK}.`,
      );
    // The process with the lock was killed.
    rmSync(LOCK);
    takeFolder();
    return;
  }
  process.once('exit', () => rmSync(LOCK));
}

/** @type {import('esbuild').Plugin} */
const testsOfFolders = {
  name: 'tests of folders',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^tests of / }, ({ path }) => ({ path: path.slice('tests of '.length), namespace: 'tests' }));
    onLoad({ filter: /./, namespace: 'tests' }, ({ path: folder }) => {
      const files = filesOf.get(folder) ?? [];
      const loads = files.map((file) => `await load('${file}', () => import('./${file}'));`);
      const ending = JSON.stringify(join(SUPPORT, 'ending.js'));
      return {
        resolveDir: TESTS,
        contents: `import ${JSON.stringify(join(SUPPORT, 'loading.js'))}; import { load, loaded } from ${ending};
${loads.join('\n')}\nloaded();`,
      };
    });
    // Bundles only the packages of this repository.
    onResolve({ filter: /^[^./]/ }, ({ path }) => (path.startsWith('@accord-api/') ? undefined : { external: true }));
    // Gives each module the address of its source instead of the bundle.
    onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
      const place = JSON.stringify({ url: pathToFileURL(path).href, dirname: dirname(path) });
      return { contents: `const __place = ${place}; ${readFileSync(path, 'utf8')}`, loader: 'ts' };
    });
  },
};

/**
 * Bundles the tests of each folder with their imports from this repository. Rejects on a syntax error or a missing
 * file.
 */
async function bundle() {
  rmSync(BUNDLES, { recursive: true, force: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: inOrder.map((folder) => ({ in: `tests of ${folder}`, out: folder })),
    outdir: BUNDLES,
    bundle: true,
    // Dynamic imports get files of their own. Modules are not wrapped in functions, which would hide unused code from
    // c8.
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Keeps the names of functions and classes, and code that no test reaches, which counts as not covered.
    keepNames: true,
    treeShaking: false,
    sourcemap: 'linked',
    sourcesContent: false,
    define: { 'import.meta.url': '__place.url', 'import.meta.dirname': '__place.dirname' },
    plugins: [testsOfFolders],
  });
}

/** The running processes, which are killed at the end. @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.once('exit', () => running.forEach((child) => void child.kill()));
if (!own) process.once('exit', () => rmSync(BUNDLES, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

/**
 * Returns the file that ended a process, and those that the next process skips: this file, and the files whose tests
 * have ended. A file that is being loaded may end the process while tests of another one run.
 * @param {string} progress
 */
function afterCrash(progress) {
  const lines = existsSync(progress) ? readFileSync(progress, 'utf8').trim().split('\n') : [];
  const culprit = lines.at(-1)?.split(' ')[1];
  const begun = [...new Set(lines.flatMap((line) => (line.startsWith('run ') ? line.slice(4) : [])))];
  return { culprit, done: culprit === undefined ? [] : [culprit, ...begun.slice(0, -1)] };
}

/**
 * Runs the tests of a folder and stores their output.
 * @param {string} folder
 * @param {string[]} skipped files
 */
async function run(folder, skipped = []) {
  const began = performance.now();
  const name = folder.replaceAll('/', '-');
  const result = join(RESULTS, skipped.length === 0 ? `${name}.tap` : `${name}-after-${skipped.length}.tap`);
  const progress = `${result}.progress`;
  const output = createWriteStream(result);
  const child = spawn(process.execPath, [...FLAGS, join(BUNDLES, `${folder}.js`)], {
    cwd: ROOT,
    env: { ...process.env, TAP_TIMEOUT: TIMEOUT, TESTS_PROGRESS: progress, TESTS_SKIPPED: skipped.join() },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 4 * TIMEOUT * 1000,
    killSignal: 'SIGKILL',
  });
  running.add(child);
  child.stdout.pipe(output);
  const [[code, signal]] = await Promise.all([once(child, 'exit'), once(output, 'close')]);
  running.delete(child);
  // Tap prints its total last. A process without it has not run all tests.
  const total = /^# \{ (total: .*) \}$/m.exec(readFileSync(result, 'utf8').slice(-500))?.[1];
  /** @param {string} name */
  const count = (name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(total ?? '')?.[1] ?? 0);
  const seconds = ((performance.now() - began) / 1000).toFixed();
  const good = code === 0 && total !== undefined;
  console.log(`${good ? 'ok' : 'not ok'} ${folder}: ${total ?? 'it did not come to its end'}, ${seconds} s`);
  if (total !== undefined)
    runs.push({ result, good, total: count('total'), pass: count('pass'), fail: count('fail'), skip: count('skip') });
  else {
    const { culprit, done } = afterCrash(progress);
    const message = `${culprit ?? folder} ended its process: ${signal ?? `exit code ${code}`}`;
    console.log(`not ok ${message}`);
    // Without the test that was running, because tap reads no unfinished results.
    const written = readFileSync(result, 'utf8');
    const last = written.lastIndexOf('\n# Subtest: ') + 1;
    const whole = /^(not )?ok /m.test(written.slice(last)) ? written : written.slice(0, last);
    const number = (whole.match(/^(not )?ok /gm)?.length ?? 0) + 1;
    writeFileSync(result, `${whole}\nnot ok ${number} - ${message}\n1..${number}\n`);
    runs.push({ result, good, total: 1, pass: 0, fail: 1, skip: 0 });
    const all = [...skipped, ...done];
    if (done.length > 0 && filesOf.get(folder)?.some((file) => !all.includes(file))) await run(folder, all);
  }
  rmSync(progress, { force: true });
}

takeFolder();
await bundle();
for (const old of [RESULTS, RECORDINGS]) rmSync(old, { recursive: true, force: true });
mkdirSync(RESULTS, { recursive: true });
const left = inOrder.filter((folder) => !ALONE.includes(folder));
/** @type {{ result: string, good: boolean, total: number, pass: number, fail: number, skip: number }[]} */
const runs = [];
const oneAfterTheOther = async () => {
  for (let folder = left.shift(); folder !== undefined; folder = left.shift()) await run(folder);
};
await Promise.all(Array.from({ length: JOBS }, oneAfterTheOther));
for (const file of ALONE.filter((file) => filesOf.has(file))) await run(file);

const bad = runs.filter(({ good }) => !good);
if (bad.length > 0) {
  // Tap reports the failures.
  const tap = fileURLToPath(new URL('run.mjs', import.meta.resolve('tap')));
  const args = ['run', '--disable-coverage', '--reporter=terse', ...bad.map(({ result }) => result)];
  spawnSync(process.execPath, [tap, ...args], { cwd: ROOT, stdio: 'inherit' });
  process.exitCode = 1;
}
/** @param {'total' | 'pass' | 'fail' | 'skip'} name */
const sum = (name) => runs.reduce((all, run) => all + run[name], 0);
console.log(`# { total: ${sum('total')}, pass: ${sum('pass')}, fail: ${sum('fail')}, skip: ${sum('skip')} }`);

// Runs all tests, or those of the folders that are named, each folder as a process. Plain JavaScript, for it bundles what is
// TypeScript: a process that reads that by tap's loaders takes four times as long to begin, and all that it starts has one too.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/** Inside of the project, so that its packages are found. */
const BUNDLES = join(ROOT, 'node_modules', '.cache', 'accord', 'tests');
/** What each process says, as TAP. */
const RESULTS = join(ROOT, 'coverage', 'tests');
/** What they saw of the contracts, which `accord coverage` reads (`RECORDINGS` in the sources). */
const RECORDINGS = join(ROOT, 'coverage', 'contract');
/** Holds the process id of the run that goes on in this folder. */
const LOCK = join(ROOT, 'coverage', 'tests.lock');
/** Two more than there are cores, for most processes wait at times. */
const JOBS = availableParallelism() + 2;
/** What takes longest or waits most is begun first, so that no process is left alone at the end. */
const FIRST = [
  'new',
  'http',
  'install',
  'faults',
  'process',
  'lifecycle',
  'clone',
  'graphql',
  'contract',
  'project',
  'platform',
];
const FLAGS = [
  '--enable-source-maps',
  '--import=./test/support/plain-promises.js',
  '--import=./src/workbench/cli/sparing-compiler.js',
];
/** Seconds after which tap ends a case that hangs; a process that hangs itself is ended after twice as long. */
const TIMEOUT = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).tap.timeout;

/** @param {string} folder */
const filesIn = (folder) =>
  readdirSync(join(ROOT, 'test', folder))
    .filter((name) => name.endsWith('.test.ts'))
    .sort();

/** Each is a process, for what one of its files has loaded, the next need not. */
const folders = readdirSync(join(ROOT, 'test'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && filesIn(entry.name).length > 0)
  .map(({ name }) => name);
const asked = process.argv.length > 2 ? process.argv.slice(2) : folders;
const unknown = asked.filter((folder) => !folders.includes(folder));
if (unknown.length > 0) throw new Error(`There is no folder of tests: ${unknown.join(', ')}`);
const inOrder = [...new Set([...FIRST, ...folders])].filter((folder) => asked.includes(folder));

/** @param {number} id of a process */
function isAlive(id) {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/** Has the folder for this run: two would delete each other's bundles and results. Throws while another one goes on. */
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
    // Its run was killed.
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
      const imports = ['../support/loading.js', ...filesIn(folder).map((file) => `./${file}`)];
      return {
        resolveDir: join(ROOT, 'test', folder),
        contents: `${imports.map((one) => `import '${one}';`).join(' ')}\nimport { loaded } from '../support/ending.js'; loaded();`,
      };
    });
    // Packages stay outside, but for our own.
    onResolve({ filter: /^[^./]/ }, ({ path }) => (path.startsWith('@accord-api/') ? undefined : { external: true }));
    // A source is told where it stands, and not where its bundle does.
    onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
      const place = JSON.stringify({ url: pathToFileURL(path).href, dirname: dirname(path) });
      return { contents: `const __place = ${place}; ${readFileSync(path, 'utf8')}`, loader: 'ts' };
    });
  },
};

/** Bundles the tests of each folder with all of ours that they import. Rejects when something does not parse or is not there. */
async function bundle() {
  rmSync(BUNDLES, { recursive: true, force: true });
  await build({
    absWorkingDir: ROOT,
    entryPoints: asked.map((folder) => ({ in: `tests of ${folder}`, out: folder })),
    outdir: BUNDLES,
    bundle: true,
    // What is imported later is a file of its own, and none is wrapped in functions, which would hide from c8 what was not run.
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    // Classes and functions tell their names, and what no test reaches counts as not covered.
    keepNames: true,
    treeShaking: false,
    sourcemap: 'linked',
    sourcesContent: false,
    define: { 'import.meta.url': '__place.url', 'import.meta.dirname': '__place.dirname' },
    plugins: [testsOfFolders],
  });
}

/** Processes that run: none outlives this one. @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
process.once('exit', () => running.forEach((child) => void child.kill()));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));

/**
 * Runs the tests of a folder, and keeps what they say.
 * @param {string} folder
 */
async function run(folder) {
  const began = performance.now();
  const result = join(RESULTS, `${folder}.tap`);
  const output = createWriteStream(result);
  const child = spawn(process.execPath, [...FLAGS, join(BUNDLES, `${folder}.js`)], {
    cwd: ROOT,
    env: { ...process.env, TAP_TIMEOUT: TIMEOUT },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: 2 * TIMEOUT * 1000,
    killSignal: 'SIGKILL',
  });
  running.add(child);
  child.stdout.pipe(output);
  const [[code]] = await Promise.all([once(child, 'exit'), once(output, 'close')]);
  running.delete(child);
  // Tap's own total comes last: a process that did not get there has not run all of its tests.
  const total = /^# \{ (total: .*) \}$/m.exec(readFileSync(result, 'utf8').slice(-500))?.[1];
  /** @param {string} name */
  const count = (name) => Number(new RegExp(`\\b${name}: (\\d+)`).exec(total ?? '')?.[1] ?? 0);
  const seconds = ((performance.now() - began) / 1000).toFixed();
  const good = code === 0 && total !== undefined;
  console.log(`${good ? 'ok' : 'not ok'} ${folder}: ${total ?? 'it did not come to its end'}, ${seconds} s`);
  return { result, good, total: count('total'), pass: count('pass'), fail: count('fail'), skip: count('skip') };
}

takeFolder();
await bundle();
for (const old of [RESULTS, RECORDINGS]) rmSync(old, { recursive: true, force: true });
mkdirSync(RESULTS, { recursive: true });
const left = [...inOrder];
/** @type {Awaited<ReturnType<typeof run>>[]} */
const runs = [];
const oneAfterTheOther = async () => {
  for (let folder = left.shift(); folder !== undefined; folder = left.shift()) runs.push(await run(folder));
};
await Promise.all(Array.from({ length: JOBS }, oneAfterTheOther));

const bad = runs.filter(({ good }) => !good);
if (bad.length > 0) {
  // Tap shows what failed, and where.
  const tap = fileURLToPath(new URL('run.mjs', import.meta.resolve('tap')));
  const args = ['run', '--disable-coverage', '--reporter=terse', ...bad.map(({ result }) => result)];
  spawnSync(process.execPath, [tap, ...args], { cwd: ROOT, stdio: 'inherit' });
  process.exitCode = 1;
}
/** @param {'total' | 'pass' | 'fail' | 'skip'} name */
const sum = (name) => runs.reduce((all, one) => all + one[name], 0);
console.log(`# { total: ${sum('total')}, pass: ${sum('pass')}, fail: ${sum('fail')}, skip: ${sum('skip')} }`);

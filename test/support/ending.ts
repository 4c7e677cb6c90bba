import { appendFileSync } from 'node:fs';
import { inspect } from 'node:util';
import t from 'tap';

/** The functions to run at the end, while files of tests are being loaded; undefined afterwards. */
let waiting: (() => unknown)[] | undefined;
/** The file that is being loaded. */
let loading: string | undefined;
/** The files of this process. */
const files = new Set<string>();
/** The files of the tests at the top level. */
const fileOf = new WeakMap<object, string>();

/**
 * Runs a function when all tests of this process have ended. Once tap has a teardown of the process, it takes every
 * pause for the end, so the teardown is registered after all files are loaded.
 */
export function atEnd(work: () => unknown): void {
  if (waiting) waiting.push(work);
  else t.teardown(work);
}

/** The files that a process before this one ran, or that ended it. */
const skipped = new Set(process.env['TESTS_SKIPPED']?.split(','));

/** Tells test/all.js which file ends the process, if one does. */
function note(doing: 'load' | 'run', file: string | undefined): void {
  const progress = process.env['TESTS_PROGRESS'];
  if (progress !== undefined && file !== undefined) appendFileSync(progress, `${doing} ${file}\n`);
}

/** Returns the innermost running test of a file. */
function runningTest(file: string | undefined) {
  const inside = (subtest: object): object => {
    const running = 'activeSubtests' in subtest ? [...(subtest as typeof t).activeSubtests].at(-1) : undefined;
    return running ? inside(running) : subtest;
  };
  const top = [...t.activeSubtests].find((subtest) => file === undefined || fileOf.get(subtest) === file);
  return top && (inside(top) as typeof t);
}

/** Returns the file of tests that an error names, or else the one whose test runs, or else the one that is being loaded. */
function causeOf(stack: string): string | undefined {
  const path = /([\w./-]+\.test\.ts)\b/.exec(stack)?.[1];
  const named = path && [...files].find((file) => path.endsWith(`/${file}`));
  return (
    named ?? [...t.activeSubtests].map((subtest) => fileOf.get(subtest)).find((file) => file !== undefined) ?? loading
  );
}

/** Fails the running test of the file that caused an uncaught error, or the process. The other files go on. */
function reportUncaught(reason: unknown, cause?: string): void {
  const error = reason instanceof Error ? reason : new Error(inspect(reason));
  const file = cause ?? causeOf(error.stack ?? '');
  const message = `Uncaught error of ${file ?? 'an unknown file'}: ${error.message}`;
  console.error(`${message}\n${error.stack}`);
  process.exitCode = 1;
  const test = cause === undefined ? runningTest(file) : undefined;
  if (test) test.threw(error);
  else t.fail(message, { stack: error.stack ?? '' });
}

/** Call before the files of tests are loaded. An uncaught error or `process.exit` ends the test, not the process. */
export function begin(): void {
  waiting = [];
  t.on('subtestAdd', (test) => loading !== undefined && fileOf.set(test, loading));
  t.on('subtestStart', (test) => note('run', fileOf.get(test)));
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (reason) => reportUncaught(reason));
  process.exit = (code) => {
    throw new Error(`process.exit(${code ?? ''}) would end the tests of all files of this process.`);
  };
}

/** Loads a file of tests, and fails if it throws. */
export async function load(file: string, imported: () => Promise<unknown>): Promise<void> {
  if (skipped.has(file)) return;
  files.add(file);
  loading = file;
  note('load', file);
  await imported().catch((error: unknown) => reportUncaught(error, file));
  loading = undefined;
}

/** Call when all files of tests are loaded, however long that took. */
export function loaded(): void {
  if (t.ended) throw new Error('Tap took a pause for the end: not all tests have run.');
  const all = waiting ?? [];
  waiting = undefined;
  for (const work of all) t.teardown(work);
}

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { run, temporaryFolder } from '../support/process.js';

const SOUND = `import t from 'tap';
t.test('sound', async (t) => t.pass('it ran'));`;

/** Files of tests that would end a process, by name. */
const FILES: Record<string, string> = {
  'a-sound': SOUND,
  'b-rejected': `import t from 'tap';
t.test('rejects', async (t) => {
  void fetch('http://127.0.0.1:1/nobody-listens');
  await new Promise(() => {});
});
t.test('later test of the file', async (t) => t.pass());`,
  'c-thrown': `import t from 'tap';
t.test('throws later', (t) => void setTimeout(() => { throw new Error('thrown in a timer'); }));`,
  'd-exiting': `import t from 'tap';
t.test('exits', async (t) => process.exit(0));`,
  'e-broken': `import t from 'tap';
t.test('before the error', async (t) => t.pass());
throw new Error('thrown while loading');`,
  'f-late': `import t from 'tap';
t.test('leaves a rejection behind', async (t) => {
  setTimeout(() => void Promise.reject(new Error('left behind')), 200);
});`,
  'g-waiting': `import t from 'tap';
t.test('waits', async (t) => {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  t.pass('the error of another file did not end it');
});`,
  'h-sound': SOUND,
};

/** Files of tests that end their process. */
const DEADLY: Record<string, string> = {
  'a-sound': SOUND,
  'b-killed': `import t from 'tap';
t.test('is killed', async (t) => {
  process.kill(process.pid, 'SIGKILL');
  await new Promise(() => {});
});`,
  'c-sound': SOUND,
  'd-aborting': `import t from 'tap';
t.test('aborts', async (t) => process.abort());`,
  'e-sound': SOUND,
};

function plant(folder: string, name: string, files: Record<string, string>): void {
  mkdirSync(join(folder, name), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, name, `${file}.test.ts`), text);
}

t.test('a killed process fails its file of tests by name, and the other files go on', async (t) => {
  const folder = temporaryFolder(t);
  plant(folder, 'deadly/inner', DEADLY);
  const environment = { TESTS: folder, HOME: process.env['HOME'] ?? '' };
  const { code, stdout } = await run(t, [process.execPath, 'test/all.js'], environment).ended;
  t.equal(code, 1);
  t.match(stdout, /^not ok deadly\/inner\/b-killed\.test\.ts ended its process: SIGKILL$/m, stdout);
  t.match(stdout, /^not ok deadly\/inner\/d-aborting\.test\.ts ended its process: SIGABRT$/m);
  t.match(stdout, /^ok deadly: total: 1, pass: 1, /m, 'the last process');
  t.match(stdout, /^# \{ total: 4, pass: 2, fail: 2 \}$/m, 'as tap reports the others');
  const results = readdirSync(join(folder, 'coverage', 'tests'));
  t.same(results.sort(), ['deadly-after-2.tap', 'deadly-after-4.tap', 'deadly.tap']);
  const sound = results.flatMap((file) =>
    readFileSync(join(folder, 'coverage', 'tests', file), 'utf8').match(/ok \d+ - it ran/g),
  );
  t.equal(sound.length, 3);
});

t.test('an uncaught error fails its file of tests by name, and the other files go on', async (t) => {
  const folder = temporaryFolder(t);
  plant(folder, 'planted', FILES);
  plant(folder, 'other/inner', { sound: SOUND });
  const environment = { TESTS: folder, HOME: process.env['HOME'] ?? '' };
  const { code, stdout, stderr } = await run(t, [process.execPath, 'test/all.js'], environment).ended;
  const output = stdout + stderr;
  t.equal(code, 1);
  t.match(output, /^ok other: total: 1, pass: 1, /m);
  t.match(output, /^not ok planted: total: 11, pass: 6, fail: 5, /m, output);
  for (const [file, message] of [
    ['b-rejected', 'fetch failed'],
    ['c-thrown', 'thrown in a timer'],
    ['e-broken', 'thrown while loading'],
    ['f-late', 'left behind'],
  ])
    t.match(stderr, `Uncaught error of planted/${file}.test.ts: ${message}`);
  t.match(output, /process\.exit\(0\)/);
});

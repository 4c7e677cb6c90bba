import { readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { run, startServer } from '../../support/process.js';
import { copyProject } from '../../support/project-copy.js';
import { skipUnlessWhole } from '../../support/servers.js';

t.test('a start runs the present sources, and builds only after a change', { skip: skipUnlessWhole }, async (t) => {
  const folder = copyProject(t, {});
  const accord = [process.execPath, join(folder, 'src/platform/server/cli/bin.js')] as const;
  const memory = { DATABASE_URL: 'pglite://memory' };
  const bundle = () => readFileSync(join(folder, 'dist/main.js'));
  const built = () => statSync(join(folder, 'dist/bundle.json')).mtimeMs;

  const build = await run(t, [...accord, 'build']).ended;
  t.same([build.code, build.stderr], [0, '']);
  const [first, firstTime] = [bundle(), built()];
  const server = await startServer(t, memory, [...accord, 'start']);
  t.match(server.stdout(), 'Accord is ready.');
  t.same([bundle(), built()], [first, firstTime], 'what is current is left alone');
  server.kill('SIGKILL');

  const source = join(folder, 'src/platform/server/run.ts');
  const text = readFileSync(source, 'utf8');
  const { atime, mtime } = statSync(source);
  // The edited file has the same length and date, as after unpacking an archive.
  writeFileSync(source, text.replaceAll(' is ready.', ' is risen.'));
  utimesSync(source, atime, mtime);
  const contract = join(folder, 'openapi.yaml');
  writeFileSync(contract, readFileSync(contract, 'utf8').replace('title: Accord', 'title: Edited'));
  const edited = await startServer(t, memory, [...accord, 'start']);
  t.match(edited.stdout(), 'Accord is risen.', 'an edit is never missed');
  const served = await (await fetch(`${edited.url}/openapi.json`)).json();
  t.match(served, { info: { title: 'Edited' } }, 'nor is one of the contract, which is parsed when it is built');
  edited.kill('SIGKILL');

  const part = join(folder, 'info.yaml');
  writeFileSync(part, 'title: Split\nversion: 1.0.0\n');
  writeFileSync(
    contract,
    readFileSync(contract, 'utf8').replace(/^info:\n( .*\n|\n)*/m, 'info: { $ref: ./info.yaml }\n'),
  );
  t.equal((await run(t, [...accord, 'build']).ended).code, 0);
  writeFileSync(part, 'title: Parted\nversion: 1.0.0\n');
  const parted = await startServer(t, memory, [...accord, 'start']);
  const shown = await (await fetch(`${parted.url}/openapi.json`)).json();
  t.match(shown, { info: { title: 'Parted' } }, 'nor is one of a part of it');
  parted.kill('SIGKILL');

  const [bundler, before] = [join(folder, 'src/workbench/cli/bundle.ts'), built()];
  writeFileSync(bundler, `${readFileSync(bundler, 'utf8')}// Edited.\n`);
  t.equal((await run(t, [...accord, 'build']).ended).code, 0);
  t.not(built(), before, 'what bundles is a source too');

  const written = statSync(join(folder, 'dist/main.js')).mtimeMs;
  writeFileSync(contract, readFileSync(contract));
  t.equal((await run(t, [...accord, 'build']).ended).code, 0);
  t.equal(statSync(join(folder, 'dist/main.js')).mtimeMs, written, 'what was only written again is no edit');

  const models = join(folder, 'src/application/models.ts');
  const declared = readFileSync(models, 'utf8');
  writeFileSync(
    models,
    declared.replace("model('Order', { read: 'orders.read'", "model('Order', { read: 'orders.raed'"),
  );
  const misspelt = await run(t, [...accord, 'start'], memory).ended;
  t.equal(misspelt.code, 1);
  const at = declared.split('\n').findIndex((line) => line.includes("model('Order'")) + 1;
  t.match(
    misspelt.stderr,
    new RegExp(`^  src/application/models\\.ts:${at}:\\d+: model\\('Order'\\): .*Correct the name`, 'm'),
    'a bundle names the line of the source',
  );
  writeFileSync(models, declared);

  writeFileSync(source, `${text}const half = (`);
  const line = text.split('\n').length;
  const refused = await run(t, [...accord, 'start'], memory).ended;
  t.equal(refused.code, 2);
  t.match(refused.stderr, `src/platform/server/run.ts:${line}:`, 'and a broken one is told with its place');
  t.notMatch(refused.stdout + refused.stderr, /Accord is|^ +at /m);
});

t.test('every command and a start reject an old Node with one sentence', async (t) => {
  const old = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.18.3' } })";
  const preload = `data:text/javascript,${encodeURIComponent(old)}`;
  for (const command of ['start', 'diff', 'keys']) {
    const { code, stdout, stderr } = await run(t, [
      process.execPath,
      `--import=${preload}`,
      'src/platform/server/cli/bin.js',
      command,
    ]).ended;
    t.same([code, stdout, stderr], [2, '', 'Accord needs Node 20.19 or later, and this is Node 20.18.3.\n']);
  }
});

import { cpSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ROOT, run, startServer, temporaryFolder } from '../support/process.js';
import { skipUnlessWhole } from '../support/servers.js';

interface Lock {
  packages: Record<string, { dev?: boolean; optional?: boolean; link?: boolean }>;
}

/** The packages that `npm ci --omit=dev` installs on this platform. */
const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
const installed = Object.entries(packages)
  .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link)
  .map(([path]) => path)
  .filter((path) => existsSync(join(ROOT, path)));

t.test(
  'a production install is small, and contains no compiler, no Prisma, no workbench and no conformance kit',
  (t) => {
    t.ok(installed.length <= 200, `${installed.length} packages`);
    const kept =
      /^node_modules\/(prisma|typescript|tsx|esbuild|ts-morph|react|graphiql|eslint|tap|@graphql-codegen\/.*|@redocly\/.*|@prisma\/client|fast-check)$/;
    const ours = Object.entries(packages).filter(([path, { dev }]) => path.startsWith('src/') && !dev);
    t.strictSame(
      ours.map(([path]) => path),
      ['src/platform'],
    );
    t.strictSame(
      installed.filter((path) => kept.test(path)),
      [],
    );
    t.end();
  },
);

const whole = { skip: skipUnlessWhole };
t.test('a production install runs a build from elsewhere, and has the commands of an operator', whole, async (t) => {
  const folder = temporaryFolder(t);
  for (const part of [
    'package.json',
    'openapi.yaml',
    'generated/contract.json',
    'src/platform',
    'prisma/migrations',
    'dist',
  ])
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  // Nested packages have their own entries.
  const within = (path: string) => (from: string) => from === path || !from.slice(path.length).includes('node_modules');
  for (const path of installed)
    cpSync(join(ROOT, path), join(folder, path), { recursive: true, filter: within(join(ROOT, path)) });
  for (const name of ['tsx', '@accord-api/testing']) t.notOk(existsSync(join(folder, 'node_modules', name)), name);

  const accord = (...args: string[]) =>
    [process.execPath, join(folder, 'src/platform/server/cli/bin.js'), ...args] as const;
  const environment = { DATABASE_URL: `pglite://${folder}/data` };
  const migrated = await run(t, accord('migrate'), environment).ended;
  t.match([migrated.code, migrated.stdout], [0, /: Applied 0_init, /]);
  const server = await startServer(t, environment, accord('start'));
  for (const [path, type] of [
    ['/docs', 'text/html'],
    ['/livez', 'application/json'],
    ['/openapi.json', 'application/json'],
  ] as const) {
    const answer = await fetch(`${server.url}${path}`);
    t.match([answer.status, answer.headers.get('content-type')], [200, type], path);
  }
  const page = await fetch(`${server.url}/graphql`, { headers: { accept: 'text/html' } });
  const script = /src="([^"]*graphiql\.js)"/.exec(await page.text())?.[1];
  const bundle = await fetch(`${server.url}${script}`);
  t.equal((await bundle.arrayBuffer()).byteLength, statSync(join(ROOT, 'dist/pages/graphiql.js')).size);
  const keys = await run(t, accord('keys', 'list'), environment).ended;
  t.match([keys.code, keys.stdout], [0, / {2}current {2}/]);
  const diff = await run(t, accord('diff')).ended;
  t.match([diff.code, diff.stderr], [2, /development dependencies/]);
  server.kill('SIGTERM');
  t.equal((await server.ended).code, 0);

  t.equal((await run(t, accord('build')).ended).code, 0, 'npm may ask it to build');
  rmSync(join(folder, 'dist'), { recursive: true });
  const bare = await run(t, accord('start')).ended;
  t.match([bare.code, bare.stderr], [1, /^There is no dist\/.*npm run build/]);
});

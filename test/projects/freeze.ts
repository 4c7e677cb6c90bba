// Freezes a project of this release with the resource of docs/your-own-api.md, and a dump of a database that this release
// filled: `npm run freeze`. Needs PostgreSQL and pg_dump. Later releases test that the project still works with them (frozen.test.ts).
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import root, { type Test } from 'tap';
import { blankDatabase } from '../support/databases.js';
import { type NewProject, newProject } from '../support/new-project.js';
import { basic, ROOT, startServer } from '../support/process.js';
import { follow, OWN_RESOURCE } from '../support/walk-through.js';

const { version } = JSON.parse(readFileSync(join(ROOT, 'src/platform/package.json'), 'utf8')) as { version: string };
const target = join(ROOT, 'test', 'projects', version);
/** The files that a developer commits. `generated/` is made again by the release under test. */
const FILES = [
  'openapi.yaml',
  'schema.graphql',
  'generated/package.json',
  'prisma',
  'src',
  'test',
  'package.json',
  'tsconfig.json',
  'codegen.ts',
];

/** Starts the project, fills its tables by requests, and returns a dump without signing keys, which a start makes. */
async function dump(t: Test, start: NewProject['start']): Promise<string> {
  const DATABASE_URL = await blankDatabase(t);
  const { url, kill, ended } = await startServer(t, { DATABASE_URL }, start);
  const send = async (method: string, path: string, body?: object) => {
    const headers = { ...basic('ada@demo.example', 'correct horse battery'), 'content-type': 'application/json' };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const answer = await fetch(`${url}/api/v1${path}`, init);
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  };
  for (const title of ['Notes', 'Sketch of the Analytical Engine'])
    await send('POST', '/books', { title, author: 'Ada Lovelace', year: 1843 });
  await send('DELETE', '/books/4');
  for (const book of [1, 3]) await send('POST', `/books/${book}/loans`);
  await send('POST', '/loans/1/return');
  await send('POST', '/auth/login', { email: 'ada@demo.example', password: 'correct horse battery' });
  kill('SIGTERM');
  await ended;
  const options = ['--no-owner', '--no-privileges', '--inserts', DATABASE_URL];
  return execFileSync('pg_dump', options, { encoding: 'utf8' })
    .split('\n')
    .filter((line) => !/^(\\|--|SET |SELECT pg_catalog\.set_config)|INSERT INTO public\.signing_keys |^$/.test(line))
    .join('\n');
}

if (existsSync(target)) throw new Error(`${target} exists: a release is frozen once.`);

root.setTimeout(0);
root.test(`freeze ${version}`, { timeout: 0 }, async (t) => {
  const project = await newProject(t, 'library');
  const { folder, start } = project;
  await follow(t, project, OWN_RESOURCE);
  const sql = await dump(t, start);
  mkdirSync(target, { recursive: true });
  for (const path of FILES) cpSync(join(folder, path), join(target, 'project', path), { recursive: true });
  // The versions in the registry instead of the tarballs.
  const manifest = join(target, 'project', 'package.json');
  const packages = readFileSync(manifest, 'utf8').replaceAll(/"file:[^"]+\.tgz"/g, `"^${version}"`);
  writeFileSync(manifest, packages);
  writeFileSync(join(target, 'dump.sql'), `${sql}\n`);
});

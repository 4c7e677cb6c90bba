import { pathToFileURL } from 'node:url';
import { importsOf, sourcesIn } from './imports.js';

/** The generated files of a new project do not count. */
const GENERATED = /^workbench\/new\/template\/generated\//;

/** The module by which a process starts. An application loads `platform/index.ts` besides. */
const START = 'platform/server/run.ts';
/** The dynamic imports that a service on PostgreSQL without other settings does not make, with their condition. */
const CONDITIONAL = {
  'platform/core/accounts.ts platform/core/hasher.ts': 'the application hashes a password',
  'platform/database/open-migrated.ts platform/database/apply-migrations.ts': 'a migration is missing',
  'platform/database/open.ts platform/database/plain-client.ts': 'prepared-prisma is left out',
  'platform/server/serve.ts platform/server/admin-socket.ts': 'the database is embedded',
  'platform/server/app.ts platform/server/all-parts.ts': 'the application does not name its parts',
  'platform/server/app.ts platform/core/graphql/plugin.ts': 'schema.graphql has queries',
  'platform/database/open-migrated.ts platform/database/embedded.ts': 'the database is embedded',
  'platform/parts/live/index.ts platform/database/redis-signals.ts': 'REDIS_URL is set',
  'platform/parts/limits/index.ts platform/parts/limits/rate-shared.ts': 'REDIS_URL is set',
};

const linesOf = (text: string): number => text.split('\n').length - 1;

export interface Size {
  readonly files: readonly string[];
  readonly lines: number;
}

/** Returns the row of a file in the table: `platform/parts/live`, `platform/database`, `testing`. */
function groupOf(path: string): string {
  const [house = '', ...rooms] = path.split('/').slice(0, -1);
  if (house !== 'platform') return house || 'main';
  return [house, ...rooms.slice(0, rooms[0] === 'core' || rooms[0] === 'parts' ? 2 : 1)].join('/');
}

/** Counts lines and files of `src/`, and of what processes load. Imports of types load nothing. */
export function sizes() {
  const sources = Object.fromEntries(Object.entries(sourcesIn('src')).filter(([path]) => !GENERATED.test(path)));
  const all = Object.keys(sources).sort();
  const sizeOf = (files: readonly string[]): Size => ({
    files,
    lines: files.reduce((sum, path) => sum + linesOf(sources[path] ?? ''), 0),
  });
  const grouped = (files: readonly string[]): Record<string, Size> => {
    const names = [...new Set(files.map(groupOf))].sort();
    return Object.fromEntries(names.map((name) => [name, sizeOf(files.filter((path) => groupOf(path) === name))]));
  };

  const imports = importsOf(sources);
  const importers = new Map<string, Set<string>>();
  const loads = new Map<string, string[]>();
  for (const { from, to, typeOnly } of imports) {
    importers.set(to, (importers.get(to) ?? new Set()).add(from));
    if (typeOnly || !to.startsWith('platform/') || `${from} ${to}` in CONDITIONAL) continue;
    loads.set(from, [...(loads.get(from) ?? []), to]);
  }
  const loadedBy = (start: string): string[] => {
    const files = new Set([start]);
    for (const file of files) for (const to of loads.get(file) ?? []) files.add(to);
    return [...files].sort();
  };
  const core = loadedBy(START);
  const parts = all.filter((path) => /^platform\/parts\/[^/]+\/index\.ts$/.test(path));
  return {
    all: sizeOf(all),
    groups: grouped(all),
    longest: Math.max(...Object.values(sources).map(linesOf)),
    withOneImporter: all.filter((path) => importers.get(path)?.size === 1).length,
    /** A service with `parts: []`. */
    core: sizeOf(core),
    groupsOfCore: grouped(core),
    /** What each part loads besides. */
    added: Object.fromEntries(
      parts.map((path) => [groupOf(path), sizeOf(loadedBy(path).filter((file) => !core.includes(file)))]),
    ),
    /** The rows of `CONDITIONAL` without an import. */
    stale: Object.keys(CONDITIONAL).filter((row) => !imports.some(({ from, to }) => row === `${from} ${to}`)),
  };
}

function print(title: string, rows: Record<string, Size>): void {
  const row = (name: string, files: number | string, lines: number | string) =>
    console.log(`${name.padEnd(36)}${String(files).padStart(6)}${String(lines).padStart(9)}`);
  row(title, 'files', 'lines');
  for (const [name, { files, lines }] of Object.entries(rows)) row(`  ${name}`, files.length, lines);
  console.log();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { all, groups, longest, withOneImporter, core, groupsOfCore, added } = sizes();
  print('The sources', { ...groups, all });
  print('Loaded by a service without parts', { ...groupsOfCore, all: core });
  print('Loaded besides by each part', added);
  console.log(`The longest file has ${longest} lines. ${withOneImporter} files have one importer.`);
}

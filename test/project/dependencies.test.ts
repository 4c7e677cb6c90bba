import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { ROOT } from '../support/process.js';

const PAGE = 'docs/dependencies.md';
const MANIFESTS = [
  'package.json',
  'src/platform/package.json',
  'src/prepared-prisma/package.json',
  'src/testing/package.json',
  'src/workbench/package.json',
  'src/create/package.json',
  'src/workbench/new/template/package.json',
];

interface Overrides {
  [name: string]: string | Overrides;
}
interface Manifest {
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  overrides?: Overrides;
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Returns the versions of overrides at any depth; `npm:<name>@<version>` replaces a package by another one. */
const overridden = (overrides: Overrides): [name: string, version: string][] =>
  Object.entries(overrides).flatMap(([name, version]) => {
    if (typeof version !== 'string') return overridden(version);
    const [, other, its] = /^npm:(.+)@(.+)$/.exec(version) ?? [];
    return [[other ?? name, its ?? version]];
  });

/** Returns the external packages of a package.json with the least version of each. */
function pinned({ dependencies, devDependencies, overrides = {} }: Manifest): [name: string, version: string][] {
  return [...Object.entries({ ...dependencies, ...devDependencies }), ...overridden(overrides)]
    .filter(([name, range]) => !name.startsWith('@accord-api/') && !range.startsWith('$'))
    .map(([name, range]) => [name, range.replace(/^[\^~]/, '')]);
}

interface Row {
  name: string;
  version: string;
  /** The newest version and the reason of a package that lags. */
  newest?: string | undefined;
  reason?: string | undefined;
}

/** Reads the rows of both tables of the page. */
const rowsOf = (page: string): Row[] =>
  [...page.matchAll(/^\| ([@a-z]\S*) \| (\d\S*) \|(?: (\d\S*) \| (.*?) ?\|)?$/gm)].map(
    ([, name = '', version = '', newest, reason]) => ({ name, version, newest, reason }),
  );

const numbers = (version: string): number[] => (version.match(/\d+/g) ?? []).map(Number);
function isNewer(a: string, b: string): boolean {
  const [left, right] = [numbers(a), numbers(b)];
  const at = left.findIndex((number, index) => number !== right[index]);
  return at >= 0 && (left[at] ?? 0) > (right[at] ?? 0);
}

/** Returns the problems of the page, compared with package.json files. */
function problemsOf(page: string, manifests: readonly Manifest[]): string[] {
  const rows = new Map(rowsOf(page).map((row) => [row.name, row]));
  const all = manifests.flatMap(pinned);
  const names = new Set(all.map(([name]) => name));
  return [
    ...all.flatMap(([name, version]) => {
      const row = rows.get(name);
      if (!row) return [`${name} ${version} has no row`];
      return row.version === version ? [] : [`${name} is ${version}, its row says ${row.version}`];
    }),
    ...[...rows.values()].flatMap(({ name, version, newest, reason = '' }) => {
      if (!names.has(name)) return [`${name} is no dependency`];
      if (newest === undefined) return [];
      if (!isNewer(newest, version)) return [`${name} ${version} does not lag behind ${newest}`];
      return reason.split(' ').length > 2 ? [] : [`${name} has no reason`];
    }),
  ];
}

t.test('each dependency has its version in a row, and a reason if it is not the newest one', async (t) => {
  const page = read(PAGE);
  const manifests = MANIFESTS.map((path) => JSON.parse(read(path)) as Manifest);
  t.strictSame(problemsOf(page, manifests), []);
  const rows = rowsOf(page);
  t.equal(new Set(rows.map(({ name }) => name)).size, rows.length, 'each has one row');
  t.equal(
    rows.length,
    page.split('\n').filter((line) => /^\| (?!package |---)/.test(line)).length,
    'the test reads each row',
  );

  await t.test('a missing row, a missing reason, another version and a superfluous row are noticed', async (t) => {
    const planted = {
      dependencies: { one: '^1.0.0', two: '2.0.0', three: '3.0.0' },
      overrides: { four: { five: '5.0.0' } },
    };
    const table =
      '| two | 2.0.0 | 2.1.0 |  |\n| three | 3.0.1 |\n| six | 6.0.0 |\n| five | 5.0.0 | 5.0.0 | It is held. |\n';
    t.strictSame(problemsOf(table, [planted]), [
      'one 1.0.0 has no row',
      'three is 3.0.0, its row says 3.0.1',
      'two has no reason',
      'six is no dependency',
      'five 5.0.0 does not lag behind 5.0.0',
    ]);
  });
});

t.test('the lockfile has the optional packages of all platforms, and no address of a registry', async (t) => {
  const text = read('package-lock.json');
  const { packages } = JSON.parse(text) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const folders = (path: string): string[] => {
    const at = path.lastIndexOf('node_modules/');
    return at < 0 ? [''] : [`${path}/`, ...folders(path.slice(0, Math.max(at - 1, 0)))];
  };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !folders(path).some((folder) => `${folder}node_modules/${name}` in packages),
    ),
  );
  t.strictSame(missing, []);
  t.notMatch(text, /"resolved": "\w+:\/\//);
});

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import t from 'tap';
import { FLOWS } from '../../bench/flows.js';
import { PERFORMANCE, PICTURE, withResults } from '../../bench/page.js';
import { picture } from '../../bench/picture.js';
import { readResults } from '../../bench/results.js';
import { errors } from '../../generated/errors.js';
import { BOUNDS, type Bound, VARIABLE_BOUNDS } from '../../src/platform/core/bounds.js';
import { rows } from '../../src/platform/core/order.js';
import { type Parameters, POSTGRESQL, REDIS } from '../../src/platform/database/parameters.js';
import { FLEET_SETTINGS } from '../../src/platform/parts/identity/keys/fleet-settings.js';
import { demoDirectory } from '../support/demo.js';
import {
  anchorOf,
  asked,
  blocks,
  exchanges,
  headings,
  isThere,
  PAGES,
  PART_PAGES,
  page,
  parts,
  prose,
} from '../support/documentation.js';
import { exampleVariables } from '../support/example.js';
import { ROOT, run, startServer } from '../support/process.js';

/** The maximum length of README, for a reading of a few minutes. */
const README_LINES = 200;

const row = (...cells: unknown[]) => `| ${cells.join(' | ')} |`;
const table = (...[head = [], ...body]: unknown[][]) => [
  row(...head),
  row(...head.map(() => '---')),
  ...body.map((cells) => row(...cells)),
];
const code = (value: unknown) => (value === undefined ? '' : `\`${value}\``);
/** Marks error codes as code. */
const coded = (text: string) => text.replaceAll(/\b[A-Z]+_[A-Z_]+\b/g, '`$&`');
const described = Object.entries(exampleVariables).map(([name, { default: value, description, writeOnly }]) => ({
  name: writeOnly ? `${name}\` or \`${name}_FILE` : name,
  value,
  description,
}));

/** A row for each rule, which several parameters may share. */
const parameterTable = (known: Parameters) =>
  table(
    ['parameter', 'use', 'meaning'],
    ...[...new Set(Object.values(known))].map((rule) => {
      const names = Object.keys(known).filter((name) => known[name] === rule);
      const [use, meaning] = Object.entries(rule)[0] as [string, string];
      const rest = use === 'set' ? [`set to ${code(meaning)}`, 'another value is refused'] : [use, meaning];
      return [names.map(code).join(', '), ...rest];
    }),
  );

const DIFFERENCES = {
  common: 'the start ends, unless the lists have a secret in common',
  equal: 'the start ends',
  similar: 'the log has a warning',
} as const;

/** The tables from the code, by the name of their place in a page. */
const tables: Record<string, string[]> = {
  configuration: table(
    ['variable', 'default', 'what it is for'],
    ...described.map(({ name, value, description }) => [code(name), code(value), description]),
  ),
  parameters: parameterTable(POSTGRESQL),
  'fleet settings': table(
    ['setting', 'if another instance has another value'],
    ...Object.entries<keyof typeof DIFFERENCES>(FLEET_SETTINGS).map(([name, rule]) => [code(name), DIFFERENCES[rule]]),
  ),
  'redis parameters': parameterTable(REDIS),
  limits: table(
    ['limit', 'default', 'scope', 'beyond it', 'variable', 'metric'],
    ...Object.entries(VARIABLE_BOUNDS).map(([variable, { scope, beyond, metric }]) => {
      const { default: value = '', description } = exampleVariables[variable] ?? {};
      return [description, value, scope, coded(beyond), code(variable), code(metric)];
    }),
    ...Object.values<Bound>(BOUNDS).map(({ name, value, scope, beyond, metric }) => [
      name,
      value,
      scope,
      coded(beyond),
      '',
      code(metric),
    ]),
  ),
  errors: table(
    ['code', 'status', 'when'],
    ...Object.entries(errors).map(([name, { status, description }]) => [code(name), status, description]),
  ),
  pipeline: table(
    ['stage', 'section', 'part', 'on', 'what it does', 'refuses with'],
    ...rows.map(({ name, section, owner, on, does, refuses, outsideProduction }) => [
      code(name),
      section,
      owner,
      on.length === 3 ? 'all' : on.join(', '),
      [does, outsideProduction && '(not in production)'].filter(Boolean).join(' '),
      refuses.map(code).join(', '),
    ]),
  ),
};
const places = new RegExp(`(<!-- (${Object.keys(tables).join('|')}) -->\n).*?(<!-- /\\2 -->)`, 'gs');
const withTables = (text: string) =>
  text.replace(places, (_all, start, name, end) => `${start}\n${tables[name]?.join('\n')}\n\n${end}`);

t.test('the tables match the code; UPDATE_DOCS=1 writes them', async (t) => {
  for (const path of PAGES) {
    const text = page(path);
    if (process.env['UPDATE_DOCS']) writeFileSync(join(ROOT, path), withTables(text));
    t.equal(page(path), withTables(text), path);
  }
  const found = PAGES.flatMap((path) => [...page(path).matchAll(places)].map(([, , name]) => name));
  t.same(found.sort(), Object.keys(tables).sort(), 'each has one place');
});

t.test('the page of performance matches the results of the bench', async (t) => {
  const results = readResults();
  t.equal(withResults(page(PERFORMANCE), results), page(PERFORMANCE));
  t.equal(picture(results), page(PICTURE));
  const measured = Object.values(results).flatMap(({ flows }) => Object.keys(flows));
  t.same([...new Set(measured)].sort(), Object.keys(FLOWS).sort(), 'of every flow');
});

t.test('README is short, leads to every page, and shows every picture', async (t) => {
  const readme = page('README.md');
  t.ok(readme.split('\n').length - 1 <= README_LINES, `at most ${README_LINES} lines`);
  const [, contents = ''] = readme.split('\n## Documentation\n');
  for (const path of PAGES.filter((path) => path !== 'README.md')) t.match(contents, `](${path})`);
  for (const name of readdirSync(join(ROOT, 'docs')).filter((name) => !name.endsWith('.md')))
    t.match(readme, `](docs/${name})`);
});

t.test('each page begins with its subject and its readers', async (t) => {
  for (const path of PAGES.filter((path) => path !== 'README.md'))
    t.match(page(path), /^# .+\n\nFor people who /, path);
});

/** Returns the targets of links and pictures in the project. */
const linksOf = (text: string) =>
  prose(text)
    .flatMap((line) => [...line.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target))
    .filter((target) => !/^https?:/.test(target));

t.test('links lead to existing files and headings', async (t) => {
  let count = 0;
  for (const path of [...PAGES, ...PART_PAGES]) {
    for (const link of linksOf(page(path))) {
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? path : normalize(join(dirname(path), file));
      t.ok(isThere(target), `${path}: ${link}`);
      if (anchor !== undefined) t.ok(headings(page(target)).map(anchorOf).includes(anchor), `${path}: ${link}`);
      count += 1;
    }
  }
  t.ok(count > 40);
});

/** Matches citations of pages and headings: `docs/decisions.md, "Failures"`. */
const CITED = /docs\/[\w-]+\.md(?:, "([^"]+)")?/g;
const sources = ['src', 'test', 'bench', 'prisma'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(ts|js|prisma)$/.test(name) && !/(^|\/)(node_modules|dist|projects\/[\d.]+)\//.test(name))
    .map((name) => join(folder, name)),
);

t.test('citations in the code lead to existing headings', async (t) => {
  let count = 0;
  for (const path of sources.filter((path) => !path.endsWith('readme.test.ts'))) {
    const text = readFileSync(join(ROOT, path), 'utf8').replaceAll(/\n\s*(\*|\/\/) /g, ' ');
    for (const [cited, heading] of text.matchAll(CITED)) {
      const [file = ''] = cited.split(',');
      t.ok(isThere(file), `${path}: ${cited}`);
      if (heading !== undefined) t.ok(headings(page(file)).includes(heading), `${path}: ${cited}`);
      count += heading === undefined ? 0 : 1;
    }
    t.notMatch(text, /\(decisions, |security\.md|interface\.md|the specification's/, path);
  }
  t.ok(count > 15);
});

t.test('the commands exist', async (t) => {
  const text = [...PAGES, ...PART_PAGES].map(page).join('\n');
  const { scripts, dependencies, devDependencies } = JSON.parse(page('package.json'));
  const named = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, name]) => name as string))];
  const runs = named(/npm run ([\w:]+)/g);
  t.ok(runs.length > 4);
  for (const name of runs) t.ok(name in scripts, name);

  const { stdout } = await run(t, ['npx', 'accord', '--help']).ended;
  const commands = named(/(?:npx |`)accord ([a-z][a-z-]*)/g);
  t.ok(commands.length > 10);
  for (const name of commands) t.match(stdout, new RegExp(`^ {2}${name} `, 'm'));

  const consumers = JSON.parse(page('test/clients/consumers/package.json'));
  const installed: Record<string, string> = { ...dependencies, ...devDependencies, ...consumers.dependencies };
  const packages = PAGES.flatMap((path) => blocks(page(path), 'sh'))
    .flatMap((block) => block.split('\n'))
    .filter((line) => line.startsWith('npm install '))
    .flatMap((line) => [...line.matchAll(/ ((?:@[\w-]+\/)?[a-z][\w-]*)(?:@([\d.]+))?(?= |$)/g)].slice(1));
  t.ok(packages.length > 6);
  for (const [, name = '', version = ''] of packages)
    t.ok(`${installed[name]}.`.startsWith(version && `${version}.`) && name in installed, `${name}@${version}`);
});

/** The files that readers of the tutorials write. */
const TO_BE_WRITTEN = [
  'test/example/user-posts.test.ts',
  'test/books.test.ts',
  'test/loans.test.ts',
  'test/conformance.test.ts',
  'src/application/graphql/Loan.ts',
  'src/application/rest/loans.ts',
  'src/application/rest/shelves.ts',
  'src/application/services/books.ts',
  'src/application/services/loans.ts',
];

t.test('the named files and folders exist', async (t) => {
  const paths = new Set(
    [...PAGES, ...PART_PAGES]
      .flatMap((path) => parts(page(path)))
      .map((part) => (typeof part === 'string' ? part : part.text))
      .flatMap((part) => [
        ...part.matchAll(/(?<![\w/.@-])((?:src|test|bench|prisma|docs|generated)\/[\w./-]*\w)(?![\w<-])/g),
      ])
      .map(([, path]) => path as string),
  );
  t.ok(paths.size > 20);
  for (const path of paths) if (!TO_BE_WRITTEN.includes(path)) t.ok(isThere(path), path);
  const cells = PAGES.flatMap((path) =>
    [...page(path).matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell]) => cell as string),
  );
  const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]*[/.][^`]*)`/g)].map(([, path]) => path as string));
  t.ok(named.length > 10);
  for (const path of named) t.ok(isThere(path), path);
});

/** Times, request ids and ports differ from run to run. */
const timeless = (answer: string) =>
  JSON.parse(
    answer
      .replaceAll(/"\d{4}-\d\d-\d\dT[^"]*Z"/g, '"now"')
      .replaceAll(/"requestId": ?"[^"]*"/g, '"requestId":"id"')
      .replaceAll(/(http:\/\/localhost):\d+\/docs/g, '$1/docs'),
  );

for (const path of PAGES.filter((path) => exchanges(path).length > 0)) {
  t.test(`${path}: every curl line answers what its comment says`, async (t) => {
    const { url, kill, ended } = await startServer(t, { DATABASE_URL: await demoDirectory(t) });
    for (const { line, status, answer, found, body } of await asked(t, url, exchanges(path))) {
      t.equal(found, status ?? 'the status in a comment', line);
      if (answer !== undefined) t.strictSame(timeless(body), timeless(answer), line);
    }
    kill('SIGTERM');
    await ended;
  });
}

t.test('the list of pages with curl lines is complete', async (t) => {
  const counts = PAGES.map((path) => exchanges(path).filter(({ status }) => status).length);
  t.ok(counts.reduce((sum, count) => sum + count, 0) > 30);
  t.ok(counts.filter((count) => count > 0).length >= 3);
});

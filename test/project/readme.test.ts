import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { catalogue } from '../../src/platform/calls/errors.js';
import { exampleVariables } from '../support/example.js';
import { run, startServer } from '../support/process.js';

const text = readFileSync('README.md', 'utf8');
const row = (...cells: unknown[]) => `| ${cells.join(' | ')} |`;

/** The tables that follow from the code, by the name of their place in the README. */
const tables: Record<string, string[]> = {
  configuration: [
    row('variable', 'default', 'what it is for'),
    row('---', '---', '---'),
    ...Object.entries(exampleVariables).map(([name, { default: value, description }]) =>
      row(`\`${name}\``, value === undefined ? '' : `\`${value}\``, description),
    ),
  ],
  errors: [
    row('code', 'status', 'when'),
    row('---', '---', '---'),
    ...Object.entries(catalogue).map(([code, { status, description }]) => row(`\`${code}\``, status, description)),
  ],
};

/** `UPDATE_README=1 node --import tsx test/project/readme.test.ts` writes them. */
function withTables(readme: string): string {
  return Object.entries(tables).reduce((all, [name, rows]) => {
    const place = new RegExp(`(<!-- ${name} -->\n).*?(<!-- /${name} -->)`, 's');
    return all.replace(place, (_match, start, end) => `${start}\n${rows.join('\n')}\n\n${end}`);
  }, readme);
}

t.test('the tables are those of the code', async (t) => {
  if (process.env['UPDATE_README']) writeFileSync('README.md', withTables(text));
  t.equal(readFileSync('README.md', 'utf8'), withTables(text));
});

t.test('the commands exist', async (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name as string);
  t.ok(named.length > 4);
  for (const name of named) t.ok(name in scripts, name);
  const { stdout } = await run(t, ['npx', 'accord', '--help']).ended;
  const subcommands = [...text.matchAll(/npx accord ([a-z]+)/g)].map(([, name]) => name as string);
  for (const name of new Set(subcommands)) t.match(stdout, new RegExp(`^ {2}${name} `, 'm'));
  const cells = [...text.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell]) => cell as string);
  const paths = cells.flatMap((cell) => [...cell.matchAll(/`([^`]*[/.][^`]*)`/g)].map(([, path]) => path as string));
  t.ok(paths.length > 10);
  for (const path of paths) t.ok(existsSync(path), path);
});

t.test('every curl line answers what its comment says', async (t) => {
  const { url, kill, ended } = await startServer(t, { DATABASE_URL: 'pglite://memory' });
  const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block as string);
  const lines = blocks
    .flatMap((block) => block.split('\n'))
    .filter((line) => /^(curl.* # \d{3}$|[A-Z_]+=\$\(curl)/.test(line));
  const expected = lines.flatMap((line) => / # (\d{3})$/.exec(line)?.[1] ?? []);
  t.ok(expected.length >= 15);
  const script = lines
    .map((line) => line.replaceAll('http://localhost:3000', url))
    .map((line) => (line.startsWith('curl') ? line.replace('curl', "curl -s -o /dev/null -w '%{http_code}\\n'") : line))
    // A server on a busy machine may shed a request.
    .map((line) => line.replace('curl -s', 'curl --retry 30 --retry-delay 1 -s'));
  const { stdout } = await run(t, ['sh', '-c', script.join('\n')]).ended;
  const found = stdout.trim().split('\n');
  for (const [i, line] of lines.filter((line) => line.startsWith('curl')).entries())
    t.equal(found[i], expected[i], line);
  kill('SIGTERM');
  await ended;
});

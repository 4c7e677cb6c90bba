import { existsSync, readFileSync } from 'node:fs';
import { ESLint } from 'eslint';
import { buildSchema, getDirectiveValues, isInputObjectType, isObjectType } from 'graphql';
import t from 'tap';
import config from '../../eslint.config.js';
import { document } from '../support/contract.js';
import { sourcesIn } from '../support/imports.js';
import { ROOT } from '../support/process.js';

const eslint = new ESLint({ cwd: ROOT });

/** Returns the rules that a source text breaks. */
async function broken(text: string, path = 'rest/planted.ts'): Promise<string[]> {
  const [result] = await eslint.lintText(text, { filePath: `${ROOT}src/${path}` });
  return [...new Set(result?.messages.flatMap(({ ruleId, severity }) => (severity === 2 ? (ruleId ?? 'syntax') : [])))];
}

t.test('a regular expression of superlinear time is rejected', async (t) => {
  t.same(await broken("export const bare = (path: string) => path.replace(/\\/+$/, '');"), [
    'regexp/no-super-linear-move',
  ]);
  t.same(await broken('export const FIELD = /^\\s+(\\w+)\\s*(.*)\\s*$/;'), ['regexp/no-super-linear-backtracking']);
  t.same(await broken("export const NAME = new RegExp('^(?:a+)+$');"), ['regexp/no-super-linear-backtracking']);
  const excused = '// eslint-disable-next-line regexp/no-super-linear-move\n';
  t.same(
    await broken(`${excused}export const bare = (path: string) => path.replace(/\\/+$/, '');`),
    ['regexp/no-super-linear-move'],
    'no comment excuses it',
  );
  t.same(await broken("export const bare = (path: string) => path.replace(/(?<!\\/)\\/+$/, '');"), []);
});

t.test('what makes a hidden class for each request is rejected', async (t) => {
  const SPREAD = 'export const f = (a: object) => ({ ...a, b: 1 });';
  const texts = [
    SPREAD,
    'export const f = () => ({ get b() { return 1; } });',
    'export const f = (a: object) => Object.setPrototypeOf(a, null);',
    "import { AsyncResource } from 'node:async_hooks';\nexport const f = AsyncResource.bind(() => {});",
    "import type { FastifyRequest } from 'fastify';\nexport const kept = new WeakMap<FastifyRequest, object>();",
  ];
  for (const text of texts)
    t.same(await broken(text, 'platform/core/rest/represent.ts'), ['no-restricted-syntax'], text);
  t.same(await broken('export const f = (a: object) => Object.assign({ b: 1 }, a);'), []);
  t.same(await broken(SPREAD, 'platform/server/config.ts'), [], 'at the start a literal may spread');

  const patterns = (config as { files: string[] }[]).flatMap(({ files }) =>
    files.filter((file) => !file.includes('*')),
  );
  const files = patterns.flatMap((pattern) => {
    const [, before = pattern, names = '', after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(pattern) ?? [];
    return names.split(',').map((name) => before + name + after);
  });
  t.ok(files.length > 25);
  for (const file of files) t.ok(existsSync(file), file);
});

t.test('`npm run lint` looks at every source file', async (t) => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  t.match(scripts['lint'], /(^|&& )eslint src( &&|$)/);
  for (const path of Object.keys(sourcesIn('src'))) {
    if (await eslint.isPathIgnored(`${ROOT}src/${path}`)) t.fail(`${path} is not looked at`);
  }
  const { rules } = await eslint.calculateConfigForFile(`${ROOT}src/platform/core/http/bodies.ts`);
  for (const name of ['backtracking', 'move']) t.equal(rules[`regexp/no-super-linear-${name}`][0], 2);
});

/** Returns every `pattern` in a JSON value. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    name === 'pattern' && typeof member === 'string' ? [member] : patternsIn(member),
  );
}

/** Returns the patterns of `@constraint` on arguments and input fields. */
function patternsOf(sdl: string): string[] {
  const schema = buildSchema(sdl);
  const constraint = schema.getDirective('constraint');
  const inputs = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (isInputObjectType(type)) return Object.values(type.getFields());
    return isObjectType(type) ? Object.values(type.getFields()).flatMap(({ args }) => [...args]) : [];
  });
  return inputs.flatMap(({ astNode }) => {
    const pattern = constraint && astNode && getDirectiveValues(constraint, astNode)?.['pattern'];
    return typeof pattern === 'string' ? [pattern] : [];
  });
}

t.test('the contracts have no regular expression of superlinear time', async (t) => {
  const patterns = [...new Set([...patternsIn(document), ...patternsOf(readFileSync('schema.graphql', 'utf8'))])];
  t.ok(patterns.length > 5, `${patterns.length} patterns`);
  // Ajv compiles with the flag u.
  const asSource = (pattern: string) => `export const PATTERN = new RegExp(${JSON.stringify(pattern)}, 'u');`;
  for (const pattern of patterns) t.same(await broken(asSource(pattern)), [], pattern);
  t.same(await broken(asSource('^(\\s*\\S+\\s*)+$')), ['regexp/no-super-linear-backtracking'], 'it would be found');
});

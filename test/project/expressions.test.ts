import { readFileSync } from 'node:fs';
import { ESLint } from 'eslint';
import { buildSchema, getDirectiveValues, isInputObjectType, isObjectType } from 'graphql';
import t from 'tap';
import { document } from '../support/contract.js';
import { sourcesIn } from '../support/imports.js';
import { ROOT } from '../support/process.js';

const eslint = new ESLint({ cwd: ROOT });

/** Returns the rules that a source text breaks. */
async function broken(text: string): Promise<string[]> {
  const [result] = await eslint.lintText(text, { filePath: `${ROOT}src/rest/planted.ts` });
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

import t from 'tap';
import ts from 'typescript';
import { sourcesIn } from '../support/imports.js';

/** The template of new projects is an application of its own. */
const TEMPLATE = /^workbench\/new\/template\//;
const sources = Object.fromEntries(Object.entries(sourcesIn('src')).filter(([path]) => !TEMPLATE.test(path)));

const DEFINITION = /^(export )?(?:async )?(?:type|interface|const|function\*?|class) (\w+)/gm;

/** A resolver has the name of its type in the contract, and its file has it too. Models are named after the same types. */
const isResolver = (name: string, path: string) => path === `application/graphql/${name}.ts`;

/** Returns the files that define a name, by name. A type and a value of one name in one file are one definition. */
function definitions(texts: Record<string, string>, scope: (path: string) => string, onlyExported: boolean) {
  const found = new Map<string, Set<string>>();
  for (const [path, text] of Object.entries(texts))
    for (const [, exported, name = ''] of text.matchAll(DEFINITION)) {
      if ((onlyExported && !exported) || isResolver(name, path)) continue;
      const key = `${scope(path)} ${name}`;
      found.set(key, (found.get(key) ?? new Set()).add(path));
    }
  return found;
}

const repeated = (texts: Record<string, string>): string[] =>
  [...definitions(texts, (path) => path.split('/')[0] as string, true)]
    .filter(([, files]) => files.size > 1)
    .map(([name, files]) => `${name}: ${[...files].join(', ')}`);

t.test('an exported name has one definition in its package', async (t) => {
  t.same(repeated(sources), []);
  const text = 'export const listOf = () => [];\nexport type listOf = 1;\n';
  t.same(
    repeated({ 'platform/a.ts': text, 'testing/b.ts': text, 'platform/c.ts': "export { listOf } from './a.js';" }),
    [],
  );
  for (const form of ['async function listOf() {}', 'interface listOf {}', 'class listOf {}'])
    t.same(repeated({ 'platform/a.ts': text, 'platform/b.ts': `export ${form}` }), [
      'platform listOf: platform/a.ts, platform/b.ts',
    ]);
});

/** Names of the contracts and the platform, which no definition has in another meaning, exported or not. */
const RESERVED = {
  Call: ['platform/core/calls/access.ts', 'application/calls.ts'],
  Connection: ['prepared-prisma/connection.ts'],
  Kind: [],
  Node: [],
  Operation: ['platform/core/operations/route.ts'],
  OperationRequest: ['platform/core/graphql/documents.ts'],
  Plan: ['platform/core/rest/plan.ts'],
  shapeOf: ['prepared-prisma/shape.ts'],
};

t.test('names that had several meanings have one definition in `src/`', async (t) => {
  const all = definitions(sources, () => '', false);
  for (const [name, files] of Object.entries(RESERVED))
    t.same([...(all.get(` ${name}`) ?? [])].sort(), [...files].sort(), name);
});

const PRONOUNS = ['each', 'it', 'one'];

/** Returns true for a declaration in the head of a loop or among the parameters of a function. */
function isLoopVariable(declaration: ts.Node): boolean {
  if (ts.isParameter(declaration)) return true;
  if (ts.isVariableDeclaration(declaration)) return ts.isIterationStatement(declaration.parent.parent, false);
  return ts.isBindingElement(declaration) && isLoopVariable(declaration.parent.parent);
}

function pronounsIn([path, text]: [string, string]): string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const isWrong = (node: ts.Node): boolean =>
    ts.isIdentifier(node) &&
    PRONOUNS.includes(node.text) &&
    (node.parent as ts.NamedDeclaration).name === node &&
    isLoopVariable(node.parent);
  const placeOf = (node: ts.Node) => `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`;
  const found: string[] = [];
  const look = (node: ts.Node): void => {
    if (isWrong(node)) found.push(`${placeOf(node)} ${node.getText()}`);
    ts.forEachChild(node, look);
  };
  look(file);
  return found;
}

t.test('a loop variable and a parameter are nouns', async (t) => {
  const all = Object.entries({ ...sourcesIn('src'), ...sourcesIn('test') });
  t.ok(all.length > 500);
  t.strictSame(all.flatMap(pronounsIn), []);
  for (const text of [
    'for (const one of []) {}',
    'f((it) => it)',
    'f(([, { a: each }]) => each)',
    'type F = (one: 1) => 1',
  ])
    t.equal(pronounsIn(['a.ts', text]).length, 1, text);
  t.strictSame(pronounsIn(['a.ts', "it('is', () => {}); const one = 1; const { each } = f((id) => id);"]), []);
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

export interface Import {
  /** The importing file, `rest/users.ts`. */
  from: string;
  /** A file as the importing one is told, `services/users.ts` or `../generated/operations.ts`; or a package, `jose`. */
  to: string;
  /** What is taken of it, by its name there; `*` for the whole, which `import()` gives too. */
  names: readonly string[];
  /** Nothing of it is there at run time. */
  typeOnly: boolean;
}

/** The text of every TypeScript file below a folder, by its path from there; not of packages that are installed in it. */
export const sourcesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(filesIn(folder).map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]));

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === 'node_modules') return [];
    if (entry.isDirectory()) return filesIn(`${folder}/${entry.name}`).map((name) => `${entry.name}/${name}`);
    return /\.(ts|js)$/.test(entry.name) ? [entry.name] : [];
  });

/** By a file's path and its text, for to parse all sources takes a second. */
const known = new Map<string, Import[]>();

/** All that the files import or export from elsewhere, also by `import()`. */
export function importsOf(sources: Record<string, string>): Import[] {
  return Object.entries(sources).flatMap(([from, text]) => {
    const key = `${from}\0${text}`;
    const imports = known.get(key) ?? importsIn(from, text);
    known.set(key, imports);
    return imports;
  });
}

function importsIn(from: string, text: string): Import[] {
  const found: Import[] = [];
  const note = (specifier: ts.Node | undefined, names: readonly string[], typeOnly: boolean) => {
    if (specifier === undefined || !ts.isStringLiteral(specifier)) return;
    found.push({ from, to: target(from, specifier.text), names, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) note(node.moduleSpecifier, namesIn(node), isTypeOnly(node));
    if (ts.isExportDeclaration(node)) note(node.moduleSpecifier, namesIn(node), node.isTypeOnly);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) note(node.argument.literal, ALL, true);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      note(node.arguments[0], ALL, false);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(from, text, ts.ScriptTarget.Latest));
  return found;
}

const ALL = ['*'];

/** Of a specifier without braces the whole is taken; of one for its effects nothing. */
function namesIn(node: ts.ImportDeclaration | ts.ExportDeclaration): readonly string[] {
  const bindings = ts.isExportDeclaration(node) ? node.exportClause : node.importClause?.namedBindings;
  if (bindings !== undefined && (ts.isNamedImports(bindings) || ts.isNamedExports(bindings))) {
    return bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text);
  }
  return ts.isImportDeclaration(node) && node.importClause === undefined ? [] : ALL;
}

function isTypeOnly({ importClause }: ts.ImportDeclaration): boolean {
  if (importClause === undefined) return false;
  const { isTypeOnly, name, namedBindings } = importClause;
  const named = namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements : undefined;
  return isTypeOnly || (name === undefined && named !== undefined && named.every((one) => one.isTypeOnly));
}

/** The packages whose sources are in this repository, and the file that each of their entries is, seen from `src`. */
const OURS = Object.entries({
  '@accord-api/platform': 'platform',
  '@accord-api/testing': 'testing',
  '@accord-api/workbench': 'workbench',
  '@accord-api/generated': '../generated',
});

function target(from: string, specifier: string): string {
  if (specifier.startsWith('.')) {
    const file = posix.join(posix.dirname(from), specifier);
    return existsSync(posix.join('src', file)) ? file : file.replace(/\.js$/, '.ts');
  }
  const [name, folder] = OURS.find(([name]) => `${specifier}/`.startsWith(`${name}/`)) ?? [];
  if (name === undefined || folder === undefined) return specifier;
  const { exports } = JSON.parse(readFileSync(posix.join('src', folder, 'package.json'), 'utf8'));
  const entry = `.${specifier.slice(name.length)}`;
  const [pattern = '', file] =
    (Object.entries(exports) as [string, string][]).find(([pattern]) =>
      pattern.endsWith('*') ? entry.startsWith(pattern.slice(0, -1)) : entry === pattern,
    ) ?? [];
  if (file === undefined) return specifier;
  return posix.join(folder, file.replace('*', entry.slice(pattern.length - 1)));
}

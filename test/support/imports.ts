import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import ts from 'typescript';

export interface Import {
  /** The importing file, `rest/users.ts`. */
  from: string;
  /** The imported file, `services/users.ts` or `../generated/operations.ts`, or a package, `jose`. */
  to: string;
  /** The imported names; `*` for a namespace or `import()`. */
  names: readonly string[];
  /** The import is erased at run time. */
  typeOnly: boolean;
}

/** Reads every TypeScript file below a folder, by its relative path, without installed packages. */
export const sourcesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(filesIn(folder).map((name) => [name, readFileSync(`${folder}/${name}`, 'utf8')]));

const filesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    // Frozen projects are no sources of this one.
    if (entry.name === 'node_modules' || /^\d+\.\d+\.\d+$/.test(entry.name)) return [];
    if (entry.isDirectory()) return filesIn(`${folder}/${entry.name}`).map((name) => `${entry.name}/${name}`);
    return /\.(ts|js)$/.test(entry.name) ? [entry.name] : [];
  });

/** Caches imports by path and text, because parsing all sources takes a second. */
const known = new Map<string, Import[]>();

/** Lists the imports and re-exports of files, including `import()`. */
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

/** Returns `*` for a specifier without braces, and nothing for a side-effect import. */
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
  return isTypeOnly || (name === undefined && named !== undefined && named.every((specifier) => specifier.isTypeOnly));
}

/** The entries of this repository's packages, by specifier, relative to `src`. */
const OURS = Object.entries({
  '@accord-api/platform': 'platform',
  '@accord-api/prepared-prisma': 'prepared-prisma',
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

import { basename, dirname, join, relative } from 'node:path';
import { IndentationText, Project, QuoteKind, type SourceFile, SyntaxKind, ts } from 'ts-morph';
import { type Change, Refusal } from './change.js';
import { removeImport } from './extent.js';
import { MARKER } from './members.js';

/** Where the marker is declared. */
const MARKER_MODULE = '@accord-api/platform';

/** How imports are written before anything is formatted. */
export const MANIPULATION = { indentationText: IndentationText.TwoSpaces, quoteKind: QuoteKind.Single };

/** An edit of half-typed code would land anywhere. */
function refuseBroken(path: string, text: string): void {
  const [error] = ts.transpileModule(text, { fileName: path, reportDiagnostics: true }).diagnostics ?? [];
  if (error === undefined) return;
  const line = text.slice(0, error.start).split('\n').length;
  const reason = ts.flattenDiagnosticMessageText(error.messageText, ' ');
  throw new Refusal(`${path}:${line} cannot be edited: ${reason} Mend it and run this again.`);
}

/** The sources of a project that scaffolding reads and changes. @throws Refusal when one of them does not parse */
export function openProject(root: string): Project {
  const project = new Project({
    tsConfigFilePath: join(root, 'tsconfig.json'),
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
    manipulationSettings: MANIPULATION,
  });
  const sources = ['src/application/*.ts', 'src/application/rest/*.ts', 'src/application/graphql/*.ts'];
  for (const file of project.addSourceFilesAtPaths(sources.map((pattern) => join(root, pattern)))) {
    refuseBroken(relative(root, file.getFilePath()), file.getFullText());
  }
  return project;
}

/**
 * The file of a tag or a type, made when there is none.
 * @throws Refusal when one system or another cannot tell its name from a neighbour's
 */
export function ownFile(project: Project, path: string): SourceFile {
  const found = project.getSourceFile(path);
  if (found) return found;
  const name = basename(path);
  const neighbours = project
    .getFileSystem()
    .readDirSync(dirname(path))
    .map((one) => basename(one.name));
  const alike = neighbours.find((one) => one.toLowerCase() === name.toLowerCase());
  if (alike !== undefined) {
    throw new Refusal(
      `${name} would stand beside ${alike}, and not every file system can tell them apart: choose another name.`,
    );
  }
  return project.createSourceFile(path, '');
}

/** Sees to it that a module has a named import. */
export function importNamed(file: SourceFile, module: string, name: string, isTypeOnly: boolean): void {
  const ofModule = file.getImportDeclarations().filter((one) => one.getModuleSpecifierValue() === module);
  if (ofModule.some((one) => one.getNamedImports().some((named) => named.getName() === name))) return;
  const same = ofModule.find((one) => one.isTypeOnly() === isTypeOnly && !one.getNamespaceImport());
  if (same) same.addNamedImport(name);
  else file.addImportDeclaration({ moduleSpecifier: module, namedImports: [name], isTypeOnly });
}

/** Whether a name occurs in a file, besides where it is imported. */
export const isUsed = (file: SourceFile, name: string): boolean =>
  file
    .getDescendantsOfKind(SyntaxKind.Identifier)
    .some((one) => one.getText() === name && !one.getFirstAncestorByKind(SyntaxKind.ImportDeclaration));

/** Takes a named import away that nothing in the file uses, and the whole import when it has no other. */
export function removeUnusedImport(file: SourceFile, name: string): boolean {
  const named = file
    .getImportDeclarations()
    .flatMap((one) => one.getNamedImports())
    .find((one) => one.getName() === name);
  if (named === undefined || isUsed(file, name)) return false;
  const declaration = named.getImportDeclaration();
  if (declaration.getNamedImports().length === 1 && !declaration.getDefaultImport()) removeImport(declaration);
  else named.remove();
  return true;
}

/** Sees to it that a file of handlers or resolvers imports the marker where it uses it, and only there. */
export function importMarker(file: SourceFile, path: string): Change[] {
  if (isUsed(file, MARKER)) importNamed(file, MARKER_MODULE, MARKER, false);
  if (!removeUnusedImport(file, MARKER)) return [];
  return [{ kind: 'dropped', file: path, name: MARKER, detail: 'an import that nothing uses any more' }];
}

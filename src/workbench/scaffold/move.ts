import { type Node, type SourceFile, SyntaxKind } from 'ts-morph';
import { insert, propertyTextOf, removeWithComments } from './extent.js';
import type { Members } from './members.js';
import { importNamed, removeUnusedImport } from './project-files.js';

/** The names that a piece of code may take from around it. */
export const namesIn = (node: Node): Set<string> =>
  new Set(node.getDescendantsOfKind(SyntaxKind.Identifier).map((one) => one.getText()));

/** What a file declares itself, at its top, under some name. */
function declaredIn(file: SourceFile, name: string): { node: Node; isType: boolean; isExported: boolean } | undefined {
  const type = file.getInterface(name) ?? file.getTypeAlias(name);
  const node = type ?? file.getFunction(name) ?? file.getClass(name) ?? file.getVariableStatement(name);
  return node && { node, isType: type !== undefined, isExported: node.hasExportKeyword() };
}

/** Imports into one file what another one beside it imports under some name. */
function importAlso(from: SourceFile, to: SourceFile, name: string): void {
  for (const declaration of from.getImportDeclarations()) {
    const module = declaration.getModuleSpecifierValue();
    const isTypeOnly = declaration.isTypeOnly();
    if (declaration.getNamespaceImport()?.getText() === name) {
      const isThere = to.getImportDeclarations().some((one) => one.getNamespaceImport()?.getText() === name);
      if (!isThere) to.addImportDeclaration({ moduleSpecifier: module, namespaceImport: name, isTypeOnly });
    }
    const named = declaration
      .getNamedImports()
      .find((one) => (one.getAliasNode() ?? one.getNameNode()).getText() === name);
    // One of the file itself is there already.
    if (named === undefined || `./${to.getBaseNameWithoutExtension()}.js` === module) continue;
    importNamed(to, module, named.getText().replace(/^type /, ''), isTypeOnly || named.isTypeOnly());
  }
}

/**
 * Moves a member with its comments to another file of the same folder. What it imports it imports there, too; what else it uses of
 * the file stays, is exported, and is imported there.
 * @param name what it is called where it stands
 * @param after behind which one of the others it is to stand
 */
export function moveMember(from: Members, to: Members, name: string, after: Node | undefined): void {
  const node = from.node(name);
  if (node === undefined) return;
  const used = [...namesIn(node)];
  to.insert(propertyTextOf(node), after);
  removeWithComments(node);
  for (const one of used) {
    importAlso(from.file, to.file, one);
    const own = one === name ? undefined : declaredIn(from.file, one);
    if (own === undefined) continue;
    if (!own.isExported) insert(from.file, own.node.getStart(), 'export ');
    importNamed(to.file, `./${from.file.getBaseNameWithoutExtension()}.js`, one, own.isType);
  }
  for (const one of used) removeUnusedImport(from.file, one);
}

import { type SourceFile, SyntaxKind } from 'ts-morph';
import { takerOf, typeNamesOf } from '../model/type-names.js';
import { insertStatement, removeImport, removeWithComments } from './extent.js';
import { literalOf, type Members, propertiesOf } from './members.js';
import { isUsed } from './project-files.js';

const OPERATIONS = '../../../generated/operations.js';

/** The import of all of `generated/operations.ts`. */
const contractImport = (file: SourceFile) =>
  file
    .getImportDeclarations()
    .find((one) => one.getModuleSpecifierValue() === OPERATIONS && one.getNamespaceImport() !== undefined);

const aliasIn = (file: SourceFile): string => contractImport(file)?.getNamespaceImport()?.getText() ?? 'Contract';

/** The handlers of a tag in its file: `export const users = Contract.usersHandlers({ … });`. */
export function handlersIn(file: SourceFile, tag: string): Members {
  const members = propertiesOf(file, tag, true);
  return {
    ...members,
    rename: (from, to) => {
      members.rename(from, to);
      const [old, current] = [typeNamesOf(from), typeNamesOf(to)];
      for (const name of file.getDescendantsOfKind(SyntaxKind.QualifiedName)) {
        const type = current[old.indexOf(name.getRight().getText())];
        if (name.getLeft().getText() === aliasIn(file) && type) name.getRight().replaceWithText(type);
      }
    },
  };
}

export const hasHandlers = (file: SourceFile, tag: string): boolean => literalOf(file, tag) !== undefined;

/** Makes the object of a tag's handlers, empty, where there is none. */
export function openHandlers(file: SourceFile, tag: string): void {
  if (hasHandlers(file, tag)) return;
  const found = contractImport(file);
  if (found === undefined) file.addImportDeclaration({ moduleSpecifier: OPERATIONS, namespaceImport: aliasIn(file) });
  // For types alone until now.
  else if (found.isTypeOnly()) found.setIsTypeOnly(false);
  insertStatement(file, `export const ${tag} = ${aliasIn(file)}.${takerOf(tag)}({});`);
}

/** Takes the object of a tag's handlers away when it is empty, with the import that it was made by. */
export function closeHandlers(file: SourceFile, tag: string): void {
  const statement = file.getVariableStatement(tag);
  if (statement === undefined || literalOf(file, tag)?.getProperties().length !== 0) return;
  removeWithComments(statement);
  const imported = contractImport(file);
  if (imported && !isUsed(file, aliasIn(file))) removeImport(imported);
}

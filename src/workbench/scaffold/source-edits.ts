import {
  IndentationText,
  Node,
  type ObjectLiteralExpression,
  QuoteKind,
  type SourceFile,
  type SpreadAssignment,
  SyntaxKind,
} from 'ts-morph';

/** The handler of stubs, which the platform exports. */
export const MARKER = 'notWritten';

export const MANIPULATION_SETTINGS = { indentationText: IndentationText.TwoSpaces, quoteKind: QuoteKind.Single };

const TRAILING = /^[ \t]*(?:\/\/[^\n]*|\/\*[^\n]*?\*\/)/;

/** Returns the range of a statement or property, including its comments and its comma. */
function extentOf(node: Node): { start: number; end: number; hasComma: boolean } {
  const text = node.getSourceFile().getFullText();
  let start = node.getStart(true);
  // A blank line separates a comment from the node.
  for (const comment of node.getLeadingCommentRanges().reverse()) {
    if (comment.getPos() >= start) continue;
    if (/\n[ \t]*\r?\n/.test(text.slice(comment.getEnd(), start))) break;
    start = comment.getPos();
  }
  const comma = /^\s*,/.exec(text.slice(node.getEnd()))?.[0] ?? '';
  const end = node.getEnd() + comma.length;
  return { start, end: end + (TRAILING.exec(text.slice(end))?.[0].length ?? 0), hasComma: comma !== '' };
}

/** Nodes become invalid, because the file is parsed again. Edits by ts-morph fail on some comments. */
function insert(file: SourceFile, at: number, text: string): void {
  const old = file.getFullText();
  file.replaceWithText(old.slice(0, at) + text + old.slice(at));
}

export function insertStatement(file: SourceFile, text: string): void {
  const above = file.getImportDeclarations().at(-1);
  if (above) insert(file, extentOf(above).end, `\n\n${text}`);
  else insert(file, 0, `${text}\n`);
}

/** Returns true for the marker, and for a route with the marker as its handler. */
export function isStub(node: Node | undefined): boolean {
  if (!Node.isPropertyAssignment(node)) return false;
  const value = node.getInitializer();
  const [parts] = Node.isCallExpression(value) ? value.getArguments() : [];
  return Node.isObjectLiteralExpression(parts) ? isStub(parts.getProperty('handler')) : value?.getText() === MARKER;
}

/** Returns the object literal of a constant, which may have a type assertion or be the argument of a call. */
export function literalOf(file: SourceFile | undefined, constant: string): ObjectLiteralExpression | undefined {
  let value: Node | undefined = file?.getVariableDeclaration(constant)?.getInitializer();
  while (Node.isAsExpression(value) || Node.isSatisfiesExpression(value)) value = value.getExpression();
  if (Node.isCallExpression(value)) [value] = value.getArguments();
  return Node.isObjectLiteralExpression(value) ? value : undefined;
}

/** Asks the compiler for the properties of a spread object. */
const spreadNames = (spread: SpreadAssignment): string[] =>
  spread
    .getExpression()
    .getType()
    .getProperties()
    .map((property) => property.getName());

function nameOf(node: Node): string {
  if (Node.isSpreadAssignment(node) || !Node.hasName(node)) return '';
  const name = Node.isPropertyAssignment(node) ? node.getNameNode() : undefined;
  return Node.isStringLiteral(name) ? name.getLiteralText() : node.getName();
}

/** Returns the properties that the literal itself contains. */
export const ownNames = (file: SourceFile | undefined, constant: string): string[] =>
  (literalOf(file, constant)?.getProperties() ?? []).map(nameOf).filter((name) => name !== '');

export const propertyNames = (file: SourceFile | undefined, constant: string): string[] =>
  (literalOf(file, constant)?.getProperties() ?? []).flatMap((property) =>
    Node.isSpreadAssignment(property) ? spreadNames(property) : [nameOf(property)],
  );

export const propertyOf = (file: SourceFile | undefined, constant: string, name: string): Node | undefined =>
  literalOf(file, constant)
    ?.getProperties()
    .find((property) => nameOf(property) === name);

/** Inserts a property with its comma after another one, or first. `gap` separates properties. */
export function insertProperty(file: SourceFile, constant: string, text: string, after?: string, gap = ''): void {
  const literal = literalOf(file, constant);
  const above = after === undefined ? undefined : propertyOf(file, constant, after);
  if (!literal) return;
  const extent = above && extentOf(above);
  const at = !extent ? literal.getStart() + 1 : extent.hasComma ? extent.end : above.getEnd();
  // Text on the same line must not become a part of a comment.
  const isFollowed = !/^[ \t]*\r?\n/.test(file.getFullText().slice(at));
  const line = `\n  ${text.trimStart()}`;
  const separator = literal.getProperties().length > 0 ? gap : '';
  const whole = extent ? `${extent.hasComma ? '' : ','}${separator}${line}` : line + separator;
  insert(file, at, isFollowed ? `${whole}\n` : whole);
}

export function importNamed(file: SourceFile, module: string, name: string, isTypeOnly = false): void {
  const ofModule = file.getImportDeclarations().filter((line) => line.getModuleSpecifierValue() === module);
  if (ofModule.some((declaration) => declaration.getNamedImports().some((named) => named.getName() === name))) return;
  const same = ofModule.find((line) => line.isTypeOnly() === isTypeOnly && !line.getNamespaceImport());
  if (same) same.addNamedImport(name);
  else file.addImportDeclaration({ moduleSpecifier: module, namedImports: [name], isTypeOnly });
}

/** Returns true if a name occurs outside of the imports. */
export const isUsed = (file: SourceFile, name: string): boolean =>
  file
    .getDescendantsOfKind(SyntaxKind.Identifier)
    .some((node) => node.getText() === name && !node.getFirstAncestorByKind(SyntaxKind.ImportDeclaration));

/** Removes a named import. Returns false if there is none. */
export function removeImport(file: SourceFile, name: string): boolean {
  const named = file
    .getImportDeclarations()
    .flatMap((declaration) => declaration.getNamedImports())
    .find((specifier) => specifier.getName() === name);
  const declaration = named?.getImportDeclaration();
  if (!named || !declaration) return false;
  if (declaration.getNamedImports().length > 1) named.remove();
  // The comments above it may describe the file.
  else file.replaceWithText(file.getFullText().replace(`${declaration.getText()}\n`, ''));
  return true;
}

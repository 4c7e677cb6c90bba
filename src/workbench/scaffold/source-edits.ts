import {
  IndentationText,
  Node,
  type ObjectLiteralExpression,
  QuoteKind,
  type SourceFile,
  type SpreadAssignment,
  SyntaxKind,
} from 'ts-morph';

/** The one marker for what is deliberately not written yet, in `src/platform/calls/errors.ts`. */
export const MARKER = 'notWritten';

/** The style of the imports that ts-morph writes. */
export const MANIPULATION = { indentationText: IndentationText.TwoSpaces, quoteKind: QuoteKind.Single };

/** A comment behind something on its line. */
const TRAILING = /^[ \t]*(?:\/\/[^\n]*|\/\*[^\n]*?\*\/)/;

/** Returns where a statement or property begins and ends, with its comments and its comma. */
function extentOf(node: Node): { start: number; end: number; hasComma: boolean } {
  const text = node.getSourceFile().getFullText();
  let start = node.getStart(true);
  // A comment belongs to the node unless a blank line stands between them.
  for (const comment of node.getLeadingCommentRanges().reverse()) {
    if (comment.getPos() >= start) continue;
    if (/\n[ \t]*\r?\n/.test(text.slice(comment.getEnd(), start))) break;
    start = comment.getPos();
  }
  const comma = /^\s*,/.exec(text.slice(node.getEnd()))?.[0] ?? '';
  const end = node.getEnd() + comma.length;
  return { start, end: end + (TRAILING.exec(text.slice(end))?.[0].length ?? 0), hasComma: comma !== '' };
}

/**
 * Replaces a range of a file and parses the file anew, so nodes from before are invalid afterwards. ts-morph's own edits fail on
 * some comments and blank lines.
 */
function splice(file: SourceFile, start: number, end: number, text: string): void {
  const old = file.getFullText();
  file.replaceWithText(old.slice(0, start) + text + old.slice(end));
}

export const insert = (file: SourceFile, at: number, text: string): void => splice(file, at, at, text);

/** Removes a range, and of the blank lines above and below it the smaller number. */
function removeRange(file: SourceFile, start: number, end: number): void {
  const text = file.getFullText();
  const head = text.slice(0, start).trimEnd();
  const tail = text.slice(end).trimStart();
  const above = text.slice(head.length, start);
  const below = text.slice(end, text.length - tail.length);
  const lines = (gap: string) => gap.split('\n').length - 1;
  const count = tail.startsWith('}')
    ? lines(below)
    : head.endsWith('{')
      ? lines(above)
      : Math.max(lines(above), lines(below));
  const gap = tail === '' ? '\n' : '\n'.repeat(count) + below.slice(below.lastIndexOf('\n') + 1);
  file.replaceWithText(head === '' ? tail : head + gap + tail);
}

/** Removes a statement or a property with its comments, and returns its text; a property ends with a comma. */
export function cut(node: Node): string {
  const { start, end, hasComma } = extentOf(node);
  const text = node.getSourceFile().getFullText();
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const comma = hasComma || Node.isStatement(node) ? '' : ',';
  const code = text.slice(start, node.getEnd()) + comma + text.slice(node.getEnd(), end);
  removeRange(node.getSourceFile(), start, end);
  return (/^\s*$/.test(indent) ? indent : '') + code;
}

/** Inserts a statement behind the imports, a blank line between. */
export function insertStatement(file: SourceFile, text: string): void {
  const above = file.getImportDeclarations().at(-1);
  if (above) insert(file, extentOf(above).end, `\n\n${text}`);
  else insert(file, 0, `${text}\n`);
}

/** Returns true for a member that is not written yet: the marker, or a route whose handler is the marker. */
export function isStub(node: Node | undefined): boolean {
  if (!Node.isPropertyAssignment(node)) return false;
  const value = node.getInitializer();
  const [parts] = Node.isCallExpression(value) ? value.getArguments() : [];
  return Node.isObjectLiteralExpression(parts) ? isStub(parts.getProperty('handler')) : value?.getText() === MARKER;
}

/** Returns the object literal of a constant, also where it is asserted, or the argument of a call. */
export function literalOf(file: SourceFile | undefined, constant: string): ObjectLiteralExpression | undefined {
  let value: Node | undefined = file?.getVariableDeclaration(constant)?.getInitializer();
  while (Node.isAsExpression(value) || Node.isSatisfiesExpression(value)) value = value.getExpression();
  if (Node.isCallExpression(value)) [value] = value.getArguments();
  return Node.isObjectLiteralExpression(value) ? value : undefined;
}

/** Only the compiler knows what a spread object contains. */
const spreadNames = (spread: SpreadAssignment): string[] =>
  spread
    .getExpression()
    .getType()
    .getProperties()
    .map((one) => one.getName());

function nameOf(node: Node): string {
  if (Node.isSpreadAssignment(node) || !Node.hasName(node)) return '';
  const name = Node.isPropertyAssignment(node) ? node.getNameNode() : undefined;
  return Node.isStringLiteral(name) ? name.getLiteralText() : node.getName();
}

/** Returns the names of the properties of a constant's object literal. */
export const propertyNames = (file: SourceFile, constant: string): string[] =>
  (literalOf(file, constant)?.getProperties() ?? []).flatMap((one) =>
    Node.isSpreadAssignment(one) ? spreadNames(one) : [nameOf(one)],
  );

/** Returns the property of a constant's object literal that is written there under this name. */
export const propertyOf = (file: SourceFile | undefined, constant: string, name: string): Node | undefined =>
  literalOf(file, constant)
    ?.getProperties()
    .find((one) => nameOf(one) === name);

/** Inserts a property, given with its comma, behind another one, or else first. `gap` separates two properties. */
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

/** Adds a named import of a module, unless the file has it. */
export function importNamed(file: SourceFile, module: string, name: string, isTypeOnly = false): void {
  const ofModule = file.getImportDeclarations().filter((one) => one.getModuleSpecifierValue() === module);
  if (ofModule.some((one) => one.getNamedImports().some((named) => named.getName() === name))) return;
  const same = ofModule.find((one) => one.isTypeOnly() === isTypeOnly && !one.getNamespaceImport());
  if (same) same.addNamedImport(name);
  else file.addImportDeclaration({ moduleSpecifier: module, namedImports: [name], isTypeOnly });
}

/** Returns true for a name that occurs in a file outside of its imports. */
export const isUsed = (file: SourceFile, name: string): boolean =>
  file
    .getDescendantsOfKind(SyntaxKind.Identifier)
    .some((one) => one.getText() === name && !one.getFirstAncestorByKind(SyntaxKind.ImportDeclaration));

/** Removes an import that the file does not use. @returns false where there is none */
export function removeUnusedImport(file: SourceFile, name: string): boolean {
  for (const declaration of file.getImportDeclarations()) {
    const named = declaration.getNamedImports().find((one) => one.getName() === name);
    const isNamespace = declaration.getNamespaceImport()?.getText() === name;
    if ((!named && !isNamespace) || isUsed(file, name)) continue;
    if (named && (declaration.getNamedImports().length > 1 || declaration.getDefaultImport())) named.remove();
    // The comments above it may be about the file.
    else removeRange(file, declaration.getStart(), declaration.getEnd());
    return true;
  }
  return false;
}

/** Code that the contract does not have is kept as comments at the end of its file, until the contract has it again. */
const PARKED = /\n?^\/\/ accord: parked (\S+): .*\n\/\/ .*\n((?:\/\/.*\n?)*)/gm;
const HINT = '// It comes back when the contract has it again; delete it when nobody needs it.';

const parkedBlocks = (file: SourceFile) => [...file.getFullText().matchAll(PARKED)];

/** Returns the first words of a parked block. */
export const parkedHead = (label: string): string => `// accord: parked ${label}:`;

/** Returns true for a file that has the code of a label parked; without a label, that has any code parked. */
export const isParked = (file: SourceFile | undefined, label?: string): boolean =>
  file !== undefined && parkedBlocks(file).some(([, name]) => label === undefined || name === label);

/** Adds code to the end of a file as comments, with a reason in a sentence. */
export function park(file: SourceFile, label: string, reason: string, code: string): void {
  const lines = code.split('\n').map((line) => `// ${line}`.trimEnd());
  const text = file.getFullText();
  splice(
    file,
    text.trimEnd().length,
    text.length,
    `\n\n${parkedHead(label)} ${reason}\n${HINT}\n${lines.join('\n')}\n`,
  );
}

/** Removes parked code from the comments and returns it; undefined where there is none. */
export function restore(file: SourceFile, label: string): string | undefined {
  const block = parkedBlocks(file).find(([, name]) => name === label);
  if (block === undefined) return undefined;
  splice(file, block.index, block.index + block[0].length, '');
  return (block[2] ?? '').replaceAll(/^\/\/ ?/gm, '').trimEnd();
}

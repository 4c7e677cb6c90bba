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

/** Replaces a range. Nodes become invalid, because the file is parsed again. Edits by ts-morph fail on some comments. */
function splice(file: SourceFile, start: number, end: number, text: string): void {
  const old = file.getFullText();
  file.replaceWithText(old.slice(0, start) + text + old.slice(end));
}

const insert = (file: SourceFile, at: number, text: string): void => splice(file, at, at, text);

/** Removes a range, and the blank lines on one side. */
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

/** Removes a statement or a property with its comments. Returns the text, with the comma of a property. */
export function cut(node: Node): string {
  const { start, end, hasComma } = extentOf(node);
  const text = node.getSourceFile().getFullText();
  const indent = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const comma = hasComma || Node.isStatement(node) ? '' : ',';
  const code = text.slice(start, node.getEnd()) + comma + text.slice(node.getEnd(), end);
  removeRange(node.getSourceFile(), start, end);
  return (/^\s*$/.test(indent) ? indent : '') + code;
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
    .map((one) => one.getName());

function nameOf(node: Node): string {
  if (Node.isSpreadAssignment(node) || !Node.hasName(node)) return '';
  const name = Node.isPropertyAssignment(node) ? node.getNameNode() : undefined;
  return Node.isStringLiteral(name) ? name.getLiteralText() : node.getName();
}

export const propertyNames = (file: SourceFile, constant: string): string[] =>
  (literalOf(file, constant)?.getProperties() ?? []).flatMap((one) =>
    Node.isSpreadAssignment(one) ? spreadNames(one) : [nameOf(one)],
  );

export const propertyOf = (file: SourceFile | undefined, constant: string, name: string): Node | undefined =>
  literalOf(file, constant)
    ?.getProperties()
    .find((one) => nameOf(one) === name);

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
  const ofModule = file.getImportDeclarations().filter((one) => one.getModuleSpecifierValue() === module);
  if (ofModule.some((one) => one.getNamedImports().some((named) => named.getName() === name))) return;
  const same = ofModule.find((one) => one.isTypeOnly() === isTypeOnly && !one.getNamespaceImport());
  if (same) same.addNamedImport(name);
  else file.addImportDeclaration({ moduleSpecifier: module, namedImports: [name], isTypeOnly });
}

/** Returns true if a name occurs outside of the imports. */
export const isUsed = (file: SourceFile, name: string): boolean =>
  file
    .getDescendantsOfKind(SyntaxKind.Identifier)
    .some((one) => one.getText() === name && !one.getFirstAncestorByKind(SyntaxKind.ImportDeclaration));

/** Removes an unused import. Returns false if there is none. */
export function removeUnusedImport(file: SourceFile, name: string): boolean {
  for (const declaration of file.getImportDeclarations()) {
    const named = declaration.getNamedImports().find((one) => one.getName() === name);
    const isNamespace = declaration.getNamespaceImport()?.getText() === name;
    if ((!named && !isNamespace) || isUsed(file, name)) continue;
    if (named && (declaration.getNamedImports().length > 1 || declaration.getDefaultImport())) named.remove();
    // The comments above it may describe the file.
    else removeRange(file, declaration.getStart(), declaration.getEnd());
    return true;
  }
  return false;
}

/** Code of members that the contract no longer has, in comments at the end of its file. */
const PARKED = /\n?^\/\/ accord: parked (\S+): .*\n\/\/ .*\n((?:\/\/.*\n?)*)/gm;
const HINT = '// It comes back when the contract has it again; delete it when nobody needs it.';

const parkedBlocks = (file: SourceFile) => [...file.getFullText().matchAll(PARKED)];

export const parkedHead = (label: string): string => `// accord: parked ${label}:`;

/** Returns true if a file has parked code of a label, or any parked code. */
export const isParked = (file: SourceFile | undefined, label?: string): boolean =>
  file !== undefined && parkedBlocks(file).some(([, name]) => label === undefined || name === label);

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

/** Removes parked code from the comments, and returns it; undefined if there is none. */
export function restore(file: SourceFile, label: string): string | undefined {
  const block = parkedBlocks(file).find(([, name]) => name === label);
  if (block === undefined) return undefined;
  splice(file, block.index, block.index + block[0].length, '');
  return (block[2] ?? '').replaceAll(/^\/\/ ?/gm, '').trimEnd();
}

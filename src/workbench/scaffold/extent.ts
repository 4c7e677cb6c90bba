import type { ImportDeclaration, Node, ObjectLiteralExpression, SourceFile } from 'ts-morph';

/** A comment behind something on its line. */
const TRAILING = /^[ \t]*(?:\/\/[^\n]*|\/\*[^\n]*?\*\/)/;

/** Where a statement or property begins and ends in its file, with the comments that belong to it. */
interface Extent {
  start: number;
  end: number;
  /** Whether the separator of a property is within. */
  comma: boolean;
}

/** From the comments right above a node, without a blank line between, to the one behind it on its last line. */
function extentOf(node: Node): Extent {
  const text = node.getSourceFile().getFullText();
  let start = node.getStart(true);
  for (const comment of node.getLeadingCommentRanges().reverse()) {
    if (comment.getPos() >= start) continue;
    if (/\n[ \t]*\r?\n/.test(text.slice(comment.getEnd(), start))) break;
    start = comment.getPos();
  }
  const comma = /^\s*,/.exec(text.slice(node.getEnd()))?.[0] ?? '';
  const end = node.getEnd() + comma.length;
  return { start, end: end + (TRAILING.exec(text.slice(end))?.[0].length ?? 0), comma: comma !== '' };
}

/** The text of a node with its comments, as it stands, from the first column of its first line. */
export function textOf(node: Node): string {
  const { start, end } = extentOf(node);
  const text = node.getSourceFile().getFullText();
  const indent = /(?<![ \t])[ \t]*$/.exec(text.slice(0, start))?.[0] ?? '';
  return indent + text.slice(start, end);
}

/** The text of a property with its comments, and with a comma, which the last one may do without. */
export function propertyTextOf(node: Node): string {
  const text = textOf(node);
  if (extentOf(node).comma) return text;
  const end = text.lastIndexOf(node.getText()) + node.getText().length;
  return `${text.slice(0, end)},${text.slice(end)}`;
}

/**
 * Puts text in the place of a range of a file. The file is parsed anew, and nodes of it that were at hand are forgotten:
 * ts-morph's own edits carry them over, and give up on some changes of comments and blank lines.
 */
export function splice(file: SourceFile, start: number, end: number, text: string): void {
  const old = file.getFullText();
  file.replaceWithText(old.slice(0, start) + text + old.slice(end));
}

export const insert = (file: SourceFile, at: number, text: string): void => splice(file, at, at, text);

/** Takes a piece out of a file. Of the lines that stood empty above and below it, the greater gap stays; none within a brace. */
function removeRange(file: SourceFile, start: number, end: number): void {
  const text = file.getFullText();
  const above = /(?<!\s)\s*$/.exec(text.slice(0, start))?.[0] ?? '';
  const below = /^\s*/.exec(text.slice(end))?.[0] ?? '';
  const lines = (gap: string) => gap.split('\n').length - 1;
  const isLast = end + below.length === text.length;
  const indent = below.slice(below.lastIndexOf('\n') + 1);
  const opens = text[start - above.length - 1] === '{';
  const closes = text[end + below.length] === '}';
  const empty = closes ? lines(below) : opens ? lines(above) : Math.max(lines(above), lines(below));
  const gap = isLast ? '\n' : '\n'.repeat(empty) + indent;
  splice(file, start - above.length, end + below.length, start === above.length ? '' : gap);
}

/** Takes a statement or a property out of its file, with its comments. */
export function removeWithComments(node: Node): void {
  const { start, end } = extentOf(node);
  removeRange(node.getSourceFile(), start, end);
}

/** Takes an import out of its file, and leaves the comments above it, which may be about the file. */
export const removeImport = (node: ImportDeclaration): void =>
  removeRange(node.getSourceFile(), node.getStart(), node.getEnd());

/** Puts a statement behind the imports, a blank line between. */
export function insertStatement(file: SourceFile, text: string): void {
  const above = file.getImportDeclarations().at(-1);
  if (above) insert(file, extentOf(above).end, `\n\n${text}`);
  else insert(file, 0, `${text}\n`);
}

/**
 * Puts a property, given with its comma, behind another one, or else first.
 * @param apart whether a blank line stands between two properties
 */
export function insertProperty(literal: ObjectLiteralExpression, text: string, after?: Node, apart = false): void {
  const file = literal.getSourceFile();
  const gap = apart ? '\n' : '';
  const isFirst = after === undefined;
  const hasComma = !isFirst && extentOf(after).comma;
  const at = isFirst ? literal.getStart() + 1 : hasComma ? extentOf(after).end : after.getEnd();
  // What follows on the same line is not to become a part of a comment.
  const hides =
    text.slice(text.lastIndexOf('\n') + 1).includes('//') && !/^[ \t]*\r?\n/.test(file.getFullText().slice(at));
  const line = `\n  ${text.trimStart()}${hides ? '\n' : ''}`;
  if (isFirst) insert(file, at, literal.getProperties().length > 0 ? line + gap : line);
  else insert(file, at, `${hasComma ? '' : ','}${gap}${line}`);
}

import type { Node, ObjectLiteralExpression, SourceFile } from 'ts-morph';

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
export function extentOf(node: Node): Extent {
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
  const indent = /[ \t]*$/.exec(text.slice(0, start))?.[0] ?? '';
  return indent + text.slice(start, end);
}

/** Takes a node out of its file, with its comments and the space that they took. */
export function removeWithComments(node: Node): void {
  const file = node.getSourceFile();
  const { start, end } = extentOf(node);
  const text = file.getFullText();
  const indent = /[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0;
  const after = /^\s*/.exec(text.slice(end))?.[0] ?? '';
  const isLast = end + after.length === text.length;
  const before = isLast ? text.slice(0, start).trimEnd().length : start - indent;
  // What follows keeps its own indentation.
  const gap = isLast ? Math.max(0, after.length - 1) : after.lastIndexOf('\n') + 1;
  file.removeText(before, end + gap);
}

/** Puts a statement behind another one, or else before another one, or else behind the imports, a blank line between. */
export function insertStatement(file: SourceFile, text: string, after?: Node, before?: Node): void {
  const [place] = [after, before ?? file.getImportDeclarations().at(-1)].filter((node) => node !== undefined);
  if (place === undefined) file.insertText(0, `${text}\n`);
  else if (place === before) file.insertText(extentOf(place).start, `${text}\n\n`);
  else file.insertText(extentOf(place).end, `\n\n${text}`);
}

/** Puts a property, given with its comma, behind another one, or else first. */
export function insertProperty(literal: ObjectLiteralExpression, text: string, after?: Node): void {
  const file = literal.getSourceFile();
  const line = `\n  ${text.trimStart()}`;
  if (after === undefined) file.insertText(literal.getStart() + 1, line);
  else if (extentOf(after).comma) file.insertText(extentOf(after).end, line);
  else file.insertText(after.getEnd(), `,${line}`);
}

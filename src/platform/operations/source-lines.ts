import { existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rootPath } from '../root.js';

const stacks = new WeakMap<object, { stack?: string }>();

/** Stores the line of the application that calls `declare`, for messages at start. */
export function recordSourceLine<T extends object>(declaration: T, declare: (...given: never[]) => unknown): T {
  const captured = {};
  Error.captureStackTrace(captured, declare);
  stacks.set(declaration, captured);
  return declaration;
}

/** Returns `src/application/models.ts:8:21: ` for a declaration of `recordSourceLine`, or an empty text. */
export function sourceLineOf(declaration: object): string {
  const [, frame = ''] = stacks.get(declaration)?.stack?.split('\n') ?? [];
  const [, at, line, column] = /(?:\(|at )([^()]+):(\d+):(\d+)\)?$/.exec(frame) ?? [];
  if (at === undefined) return '';
  const position = originalPosition(at.startsWith('file:') ? fileURLToPath(at) : at, Number(line), Number(column));
  return `${relative(rootPath(), position.file)}:${position.line}:${position.column}: `;
}

/** Translates a line of a bundle by its source map. */
function originalPosition(file: string, line: number, column: number) {
  const mapFile = `${file}.map`;
  if (!existsSync(mapFile)) return { file, line, column };
  const found = new SourceMap(JSON.parse(readFileSync(mapFile, 'utf8'))).findEntry(line - 1, column - 1);
  if (!('originalSource' in found)) return { file, line, column };
  const source = resolve(dirname(file), found.originalSource);
  return { file: source, line: found.originalLine + 1, column: found.originalColumn + 1 };
}

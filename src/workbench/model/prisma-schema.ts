import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { lazily } from './lazily.js';
import { FILES, type Problem, problemAt } from './problems.js';

/** What stands behind a field, a value, or in a block by itself: `@map("role")`, `@@index([a, b])`. */
interface PrismaAttribute {
  /** With its signs: `@db.VarChar`, `@@map`. */
  readonly name: string;
  /** What stands in its parentheses, blanks folded; undefined without any. */
  readonly args: string | undefined;
}

interface Named {
  readonly name: string;
  /** Of the name, from 1. */
  readonly line: number;
  readonly column: number;
  readonly attributes: readonly (PrismaAttribute & { readonly line: number })[];
}

export interface PrismaField extends Named {
  readonly type: string;
  readonly list: boolean;
  readonly optional: boolean;
}

export interface PrismaModel extends Named {
  readonly fields: readonly PrismaField[];
}

export interface PrismaEnum extends Named {
  readonly values: readonly Named[];
}

/** The text of prisma/schema.prisma and what it says, read when it is first asked for, and once. */
export interface PrismaSource extends PrismaSchema {
  readonly file: string;
  readonly text: string;
}

interface PrismaSchema {
  /** Models, views and composite types. */
  readonly models: readonly PrismaModel[];
  readonly enums: readonly PrismaEnum[];
}

const BLOCK = /^\s*(model|view|type|enum)\s+(\w+)\s*\{/;
const FIELD = /^\s*(\w+)\s+(\w+)(\[\])?(\?)?/;
const VALUE = /^\s*(\w+)/;
const ATTRIBUTE = /@@?\w+(?:\.\w+)?/y;

/** A string, a comment, or one character. */
const TOKEN = /"(?:\\.|[^"\\])*"|\/\/.*|[\s\S]/y;

/** Calls back for each token of a line, up to its comment, until told to stop; where it stopped. */
function scan(line: string, from: number, visit: (token: string) => boolean): number {
  let at = from;
  while (at < line.length) {
    TOKEN.lastIndex = at;
    const [token = ''] = TOKEN.exec(line) ?? [];
    if (token.startsWith('//') || !visit(token)) return at;
    at += token.length;
  }
  return at;
}

/** A line up to its comment; `//` within a string is none. */
const withoutComment = (line: string): string =>
  line.slice(
    0,
    scan(line, 0, () => true),
  );

/** The attributes of a line that has no comment, in their order. */
function attributesIn(text: string, line: number): Named['attributes'] {
  const found: (PrismaAttribute & { line: number })[] = [];
  let at = 0;
  while (at < text.length) {
    at = scan(text, at, (token) => token !== '@');
    ATTRIBUTE.lastIndex = at;
    const [name] = ATTRIBUTE.exec(text) ?? [];
    if (name === undefined) return found;
    const start = at + name.length;
    let depth = 0;
    const end = scan(text, start, (token) => {
      if (token === '(') depth += 1;
      if (token === ')') depth -= 1;
      return depth > 0;
    });
    const args = end > start ? text.slice(start + 1, end).replaceAll(/\s+/g, ' ') : undefined;
    found.push({ name, args, line });
    at = Math.max(end, start);
  }
  return found;
}

/** A field of a model, by its line. */
function fieldOf(line: string, number: number): PrismaField[] {
  const [all = '', name = '', type = '', list, optional] = FIELD.exec(line) ?? [];
  const attributes = attributesIn(line.slice(all.length), number);
  const place = { line: number, column: line.indexOf(name) + 1 };
  return all === ''
    ? []
    : [{ name, ...place, type, list: list !== undefined, optional: optional !== undefined, attributes }];
}

/** A value of an enum, by its line. */
function enumValueOf(line: string, number: number): Named[] {
  const [all, name = ''] = VALUE.exec(line) ?? [];
  return all === undefined
    ? []
    : [{ name, line: number, column: line.indexOf(name) + 1, attributes: attributesIn(line, number) }];
}

/**
 * The model of the text of a Prisma schema, with the place of each name; nothing of it is read yet. Takes one that Prisma
 * finds valid: its grammar has one field, value or attribute of a block to a line.
 */
export function prismaOf(text: string): PrismaSource {
  const read = lazily(() => readPrismaSchema(text));
  return {
    file: FILES.prisma,
    text,
    get models() {
      return read().models;
    },
    get enums() {
      return read().enums;
    },
  };
}

function readPrismaSchema(text: string): PrismaSchema {
  const models: PrismaModel[] = [];
  const enums: PrismaEnum[] = [];
  let enter: ((line: string, number: number) => void) | undefined;

  const open = (kind: string, line: string, number: number, name: string): typeof enter => {
    const attributes: Named['attributes'][number][] = [];
    const block = { name, line: number, column: line.indexOf(name, line.indexOf(kind) + kind.length) + 1, attributes };
    const [fields, values]: [PrismaField[], Named[]] = [[], []];
    if (kind === 'enum') enums.push({ ...block, values });
    else models.push({ ...block, fields });
    return (each, at) => {
      if (each.trim().startsWith('@@')) attributes.push(...attributesIn(each, at));
      else if (kind === 'enum') values.push(...enumValueOf(each, at));
      else fields.push(...fieldOf(each, at));
    };
  };

  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = withoutComment(raw);
    const [, kind = '', name] = BLOCK.exec(line) ?? [];
    if (name !== undefined) enter = open(kind, line, index + 1, name);
    else if (/^\s*\}/.test(line)) enter = undefined;
    else if (line.trim() !== '') enter?.(line, index + 1);
  }
  return { models, enums };
}

/** An attribute by its name; undefined where there is none. */
export const attributeOf = ({ attributes }: Pick<Named, 'attributes'>, name: string): PrismaAttribute | undefined =>
  attributes.find((one) => one.name === name);

/** The name in the database, by `@map("role")` or `@@map(name: "role")`; its own where it has no other. */
export const databaseName = (named: Named, attribute: '@map' | '@@map'): string =>
  /"([^"]+)"/.exec(attributeOf(named, attribute)?.args ?? '')?.[1] ?? named.name;

/** The native type of a column, `VarChar(100)`; undefined where Prisma chooses. */
export function nativeType({ attributes }: PrismaField): string | undefined {
  const found = attributes.find(({ name }) => name.startsWith('@db.'));
  return found && found.name.slice('@db.'.length) + (found.args === undefined ? '' : `(${found.args})`);
}

const run = promisify(execFile);

/** `error: <message>` and, on the next line, ` -->  <path>:<line>`. */
const FINDING = /^error: (.+)\n\s*-->\s+\S.*:(\d+)$/gm;

/** What Prisma says is wrong, with the column of the word that it quotes. */
export function problemsIn(output: string, { file, text }: Pick<PrismaSource, 'file' | 'text'>): Problem[] {
  const lines = text.split('\n');
  return [...output.matchAll(FINDING)].map(([, message = '', number = '1']) => {
    const line = lines[Number(number) - 1] ?? '';
    const quoted = /["`]([^"`]+)["`]/.exec(message)?.[1] ?? '';
    const at = quoted === '' ? -1 : line.indexOf(quoted);
    const column = at < 0 ? line.search(/\S|$/) : at;
    const place = { line: Number(number), column: column + 1, length: at < 0 ? 1 : quoted.length };
    return problemAt(file, text, place, 'prisma', message);
  });
}

/**
 * The problems of the `prisma/schema.prisma` in a directory. Asks Prisma's own `validate`, in a process of its own (about a
 * second), which reads the file. Rejects when Prisma fails for another reason.
 */
export async function checkPrismaSchema(root: string, source: PrismaSource): Promise<Problem[]> {
  const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
  // Prisma looks for an engine binary that it does not use here, and would download one; any executable passes.
  const environment = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1', NO_COLOR: '1' };
  try {
    await run(process.execPath, [cli, 'validate', '--schema', join(root, FILES.prisma)], {
      cwd: root,
      env: { ...process.env, ...environment },
    });
    return [];
  } catch (error) {
    const problems = problemsIn(String((error as { stderr?: string }).stderr ?? ''), source);
    if (problems.length === 0) throw error;
    return problems;
  }
}

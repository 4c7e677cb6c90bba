import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rootPath } from '@accord-api/platform/root';
import { FILES, type Problem, problemAt } from './problems.js';

/** An attribute of a field, a value or a block: `@map("role")`, `@@index([a, b])`. */
interface PrismaAttribute {
  /** `@db.VarChar`, `@@map` */
  readonly name: string;
  /** The text in its parentheses with single blanks. */
  readonly args: string | undefined;
}

interface Named {
  readonly name: string;
  readonly line: number;
  readonly column: number;
  readonly attributes: readonly (PrismaAttribute & { readonly line: number })[];
}

export interface PrismaField extends Named {
  readonly type: string;
  readonly list: boolean;
  readonly optional: boolean;
}

interface PrismaModel extends Named {
  readonly fields: readonly PrismaField[];
}

interface PrismaEnum extends Named {
  readonly values: readonly Named[];
}

/** The schema of the database. */
export interface PrismaSource {
  readonly file: string;
  readonly text: string;
  readonly models: readonly PrismaModel[];
  readonly enums: readonly PrismaEnum[];
}

const STRING = '"(?:\\\\.|[^"\\\\])*"';
/** Text in parentheses, which may contain others to this depth. */
const parenthesised = (depth: number): string =>
  `\\((?:${STRING}|[^"()]${depth > 0 ? `|${parenthesised(depth - 1)}` : ''})*\\)`;

const BLOCK = /^\s*(model|view|type|enum)\s+(\w+)\s*\{/;
const FIELD = /^\s*(\w+)(?:\s+(\w+)(\[\])?(\?)?)?/;
const ATTRIBUTE = new RegExp(`(@@?\\w+(?:\\.\\w+)?)(${parenthesised(3)})?`, 'g');
const COMMENT = new RegExp(`(${STRING})|//.*`, 'g');

const attributesIn = (text: string, line: number): Named['attributes'] =>
  [...text.matchAll(ATTRIBUTE)].map(([, name = '', args]) => ({
    name,
    args: args?.slice(1, -1).replaceAll(/\s+/g, ' '),
    line,
  }));

/** Parses a schema that Prisma finds valid, line by line. Each line of a block has one field, value or block attribute. */
export function prismaOf(text: string): PrismaSource {
  const models: (PrismaModel & { fields: PrismaField[] })[] = [];
  const enums: (PrismaEnum & { values: Named[] })[] = [];
  let block: { attributes: Named['attributes'][number][]; members: PrismaField[] } | undefined;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const content = raw.replace(COMMENT, '$1');
    const line = index + 1;
    const [, kind, title] = BLOCK.exec(content) ?? [];
    const [, name, type = '', list, optional] = FIELD.exec(content) ?? [];
    if (title !== undefined) {
      block = { attributes: [], members: [] };
      const column = content.search(new RegExp(`\\b${title}\\s*\\{`)) + 1;
      const named = { name: title, line, column, attributes: block.attributes };
      if (kind === 'enum') enums.push({ ...named, values: block.members });
      else models.push({ ...named, fields: block.members });
    } else if (/^\s*\}/.test(content)) block = undefined;
    else if (/^\s*@@/.test(content)) block?.attributes.push(...attributesIn(content, line));
    else if (name !== undefined) {
      const place = { line, column: content.indexOf(name) + 1, attributes: attributesIn(content, line) };
      block?.members.push({ name, ...place, type, list: list !== undefined, optional: optional !== undefined });
    }
  }
  return { file: FILES.prisma, text, models, enums };
}

export const attributeOf = ({ attributes }: Pick<Named, 'attributes'>, name: string): PrismaAttribute | undefined =>
  attributes.find((attribute) => attribute.name === name);

/** Returns the name in the database: `@map("role")`, `@@map(name: "role")`, or its own name. */
export const databaseName = (named: Named, attribute: '@map' | '@@map'): string =>
  /"([^"]+)"/.exec(attributeOf(named, attribute)?.args ?? '')?.[1] ?? named.name;

/** Returns the native type of a column: `VarChar(100)`; undefined if Prisma chooses it. */
export function nativeType({ attributes }: PrismaField): string | undefined {
  const found = attributes.find(({ name }) => name.startsWith('@db.'));
  return found && found.name.slice('@db.'.length) + (found.args === undefined ? '' : `(${found.args})`);
}

const run = promisify(execFile);

/** Runs Prisma's command in a project, which takes about a second. Rejects with its output in `stderr`. */
async function runPrisma(root: string, ...args: string[]): Promise<void> {
  const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
  // Prisma would download an engine that these commands do not use. Any executable passes for it.
  const environment = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1', NO_COLOR: '1' };
  const options = { cwd: root, env: { ...process.env, ...environment } };
  await run(process.execPath, [cli, ...args, '--schema', FILES.prisma], options);
}

/** `error: <message>` and, on the next line, ` -->  <path>:<line>`. */
const FINDING = /^error: (.+)\n\s*-->\s+\S.*:(\d+)$/gm;

/** Parses the problems in Prisma's output. The column is the place of the word that the message quotes. */
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

/** Returns the problems of `prisma/schema.prisma` in a directory. Rejects if Prisma fails for another reason. */
export async function checkPrismaSchema(root: string, source: PrismaSource): Promise<Problem[]> {
  try {
    await runPrisma(root, 'validate');
    return [];
  } catch (error) {
    const problems = problemsIn(String((error as { stderr?: string }).stderr ?? ''), source);
    if (problems.length === 0) throw error;
    return problems;
  }
}

/**
 * Generates `generated/prisma` from `prisma/schema.prisma`, in about a second.
 * @throws Error with Prisma's message, which names file and line, for an invalid schema
 */
export const generatePrismaClient = (folder: string = rootPath()): Promise<void> =>
  runPrisma(folder, 'generate', '--no-hints').catch((error: { stderr?: string; message: string }) => {
    throw new Error(readable(error.stderr || error.message), { cause: error });
  });

/** Removes the lines that Prisma prints on success too, and its frame around the message. */
const readable = (text: string): string =>
  text
    .split('\n')
    .filter((line) => line.trim() && !/^(Loaded |Prisma schema loaded|Prisma CLI Version|\[Context)/.test(line))
    .join('\n');

/** Removes the alignment that Prisma adds to its copy of a schema. */
const unaligned = (text: string): string => text.replaceAll(/ +/g, ' ');

/** Returns true if `generated/prisma` was made from this text of schema.prisma by this version of Prisma. */
export async function prismaClientIsCurrent(folder: string = rootPath()): Promise<boolean> {
  const { version } = createRequire(import.meta.url)('@prisma/client/package.json') as { version: string };
  const [schema, client] = await Promise.all([
    readFile(join(folder, 'prisma', 'schema.prisma'), 'utf8'),
    readFile(join(folder, 'generated', 'prisma', 'internal', 'class.ts'), 'utf8').catch(() => ''),
  ]);
  const hasDataModel = existsSync(join(folder, 'generated', 'prisma', 'data-model.ts'));
  const isKept = unaligned(client).includes(unaligned(`"inlineSchema": ${JSON.stringify(schema)}`));
  return hasDataModel && isKept && client.includes(`"clientVersion": "${version}"`);
}

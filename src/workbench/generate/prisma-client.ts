import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { rootPath } from '@accord-api/platform/root';
import { runPrisma } from '../model/prisma-schema.js';

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

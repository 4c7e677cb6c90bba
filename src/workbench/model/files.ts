import { readFile } from 'node:fs/promises';

/** What is read of a project: both contracts, and the schema of its database. */
export const FILES = {
  openapi: 'openapi.yaml',
  schema: 'schema.graphql',
  prisma: 'prisma/schema.prisma',
} as const;

/** What bytes say in UTF-8, as both contracts are written. Throws on any others, with the line of the first. */
function textIn(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // What stands for bytes that are none is one character; where it is written itself, it is three bytes.
    const lines = new TextDecoder().decode(bytes).split('\n');
    const sound = Buffer.from(bytes).toString('latin1').split('\n');
    const at = lines.findIndex((line, index) => Buffer.from(line).toString('latin1') !== sound[index]);
    throw new Error(`line ${at + 1} is not in UTF-8`);
  }
}

/** The text of a file; undefined where there is none. */
export async function textOf(path: string): Promise<string | undefined> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return bytes && textIn(bytes);
}

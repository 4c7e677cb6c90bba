import { readFile } from 'node:fs/promises';

/** What is read of a project: both contracts, and the schema of its database. */
export const FILES = {
  openapi: 'openapi.yaml',
  schema: 'schema.graphql',
  prisma: 'prisma/schema.prisma',
} as const;

/** The text of a file; undefined where there is none. */
export async function textOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

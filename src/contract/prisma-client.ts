import { resolve } from 'node:path';
import { generatePrismaClient, prismaClientIsCurrent } from '../database/generate.js';
import { rootPath } from '../root.js';

/** Whether the project is this package, whose Prisma client is missing or behind `prisma/schema.prisma`. */
export async function clientIsStale(root: string): Promise<boolean> {
  return resolve(root) === resolve(rootPath()) && !(await prismaClientIsCurrent());
}

/**
 * Makes the Prisma client, and says which part of `generated/` that is. It is not committed, so a fresh checkout has none.
 * Needs no development dependency. Rejects when `schema.prisma` is broken, and then leaves the old client.
 */
export async function generateClient(): Promise<string[]> {
  await generatePrismaClient();
  return ['prisma'];
}

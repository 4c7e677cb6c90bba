import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../../generated/prisma/client.js';

/** Prisma Client with the same schema, and the PostgreSQL adapter as its documentation shows. */
export const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString: process.env['DATABASE_URL'] as string }),
});

export const fields = { id: true, name: true, email: true, role: true, createdAt: true } as const;

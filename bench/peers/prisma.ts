import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../../generated/prisma/client.js';

/** Prisma's client of the same schema, with its adapter for PostgreSQL as the documentation shows it. */
export const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString: process.env['DATABASE_URL'] as string }),
});

export const fields = { id: true, name: true, email: true, role: true, createdAt: true } as const;

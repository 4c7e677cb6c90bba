import { PGlite } from '@electric-sql/pglite';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { PrismaClient } from '../../generated/prisma/client.js';
import { serveUsers } from './bare.js';
import { columnsOf, type User } from './users.js';

/** node:http with Prisma over PGlite, through its adapter. */
const client = await PGlite.create(process.env['DIRECTORY'] as string);
const prisma = new PrismaClient({ adapter: new PrismaPGlite(client) });
const select = { id: true, name: true, email: true, role: true, createdAt: true } as const;

serveUsers({
  get: async (id) => (await prisma.user.findUnique({ where: { id }, select })) ?? undefined,
  create: (user): Promise<User> => prisma.user.create({ data: columnsOf(user), select }),
});

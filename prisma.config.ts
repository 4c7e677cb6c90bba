import { defineConfig } from 'prisma/config';

// Prisma fetches a binary that only `prisma migrate` and `prisma db` run. Where it is given one, whichever, it fetches none.
if (!process.argv.some((argument) => ['migrate', 'db'].includes(argument)))
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

/**
 * For Prisma's own commands: `npx prisma validate`, `format`, `generate`, `studio`, and `migrate`, on the database that
 * DATABASE_URL names. The service needs none of them: it migrates by itself, and `npx accord migrate` writes migrations.
 */
export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  datasource: { url: process.env['DATABASE_URL'] ?? '' },
});

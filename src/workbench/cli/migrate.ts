import { relative } from 'node:path';
import { applyMissingMigrations } from '@accord-api/platform/cli/migrate';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';

const migrate: Subcommand = (command) => {
  command.argument('[name]', 'the purpose of a new migration, such as add_orders; without it, migrations are applied');
  command.option('--check', 'write nothing; exit 1 if the migrations do not result in prisma/schema.prisma', false);
  command.action(async (name: string | undefined, { check }: { check: boolean }) => {
    if (name === undefined && !check) return applyMissingMigrations();
    const { checkMigrations, createMigration } = await import('../prisma/migration-diff.js');
    if (name === undefined || check) {
      const difference = await checkMigrations();
      if (difference !== undefined)
        command.error(`The migrations do not result in prisma/schema.prisma:\n${difference}`);
      return console.log('The migrations result in prisma/schema.prisma.');
    }
    const path = await createMigration(name);
    console.log(path === undefined ? 'Nothing has changed in prisma/schema.prisma.' : relative(process.cwd(), path));
  });
};

export default migrate;

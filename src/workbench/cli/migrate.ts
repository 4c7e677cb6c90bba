import { relative } from 'node:path';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';

/** `accord migrate <name>`: writes the migration that leads to `prisma/schema.prisma`; `--check` only tells. */
const migrate: Subcommand = (command) => {
  command.argument('[name]', 'what the migration does, such as add_orders');
  command.option('--check', 'write nothing; fail when the migrations do not give prisma/schema.prisma', false);
  command.action(async (name: string | undefined, { check }: { check: boolean }) => {
    // The schema engine is large, and nothing but this command needs it.
    const { checkMigrations, createMigration } = await import('../prisma/migration-diff.js');
    if (check) {
      const difference = await checkMigrations();
      if (difference !== undefined) command.error(`The migrations do not give prisma/schema.prisma:\n${difference}`);
      return console.log('The migrations give prisma/schema.prisma.');
    }
    if (name === undefined) command.error('A migration needs a name.');
    const path = await createMigration(name as string);
    console.log(path === undefined ? 'Nothing has changed in prisma/schema.prisma.' : relative(process.cwd(), path));
  });
};

export default migrate;

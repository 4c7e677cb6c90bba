import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';

const DESCRIPTION =
  'Adds the tables of the installed version of Accord to the project: writes the missing migrations into prisma/migrations, after its own, and updates the models of the platform in prisma/schema.prisma. Your models and members stay. Then it generates. The next start applies the migrations.';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const NEXT = `
Next:
  1. Review the changes (\`git diff\`): the files are yours.
  2. Run \`npm run typecheck\`, \`npm run lint\` and \`npm test\`: they report other changes.
  3. Start the service, which applies the migrations.`;

/** Exits 1 with `--check` if there is something to add, 2 for a project that `accord new` did not write. */
const upgrade: Subcommand = (command) => {
  command
    .description(DESCRIPTION)
    .option('--check', 'write nothing; print the changes, and exit 1 if there are any', false)
    .action(async () => {
      const { root, check } = command.optsWithGlobals<{ root: string; check: boolean }>();
      const { upgradeOf } = await import('../new/upgrade.js');
      const { writeFiles } = await import('../new/new.js');
      const { files, changed } = await upgradeOf(root);
      if (files.size === 0) return console.log(`The tables are those of Accord ${version}.`);
      console.log(`${check ? 'To be added from' : 'Added from'} Accord ${version}:`);
      for (const file of files.keys()) console.log(`  ${file}`);
      if (changed.length > 0) console.log(`  (${changed.join(', ')})`);
      if (check) {
        process.exitCode = EXIT.found;
        return;
      }
      await writeFiles(root, files);
      const { checkMigrations } = await import('../prisma/migration-diff.js');
      const { readContracts } = await import('../model/contracts.js');
      const { generate } = await import('../generate/generate.js');
      const { ok, report } = await generate(await readContracts(root), { root });
      console.log(report);
      const prisma = join(root, 'prisma');
      const difference = await checkMigrations({
        folder: join(prisma, 'migrations'),
        schema: join(prisma, 'schema.prisma'),
      });
      if (difference !== undefined)
        console.log(`\nThe migrations do not result in prisma/schema.prisma. The differences:\n${difference}`);
      if (!ok || difference !== undefined) process.exitCode = EXIT.found;
      console.log(NEXT);
    });
};

export default upgrade;

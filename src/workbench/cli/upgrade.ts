import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EXIT, Unable, withProgress } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';

const DESCRIPTION = `
Takes the tables of the installed version of Accord into the project: writes the migrations that it lacks into
prisma/migrations, behind its own, and brings the platform's models in prisma/schema.prisma to what they give. Members and models
of yours stay. Then it generates. It touches no database: the next start applies the migrations.`;

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

const NEXT = `
Next:
  1. Look at it (\`git diff\`): it is yours from now on.
  2. Run \`npm run typecheck\`, \`npm run lint\` and \`npm test\`: they tell what else is another.
  3. Start it. A start applies the migrations.`;

/** `accord upgrade [--check]`: exits 1 with `--check` where something is to be taken over, 2 where nothing can be. */
const upgrade: Subcommand = (command) => {
  command
    .description(DESCRIPTION.trim().replaceAll('\n', ' '))
    .option('--check', 'write nothing; tell what would be written, and exit 1 when there is something', false)
    .action(async () => {
      const { root: given, check } = command.optsWithGlobals<{ root: string; check: boolean }>();
      const root = resolve(given);
      const { NoUpgrade, upgradeOf } = await import('../new/upgrade.js');
      const { writeFiles } = await import('../new/new.js');
      const found = await upgradeOf(root).catch((error: unknown) => {
        throw error instanceof NoUpgrade ? new Unable(error.message) : error;
      });
      if (found.files.size === 0) return console.log(`The tables are those of Accord ${version}.`);
      console.log(`${check ? 'To be taken over from' : 'Taken over from'} Accord ${version}:`);
      for (const file of found.files.keys()) console.log(`  ${file}`);
      if (found.changed.length > 0) console.log(`  (${found.changed.join(', ')})`);
      if (check) {
        process.exitCode = EXIT.found;
        return;
      }
      await writeFiles(root, found.files);
      const { checkMigrations } = await import('../prisma/migration-diff.js');
      const { readContracts } = await import('../model/contracts.js');
      const { generate } = await import('../generate/generate.js');
      const { ok, report } = await withProgress('Generating', async () =>
        generate(await readContracts(root), { root }),
      );
      console.log(report);
      if (!ok) process.exitCode = EXIT.found;
      const prisma = join(root, 'prisma');
      const difference = await checkMigrations({
        folder: join(prisma, 'migrations'),
        schema: join(prisma, 'schema.prisma'),
      });
      if (difference !== undefined) {
        console.log(`\nWhat prisma/schema.prisma has besides, or lacks, and the migrations do not:\n${difference}`);
        process.exitCode = EXIT.found;
      }
      console.log(NEXT);
    });
};

export default upgrade;

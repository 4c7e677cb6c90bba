import { relative } from 'node:path';
import { bundleIsCurrent } from '@accord-api/platform/cli/built';
import { type Subcommand, type Subcommands, Unable } from '@accord-api/platform/cli/output';

const build: Subcommand = (command) => {
  command.action(async () => {
    const { generatePrismaClient, prismaClientIsCurrent } = await import('../model/prisma-schema.js');
    if (!(await prismaClientIsCurrent())) {
      console.log('Generating the Prisma client …');
      await generatePrismaClient();
    }
    if (bundleIsCurrent()) return;
    const { bundleService } = await import('./bundle.js');
    await bundleService().catch((error: Error) => {
      throw new Unable(error.message);
    });
  });
};

/** Exits 1 on an invalid contract, and with `--check` on a stale file. */
const codegen: Subcommand = (command) => {
  command.option('--check', 'write nothing; exit 1 if generated/ does not match the contracts', false);
  command.action(async () => {
    const { root, check } = command.optsWithGlobals<{ root: string; check: boolean }>();
    const started = performance.now();
    const { generate } = await import('../generate/generate.js');
    const { readContracts } = await import('../model/contracts.js');
    const { ok, report } = await generate(await readContracts(root), { root, check });
    if (ok) return console.log(`${report}\n${Math.round(performance.now() - started)} ms`);
    console.error(report);
    process.exitCode = 1;
  });
};

const migrate: Subcommand = (command) => {
  command.argument('[name]', 'the purpose of a new migration, such as add_orders; without it, migrations are applied');
  command.option('--check', 'write nothing; exit 1 if the migrations do not result in prisma/schema.prisma', false);
  command.action(async (name: string | undefined, { check }: { check: boolean }) => {
    if (name === undefined && !check)
      return (await import('@accord-api/platform/cli/migrate')).applyMissingMigrations();
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

/** The commands for contracts and code, which need the development dependencies. */
export const WORKBENCH: Subcommands = {
  bridge: {
    summary: 'compare openapi.yaml, schema.graphql and schema.prisma with each other',
    load: () => import('./bridge.js'),
  },
  build: {
    summary: 'build the Prisma client, the bundles and the page files',
    load: async () => ({ default: build }),
  },
  codegen: {
    summary: 'generate typed operations and resolvers from the contracts',
    load: async () => ({ default: codegen }),
  },
  coverage: { summary: 'show which parts of the contracts the tests cover', load: () => import('./coverage.js') },
  dev: { summary: 'watch contracts and code, and restart the server', load: () => import('./dev.js') },
  diff: {
    summary: 'show the changes of the contracts since a git ref, and which of them break clients',
    load: () => import('./diff.js'),
  },
  lint: { summary: 'check the style of both contracts', load: () => import('./lint.js') },
  migrate: {
    summary: 'apply the migrations, or write one from prisma/schema.prisma',
    load: async () => ({ default: migrate }),
  },
  new: { summary: 'write a new project', load: () => import('./new.js') },
  scaffold: {
    summary: 'write the stubs of new operations and fields, and print the next steps',
    load: () => import('./scaffold.js'),
  },
  upgrade: {
    summary: 'add the tables of the installed version of Accord',
    load: async () => ({ default: (await import('./new.js')).upgrade }),
  },
};

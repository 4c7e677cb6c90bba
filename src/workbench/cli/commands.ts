import type { Subcommands } from '@accord-api/platform/cli/subcommand';

/** The commands for contracts and code, which need the development dependencies. */
export const WORKBENCH: Subcommands = {
  bridge: {
    summary: 'compare openapi.yaml, schema.graphql and schema.prisma with each other',
    load: () => import('./bridge.js'),
  },
  build: { summary: 'build the Prisma client, the bundles and the page files', load: () => import('./build.js') },
  changelog: {
    summary: 'write the changes of the contracts for clients, by release',
    load: () => import('./changelog.js'),
  },
  codegen: {
    summary: 'generate typed operations and resolvers from the contracts',
    load: () => import('./codegen.js'),
  },
  coverage: { summary: 'show which parts of the contracts the tests cover', load: () => import('./coverage.js') },
  dev: { summary: 'watch contracts and code, and restart the server', load: () => import('./dev.js') },
  diff: {
    summary: 'show the changes of the contracts since a git ref, and which of them break clients',
    load: () => import('./diff.js'),
  },
  explain: {
    summary: 'show a published operation, and the source of each part',
    load: () => import('./explain.js'),
  },
  lint: { summary: 'check the style of both contracts', load: () => import('./lint.js') },
  migrate: {
    summary: 'apply the migrations, or write one from prisma/schema.prisma',
    load: () => import('./migrate.js'),
  },
  new: { summary: 'write a new project', load: () => import('./new.js') },
  scaffold: {
    summary: 'write the stubs of new operations and fields, and print the next steps',
    load: () => import('./scaffold.js'),
  },
  upgrade: { summary: 'add the tables of the installed version of Accord', load: () => import('./upgrade.js') },
};

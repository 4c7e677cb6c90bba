import type { Subcommands } from '@accord-api/platform/cli/subcommand';

/** What is done with contracts and code. It needs the development dependencies. */
export const WORKBENCH: Subcommands = {
  bridge: {
    summary: 'hold openapi.yaml, schema.graphql and schema.prisma against each other',
    load: () => import('./bridge.js'),
  },
  build: { summary: 'make what a start needs and is not committed', load: () => import('./build.js') },
  changelog: {
    summary: 'write what changed for clients, release by release, from the contracts',
    load: () => import('./changelog.js'),
  },
  codegen: {
    summary: 'generate typed operations and resolvers from the contracts',
    load: () => import('./codegen.js'),
  },
  coverage: { summary: 'show what of the contracts the tests have seen', load: () => import('./coverage.js') },
  dev: { summary: 'watch contracts and code, and keep the server running', load: () => import('./dev.js') },
  diff: {
    summary: 'tell what changed in the contracts since a git ref, and what it breaks',
    load: () => import('./diff.js'),
  },
  explain: {
    summary: 'show an operation as it is published, and where each part comes from',
    load: () => import('./explain.js'),
  },
  lint: { summary: 'look for what hurts in both contracts', load: () => import('./lint.js') },
  migrate: { summary: 'write a migration from prisma/schema.prisma', load: () => import('./migrate.js') },
  new: { summary: 'write a project of your own', load: () => import('./new.js') },
  scaffold: {
    summary: 'write the stubs of what the contracts newly promise, and tell the next step',
    load: () => import('./scaffold.js'),
  },
  upgrade: { summary: 'take the tables of the installed version of Accord', load: () => import('./upgrade.js') },
};

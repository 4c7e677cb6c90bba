import type { Subcommands } from './subcommand.js';

/** What an operator does, on an installation without development dependencies too. */
export const OPERATOR: Subcommands = {
  audit: { summary: 'read the audit table', load: () => import('./audit.js') },
  keys: { summary: 'list, rotate and retire the signing keys', load: () => import('./keys.js') },
  schema: { summary: 'print the GraphQL schema for tools', load: () => import('./schema.js') },
  start: { summary: 'run the service', load: () => import('./start.js') },
  trust: {
    summary: 'register the GraphQL documents that alone may run (TRUSTED_DOCUMENTS)',
    load: () => import('./trust.js'),
  },
};

/** What is read of a project: both contracts, and the schema of its database. */
export const FILES = {
  openapi: 'openapi.yaml',
  schema: 'schema.graphql',
  prisma: 'prisma/schema.prisma',
} as const;

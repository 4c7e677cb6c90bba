/** The only module that imports the generated Prisma client. `npm run build` provides the client as this package. */
export * from '@accord-api/generated/prisma';

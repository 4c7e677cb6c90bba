/**
 * The one place from which the generated Prisma client is imported. A project makes it of its prisma/schema.prisma (`npm run
 * build`), and lends it to the platform as a package of this name.
 */
export * from '@accord-api/generated/prisma';
export { isReferenceViolation } from './faults.js';

/** The one place from which the generated Prisma client is imported; generated/prisma is made by `npm run generate`. */
export * from '../../../generated/prisma/client.js';
export { isReferenceViolation, isUniqueViolation } from './faults.js';

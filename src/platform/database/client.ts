/** The only module that imports generated code: the Prisma client and the data model, which `npm run build` provides as a package. @module */

import { dataModel as generated } from '@accord-api/generated/data-model';
import type { DataModel } from '@accord-api/prepared-prisma';

export * from '@accord-api/generated/prisma';
export type { DataModel, Field, Model as StoredModel, Reading } from '@accord-api/prepared-prisma';
export { boundedClient, delegateName, LazyCall } from '@accord-api/prepared-prisma';

export const dataModel: DataModel = generated;

/** The only module that imports generated code: the Prisma client and the data model, which `npm run build` provides as a package. @module */

import { dataModel as generated } from '@accord-api/generated/data-model';
import type { DataModel } from '@accord-api/prepared-prisma';

export * from '@accord-api/generated/prisma';
export type { DataModel, Field, Model as StoredModel } from '@accord-api/prepared-prisma';

export const dataModel: DataModel = generated;

/** Returns the client's member of a model. */
export const delegateName = (model: string): string => (model[0] ?? '').toLowerCase() + model.slice(1);

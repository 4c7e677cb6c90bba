/** The only module that imports generated code: the Prisma client and the data model, which `npm run build` provides as a package. @module */

import { dataModel as generated } from '@accord-api/generated/data-model';
import type { DataModel } from '../prepared-prisma/data-model.js';

export * from '@accord-api/generated/prisma';

export const dataModel: DataModel = generated;

/** The one place from which the generated data model is imported. `npm run build` makes it, with the Prisma client. */
import { dataModel as generated } from '@accord-api/generated/data-model';
import type { DataModel } from '../prepared-prisma/data-model.js';

export type { DataModel, Field, Model, Relation } from '../prepared-prisma/data-model.js';

/** The models of the project's prisma/schema.prisma. */
export const dataModel: DataModel = generated;

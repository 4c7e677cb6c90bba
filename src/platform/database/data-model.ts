/** The only module that imports the generated data model. */
import { dataModel as generated } from '@accord-api/generated/data-model';
import type { DataModel } from '../prepared-prisma/data-model.js';

export type { DataModel, Field, Model, Relation } from '../prepared-prisma/data-model.js';

export const dataModel: DataModel = generated;

/** The only module that imports generated code: the Prisma client and the data model, which `npm run build` provides as a package. @module */

import { dataModel as generated } from '@accord-api/generated/data-model';
import type { DataModel, Reading } from '@accord-api/prepared-prisma';

export * from '@accord-api/generated/prisma';
export type { DataModel, Field, Model as StoredModel, Reading } from '@accord-api/prepared-prisma';

export const dataModel: DataModel = generated;

/** Returns the client's member of a model. */
export const delegateName = (model: string): string => (model[0] ?? '').toLowerCase() + model.slice(1);

export const BOUNDED = Symbol('a client whose rows are counted');

export const boundedClient = <Client extends object>(client: Client, reading: Reading): Client =>
  (client as { [BOUNDED]?: (reading: Reading) => Client })[BOUNDED]?.(reading) ?? client;

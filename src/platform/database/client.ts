/** The only module that imports generated code: the Prisma client and the data model, which `npm run build` provides as a package. @module */

import { dataModel as generated } from '@accord-api/generated/data-model';
import type { Prisma, PrismaClient } from '@accord-api/generated/prisma';
import type { DataModel, ManualTransaction } from '@accord-api/prepared-prisma';

export * from '@accord-api/generated/prisma';
export type { DataModel, Field, Model as StoredModel } from '@accord-api/prepared-prisma';

export const dataModel: DataModel = generated;

/** Returns the client's member of a model. */
export const delegateName = (model: string): string => (model[0] ?? '').toLowerCase() + model.slice(1);

export type Transaction = ManualTransaction<Prisma.TransactionClient>;

/** Begins a transaction of either client. @param timeout milliseconds, by default those of the client */
export const beginTransaction = (client: PrismaClient, options?: { timeout: number }): Transaction =>
  (client as PrismaClient & { $begin: (given: typeof options) => Transaction }).$begin(options);

import type { Prisma } from '../database/client.js';
import { Failure } from './errors.js';
import { isStorableId } from './pages.js';

interface NamedModel {
  readonly name: string;
  readonly noun: string;
  /** Hides whether rows of other callers exist. Deleted rows have no owner, so they are hidden as well. */
  readonly conceal?: boolean;
}

export const tombstoneKind = ({ name }: Pick<NamedModel, 'name'>): string => name.toUpperCase();

/** Does not reveal whether the row ever existed. */
export const notFound = ({ noun }: Pick<NamedModel, 'noun'>): Failure =>
  new Failure('NOT_FOUND', `There is no such ${noun}.`);

/** @throws Failure GONE for a row with a tombstone, unless the model conceals rows; else NOT_FOUND */
export async function throwNotFoundOrGone(tx: Prisma.TransactionClient, model: NamedModel, id: number): Promise<never> {
  const where = { kind_id: { kind: tombstoneKind(model), id } };
  const tombstone =
    isStorableId(id) && !model.conceal ? await tx.tombstone.findUnique({ where, select: { id: true } }) : null;
  throw tombstone ? new Failure('GONE', `This ${model.noun} was deleted.`) : notFound(model);
}

import type { Prisma } from '../database/client.js';
import { Failure } from './errors.js';
import { isStorableId } from './pages.js';

/** A model in messages and tombstones. */
interface NamedModel {
  readonly name: string;
  /** The word for a row in messages to callers. */
  readonly noun: string;
  /** Whether the rows of other callers are 404. So are deleted rows, whose owner nobody knows any more. */
  readonly conceal?: boolean;
}

/** Returns the kind under which tombstones of a model are stored. */
export const tombstoneKind = ({ name }: Pick<NamedModel, 'name'>): string => name.toUpperCase();

/** Returns the failure that does not tell whether a row ever existed: for a repeated deletion. */
export const notFound = ({ noun }: Pick<NamedModel, 'noun'>): Failure =>
  new Failure('NOT_FOUND', `There is no such ${noun}.`);

/**
 * Distinguishes a deleted row from one that never existed, unless the model conceals the rows of other callers.
 * @throws Failure GONE where a tombstone exists, else NOT_FOUND
 */
export async function throwNotFoundOrGone(tx: Prisma.TransactionClient, model: NamedModel, id: number): Promise<never> {
  const where = { kind_id: { kind: tombstoneKind(model), id } };
  const tombstone =
    isStorableId(id) && !model.conceal ? await tx.tombstone.findUnique({ where, select: { id: true } }) : null;
  throw tombstone ? new Failure('GONE', `This ${model.noun} was deleted.`) : notFound(model);
}

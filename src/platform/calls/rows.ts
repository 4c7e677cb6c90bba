import type { Prisma } from '../database/client.js';
import { Failure } from './errors.js';
import { isStorableId } from './pages.js';

/** A row that counts the changes of its representation. */
export interface Versioned {
  readonly id: number;
  readonly version: number;
}

/**
 * Returns the strong entity tag of a row (RFC 9110 §8.8.3).
 * @example
 * return { status: 200, headers: { etag: resourceTag(order) }, body: representOrder(order) };
 */
export const resourceTag = ({ id, version }: Versioned): string => `"${id}-${version}"`;

/** Returns the failure of an `If-Match` without the row's tag. A weak tag never matches (RFC 9110 §13.1.1). */
export function preconditionFailure(header: string, row: Versioned): Failure | undefined {
  const tag = resourceTag(row);
  if (header.trim() === '*' || header.split(',').some((one) => one.trim() === tag)) return undefined;
  return new Failure('PRECONDITION_FAILED', 'If-Match does not name the present version of this resource.');
}

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

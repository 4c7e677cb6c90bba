import { macs, type Secrets } from '../secrets.js';
import { Failure } from './errors.js';

/**
 * Which part of a list: rows to skip, or the id after which it goes on. Always by ascending id.
 * @example
 * handler: (_request, { db, page, services }) => services.sessions.list(db, page),
 */
export type PageRequest = OffsetPage | { limit: number; after: number };

/** `counted: false` for a caller that shows no total. */
export interface OffsetPage {
  limit: number;
  offset: number;
  counted?: boolean;
}

/**
 * A page of a list: its rows, and how many there are.
 * @example
 * reply: ({ items }: Page<Loan>) => ({ status: 200, body: items.map(represent) }),
 */
export interface Page<T> {
  items: T[];
  hasMore: boolean;
  /** How many rows the whole list has, as far as it is counted; for offset pages only. */
  total?: number;
}

/** Which rows: those between two ids, both apart, and of them `limit` from the start, or from the end. */
export interface Window {
  limit: number;
  fromEnd: boolean;
  after?: number | undefined;
  before?: number | undefined;
}

/** The rows of a window by ascending id, as a Relay connection shows them. */
export interface WindowPage<T> extends Page<T> {
  hasPrevious: boolean;
}

/** A Relay connection: one page of a list. */
export interface Connection<Row> {
  readonly edges: { readonly cursor: string; readonly node: Row }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
}

/** Ids are PostgreSQL integers: nothing above can name or number a row. */
export const MAX_ID = 2_147_483_647;
export const isStorableId = (id: number): boolean => Number.isInteger(id) && id >= 1 && id <= MAX_ID;

/** The offset as the database takes it: nothing lies beyond the greatest id. */
export const storableOffset = (offset: number): number => Math.min(offset, MAX_ID);

const MAC_BYTES = 16;

export type Cursors = ReturnType<typeof cursors>;

/**
 * Opaque cursors: the list's name and the last id seen, authenticated so that a forged or foreign one is told apart.
 * @param secrets any server secrets; all instances must share them. A cursor holds as long as its secret is among them
 */
export function cursors(secrets: Secrets) {
  const codes = macs(secrets, 'accord cursor', MAC_BYTES);

  return {
    /** @param list names the list and its filter, such as `users` or `orders of 7` */
    encode(list: string, id: number): string {
      return Buffer.concat([codes.make(`${list}\n${id}`), Buffer.from(String(id))]).toString('base64url');
    },
    /** @returns the id that the cursor stands for, or undefined when it is not one that this list gave */
    read(list: string, cursor: string): number | undefined {
      const bytes = Buffer.from(cursor, 'base64url');
      const id = bytes.subarray(MAC_BYTES).toString();
      return codes.holds(`${list}\n${id}`, bytes.subarray(0, MAC_BYTES)) ? Number(id) : undefined;
    },
    /**
     * @returns the id after which the list goes on; 0 for the empty cursor, which asks for the first page
     * @throws Failure BAD_REQUEST for a cursor that this list did not give
     */
    decode(list: string, cursor: string): number {
      const id = cursor === '' ? 0 : this.read(list, cursor);
      if (id !== undefined) return id;
      throw new Failure('BAD_REQUEST', 'The cursor is not one that this list gave.', {
        issues: [{ parameter: 'after', detail: 'is not a cursor of this list' }],
      });
    },
  };
}

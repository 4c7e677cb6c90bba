import type { ClientBase } from 'pg';

/** SQLSTATEs of a missing permission, and of a table, column or schema that is missing. */
const DENIED = '42501';
const FOR_ALL_CALLERS = new Set([DENIED, '42P01', '42703', '3F000']);
/** Occurs in statements that Prisma generates from the data model. Others may name a table that never existed. */
const GENERATED = '"public"."';

/** Undocumented members of a client of `pg`. */
interface Internals {
  connection: { prependListener: (event: 'errorMessage', listener: (error: DatabaseError) => void) => void };
  _getActiveQuery: () => { text: string; values?: unknown[] } | null;
}

interface DatabaseError {
  code?: string;
  message: string;
}

/** Remembers a statement that fails for every caller, until it could succeed again. */
export function failingStatements() {
  let failing: { text: string; parameters: number; reason: string } | undefined;
  return {
    observe(client: ClientBase): void {
      const { connection, _getActiveQuery } = client as unknown as Internals;
      connection.prependListener('errorMessage', ({ code = '', message }) => {
        if (!FOR_ALL_CALLERS.has(code)) return;
        const { text = '', values = [] } = _getActiveQuery.call(client) ?? {};
        if ((code !== DENIED && !text.includes(GENERATED)) || text.startsWith('EXPLAIN')) return;
        failing = { text, parameters: values.length, reason: message };
      });
    },
    /** Returns why requests fail; undefined if none is known. Plans the statement, which also checks permissions. */
    async reason(query: (text: string, values: unknown[]) => Promise<unknown>): Promise<string | undefined> {
      if (failing === undefined) return undefined;
      const { text, parameters } = failing;
      await query(`EXPLAIN ${text}`, Array(parameters).fill(null)).then(
        () => {
          failing = undefined;
        },
        // Errors without a code are outages.
        ({ code }: DatabaseError) => {
          if (code !== undefined && !FOR_ALL_CALLERS.has(code)) failing = undefined;
        },
      );
      return failing?.reason;
    },
  };
}

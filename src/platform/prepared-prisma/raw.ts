/** Raw queries: `$queryRaw` and `$executeRaw`, with values and rows as Prisma has them. */
import { Decimal, PrismaClientValidationError, Sql, sqltag } from '@prisma/client/runtime/client';
import { decoderOf } from './column-types.js';
import { type Connection, type Result, TEXT } from './connection.js';
import { timestampOf } from './markers.js';

export type RawQuery = TemplateStringsArray | Sql;

/** @throws PrismaClientValidationError for a text without a tag, as Prisma does */
export function sqlOf(method: string, query: RawQuery, values: readonly unknown[], clientVersion: string): Sql {
  if (query instanceof Sql) return query;
  if (Array.isArray(query) && Array.isArray(query.raw)) return sqltag(query, ...(values as never[]));
  const message = `\`${method}\` is a tag function, please use it like the following:\n\`\`\`\nconst result = await prisma.${method}\`SELECT 1\`\n\`\`\``;
  throw new PrismaClientValidationError(message, { clientVersion });
}

/**
 * Returns a value as @prisma/adapter-pg gives it to `pg`.
 * @throws Error for a value that Prisma refuses
 */
export function encode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return timestampOf(value);
  if (Decimal.isDecimal(value)) return (value as Decimal).toJSON();
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return JSON.stringify(value);
}

/** Returns the rows of a result. Undefined if it has a column of a type that Prisma refuses. */
export function rowsOf({ fields, rows }: Result): object[] | undefined {
  const decoders = fields.map(({ dataTypeID }) => decoderOf(dataTypeID));
  if (decoders.includes(undefined)) return undefined;
  return rows.map((row) => {
    const object: Record<string, unknown> = {};
    for (const [i, text] of row.entries()) {
      const name = (fields[i] as { name: string }).name;
      object[name] = text === null ? null : decoders[i]?.(text);
    }
    return object;
  });
}

/** Sends a query. */
export const sendRaw = (connection: Connection, name: string, { text, values }: Sql): Promise<Result> =>
  connection.query({ name, text, values: values.map(encode), rowMode: 'array', types: TEXT });

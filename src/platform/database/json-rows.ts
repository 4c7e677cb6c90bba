import { Prisma } from './client.js';
import { modelOf } from './columns.js';

/** A member of a model, as it is read within JSON. */
export interface JsonMember {
  name: string;
  /** Its column, of the row with this alias. */
  column: (row: string) => string;
  /** The same as a value of JSON that loses nothing. */
  json: (row: string) => string;
  /** Makes of that, unless it is null, what Prisma gives; left out where it is that already. */
  decode?: (json: never) => unknown;
}

export interface JsonTable {
  /** In SQL. */
  name: string;
  members: ReadonlyMap<string, JsonMember>;
}

/** What JSON has no values of, by the types of Prisma. */
const types: Readonly<Record<string, { sql?: (column: string) => string; decode: (json: never) => unknown }>> = {
  BigInt: { sql: (column) => `${column}::text`, decode: (text: string) => BigInt(text) },
  Bytes: {
    sql: (column) => `encode(${column}, 'hex')`,
    decode: (hex: string) => new Uint8Array(Buffer.from(hex, 'hex')),
  },
  // In whole milliseconds, as a Date has them.
  DateTime: {
    sql: (column) => `floor(extract(epoch FROM ${column})::numeric * 1000)`,
    decode: (milliseconds: number) => new Date(milliseconds),
  },
  // `money` has no text that is a number.
  Decimal: { sql: (column) => `${column}::numeric::text`, decode: (text: string) => new Prisma.Decimal(text) },
  // Infinity comes as text.
  Float: { decode: Number },
};

/** The table of a model, with all its members but enumerations whose values have other names in the database. */
export function jsonTableOf(db: Prisma.TransactionClient, model: Prisma.ModelName): JsonTable {
  const { dbName, schema, fields, mapped } = modelOf(db, model);
  const readable = fields.filter(({ kind, type }) => kind !== 'object' && !mapped.has(type));
  return {
    name: schema ? `"${schema}"."${dbName ?? model}"` : `"${dbName ?? model}"`,
    members: new Map(
      readable.map(({ name, type, dbName }): [string, JsonMember] => {
        const { sql = (column: string) => column, ...rest } = types[type] ?? {};
        const column = (row: string) => `${row}."${dbName ?? name}"`;
        return [name, { name, column, json: (row) => sql(column(row)), ...rest }];
      }),
    ),
  };
}

/** What a statement is given. */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | null
  | readonly number[]
  | readonly string[];

/** Text in quotation marks, as PostgreSQL reads it in an array. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** As PostgreSQL reads it: in text, but bytes as they are. */
export type Encoded = string | Uint8Array | null;

export function encode(value: Value): Encoded {
  if (typeof value === 'string' || value === null || value instanceof Uint8Array) return value;
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object') return String(value);
  return `{${value.map((one) => (typeof one === 'string' ? quoted(one) : one)).join()}}`;
}

/** Sessions are in UTC: `2026-11-22 15:46:03.915+00`. */
const timestamp = (text: string): Date => new Date(`${text.slice(0, 10)}T${text.slice(11).replace('+00', '')}Z`);
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text.slice(2), 'hex'));
const asIs = (text: string): string => text;

/** How a value is read that comes in text, by the number of its type (pg_type.dat of PostgreSQL); as Prisma has it. */
const decoders: Record<number, (text: string) => unknown> = {
  16: (text) => text === 't', // bool
  17: bytes, // bytea
  20: BigInt, // int8
  21: Number, // int2
  23: Number, // int4
  25: asIs, // text
  700: Number, // float4
  701: Number, // float8
  1042: asIs, // bpchar
  1043: asIs, // varchar
  1114: timestamp,
  1184: timestamp, // with a time zone
  2950: asIs, // uuid
};

/** From here on types are those of the database's own: enumerations. */
const FIRST_OWN_TYPE = 16_384;

/**
 * How the values of a column are read, by its type. What Prisma would make something else of is no column of a statement: `cast`
 * it there.
 */
export function decoderOf(type: number): (text: string) => unknown {
  const known = decoders[type];
  if (known) return known;
  if (type >= FIRST_OWN_TYPE) return asIs;
  return () => {
    throw new TypeError(`A prepared statement reads no column of the type ${type}: cast it in the statement.`);
  };
}

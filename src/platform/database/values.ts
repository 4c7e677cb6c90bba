import { Decimal } from '@prisma/client/runtime/client';

/** What a statement is given. */
export type Value =
  | string
  | number
  | bigint
  | boolean
  | Date
  | Uint8Array
  | Decimal
  | { readonly [member: string]: unknown } // JSON
  | null
  | readonly number[]
  | readonly string[];

/** As PostgreSQL reads it: in text, but bytes as they are. */
export type Encoded = string | Uint8Array | null;

export function encode(value: Value): Encoded {
  if (typeof value === 'string' || value === null || value instanceof Uint8Array) return value;
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object' || value instanceof Decimal) return String(value);
  if (!Array.isArray(value)) return JSON.stringify(value);
  return `{${value.map((one) => (typeof one === 'string' ? quoted(one) : one)).join()}}`;
}

/** Text as an element of an array. */
const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** How a value is read that comes in text. */
type Decode = (text: string) => unknown;

const asIs: Decode = (text) => text;
const bytes: Decode = (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'));
const decimal: Decode = (text) => new Decimal(text);
const time: Decode = (text) => new Date(`1970-01-01T${text.split(/[+-]/)[0]}Z`);
/** `2026-11-22 15:46:03.915+00`: sessions are in UTC. */
const timestamp: Decode = (text) => new Date(`${text.slice(0, 10)}T${text.slice(11).split('+')[0]}Z`);

/** A list of PostgreSQL, `{1,NULL,"a \"b\""}`: of one dimension, as Prisma's are. */
const ITEM = /"((?:[^"\\]|\\.)*)"|[^,{}]+/gs;
const listOf =
  (decode: Decode): Decode =>
  (text) =>
    Array.from(text.matchAll(ITEM), ([item, inQuotes]) => {
      if (inQuotes !== undefined) return decode(inQuotes.replaceAll(/\\(.)/gs, '$1'));
      return item === 'NULL' ? null : decode(item);
    });

/** By the numbers of a type and of the lists of it (pg_type.dat of PostgreSQL): what Prisma makes of its values. */
const types: [type: number, lists: number, decode: Decode][] = [
  [16, 1000, (text) => text === 't'], // bool
  [17, 1001, bytes], // bytea
  [18, 1002, asIs], // "char"
  [19, 1003, asIs], // name
  [20, 1016, BigInt], // int8
  [21, 1005, Number], // int2
  [23, 1007, Number], // int4
  [25, 1009, asIs], // text
  [26, 1028, BigInt], // oid
  [114, 199, JSON.parse], // json
  [142, 143, asIs], // xml
  [650, 651, asIs], // cidr
  [700, 1021, Number], // float4
  [701, 1022, Number], // float8
  [790, 791, (text) => decimal(text.slice(1))], // money
  [869, 1041, asIs], // inet
  [1042, 1014, asIs], // char
  [1043, 1015, asIs], // varchar
  [1082, 1182, (text) => new Date(text)], // date
  [1083, 1183, time],
  [1114, 1115, timestamp],
  [1184, 1185, timestamp], // with a time zone
  [1266, 1270, time], // with a time zone
  [1560, 1561, asIs], // bit
  [1562, 1563, asIs], // bit varying
  [1700, 1231, decimal], // numeric
  [2950, 2951, asIs], // uuid
  [3802, 3807, JSON.parse], // jsonb
];
const decoders = new Map(
  types.flatMap(([type, lists, decode]) => [[type, decode] as const, [lists, listOf(decode)] as const]),
);

/** `void`: of a function that is called for what it does. */
decoders.set(2278, asIs);

/** From here on types are the database's own: enumerations. */
const FIRST_OWN_TYPE = 16_384;

const refuse: Decode = () => {
  throw new TypeError('A prepared statement reads no column of this type: cast it in the statement.');
};

/** How the values of a column are read, by the number of its type. */
export const decoderOf = (type: number): Decode => decoders.get(type) ?? (type >= FIRST_OWN_TYPE ? asIs : refuse);

/** Values of columns, by the number of their type, as Prisma's raw queries return them. */
import { Decimal } from '@prisma/client/runtime/client';
import { types as pgTypes } from 'pg';

/** Converts a value from PostgreSQL's text format. */
export type Decode = (text: string) => unknown;

export const asIs: Decode = (text) => text;
export const decodeBytes: Decode = (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'));
export const decodeDecimal: Decode = (text) => new Decimal(text);
export const decodeBoolean: Decode = (text) => text === 't';
export const decodeJson: Decode = (text) => JSON.parse(text);
const decodeTime: Decode = (text) => new Date(`1970-01-01T${text.split(/[+-]/)[0]}Z`);

const isSign = (character: string | undefined) => character === '+' || character === '-';

/** Converts a timestamp. Prisma ignores its offset, and assumes a session in UTC. */
export const decodeTimestamp: Decode = (text) => {
  const { length } = text;
  const end = isSign(text[length - 3]) ? length - 3 : isSign(text[length - 6]) ? length - 6 : length;
  return new Date(`${text.slice(0, 10)}T${text.slice(11, end)}Z`);
};

/** Converts a `DateTime` of Prisma: a timestamp, a date or a time of day. */
export const decodeDateTime: Decode = (text) => {
  if (text[2] === ':') return decodeTime(text);
  return text.length < 11 ? new Date(text) : decodeTimestamp(text);
};

type List = (string | null | List)[];
const splitList = pgTypes.getTypeParser(1009 as never) as unknown as (text: string) => List;

/** Converts an array of PostgreSQL, `{1,NULL,"a \"b\""}`. */
export function decodeListOf(decode: Decode): Decode {
  const item = (text: string | null | List): unknown =>
    text === null ? null : typeof text === 'string' ? decode(text) : text.map(item);
  return (text) => splitList(text).map(item);
}

/** The numbers of each type and of its arrays (pg_type.dat of PostgreSQL); 0 where Prisma reads no such column. */
const TYPES: [type: number, lists: number, decode: Decode][] = [
  [16, 1000, decodeBoolean], // bool
  [17, 1001, decodeBytes], // bytea
  [19, 0, asIs], // name
  [20, 1016, BigInt], // int8
  [21, 1005, Number], // int2
  [23, 1007, Number], // int4
  [25, 1009, asIs], // text
  [26, 1028, BigInt], // oid
  [114, 199, decodeJson], // json
  [142, 143, asIs], // xml
  [650, 651, asIs], // cidr
  [700, 1021, Number], // float4
  [701, 1022, Number], // float8
  [790, 791, (text) => decodeDecimal(text.slice(1))], // money
  [869, 1041, asIs], // inet
  [1042, 1014, asIs], // char
  [1043, 1015, asIs], // varchar
  [1082, 1182, (text) => new Date(text)], // date
  [1083, 1183, decodeTime],
  [1114, 1115, decodeTimestamp],
  [1184, 1185, decodeTimestamp], // with a time zone
  [1266, 0, decodeTime], // with a time zone
  [1560, 1561, asIs], // bit
  [1562, 1563, asIs], // bit varying
  [1700, 1231, decodeDecimal], // numeric
  [2950, 2951, asIs], // uuid
  [3802, 3807, decodeJson], // jsonb
];
const decoders = new Map(
  TYPES.flatMap(([type, lists, decode]) => [[type, decode] as const, [lists, decodeListOf(decode)] as const]),
);
decoders.delete(0);

/** Types of the database's own, such as enums, begin here. */
const FIRST_OWN_TYPE = 16_384;

/** Returns the decoder of a column. Undefined for a type that Prisma refuses to read in a raw query. */
export const decoderOf = (type: number): Decode | undefined =>
  decoders.get(type) ?? (type >= FIRST_OWN_TYPE ? asIs : undefined);

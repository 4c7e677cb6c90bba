/**
 * Converts values between Prisma and PostgreSQL: the rows of a statement to Prisma's results, and the values of a call to
 * parameters. A recording passes markers as arguments, to find which parameter of its SQL came from which argument.
 * @module
 */

import { Decimal, skip } from '@prisma/client/runtime/client';
import { types as pgTypes } from 'pg';
import type { DataModel, Field, Model } from './data-model.js';
import { UnreadRow, Unsupported, type ValueType } from './shape.js';
import type { Result } from './statement.js';

type Decode = (text: string) => unknown;

const asIs: Decode = (text) => text;
const decodeBytes: Decode = (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'));
const decodeDecimal: Decode = (text) => new Decimal(text);
const decodeBoolean: Decode = (text) => text === 't';
const decodeJson: Decode = (text) => JSON.parse(text);
const decodeTime: Decode = (text) => new Date(`1970-01-01T${text.split(/[+-]/)[0]}Z`);

/** Ignores the offset, as Prisma does: sessions are in UTC. @throws UnreadRow for `infinity`, and a year before 1 or after 9999 */
function decodeTimestamp(text: string): Date {
  if (text[4] !== '-' || text.includes('BC')) throw new UnreadRow();
  if (text.length < 11) return new Date(text);
  const isSign = (at: number) => text.at(at) === '+' || text.at(at) === '-';
  const end = isSign(-3) ? -3 : isSign(-6) ? -6 : undefined;
  return new Date(`${text.slice(0, 10)}T${text.slice(11, end)}Z`);
}

/** Converts a timestamp, a date or a time of day. */
const decodeDateTime: Decode = (text) => (text[2] === ':' ? decodeTime(text) : decodeTimestamp(text));

type List = (string | null | List)[];
const splitList = pgTypes.getTypeParser(1009 as never) as unknown as (text: string) => List;

/** Converts an array of PostgreSQL, `{1,NULL,"a \"b\""}`. */
function decodeListOf(decode: Decode): Decode {
  const item = (text: string | null | List): unknown =>
    text === null ? null : typeof text === 'string' ? decode(text) : text.map(item);
  return (text) => splitList(text).map(item);
}

/** Decoders of columns in raw queries, by type OID. Prisma reads other types. */
const DECODERS = new Map<number, Decode>([
  [16, decodeBoolean], // bool
  [23, Number], // int4
  [25, asIs], // text
  [1043, asIs], // varchar
  [1184, decodeTimestamp], // timestamptz
]);

/** The first OID of the database's own types, such as enums. */
const FIRST_OWN_TYPE = 16_384;

/** @throws UnreadRow for a type that Prisma must read */
export function decoderOf(type: number): Decode {
  if (type < FIRST_OWN_TYPE && !DECODERS.has(type)) throw new UnreadRow();
  return DECODERS.get(type) ?? asIs;
}

type Convert = (value: never) => unknown;
type Row = Record<string, unknown>;
interface Selection {
  select?: Row;
  include?: Row;
  omit?: Row;
}

interface Part {
  name: string;
  /** Joins of Prisma name the column like the field. */
  columns: string[];
  isList: boolean;
  text: Decode;
  /** Converts the value inside the JSON of a join. Undefined if no conversion is needed. */
  json: Convert | undefined;
}

export interface Reader {
  rows: (result: Result) => unknown[];
  row: (result: Result, row: unknown[]) => unknown;
}

/** Respects the offset, as Prisma does inside JSON. @param text or milliseconds since the epoch */
function dateInJson(text: string | number): Date {
  if (typeof text === 'number') return new Date(text);
  if (text.length < 19) return decodeDateTime(text) as Date;
  const offset = /[+-]\d\d(:\d\d)?$/.exec(text);
  if (offset === null) return decodeTimestamp(text) as Date;
  return new Date(offset[1] === undefined ? `${text}:00` : text);
}

const FROM_TEXT: Record<string, Decode> = {
  Int: Number,
  BigInt,
  Float: Number,
  Decimal: decodeDecimal,
  Boolean: decodeBoolean,
  String: asIs,
  DateTime: decodeDateTime,
  Json: decodeJson,
  Bytes: decodeBytes,
};
const FROM_JSON: Record<string, Convert | undefined> = {
  BigInt,
  Decimal: decodeDecimal,
  Float: Number,
  DateTime: dateInJson,
  Bytes: decodeBytes,
};

/** @throws Unsupported */
export function readerOf(dataModel: DataModel, model: Model, operation: string, args: Selection = {}): Reader {
  if (operation !== 'count') return reader(partsOf(dataModel, model, args));
  if (args.select !== undefined) throw new Unsupported('count of chosen fields');
  const row: Reader['row'] = (_result, row) => Number(row[0]);
  return { row, rows: (result) => result.rows.map((values) => row(result, values)) };
}

function reader(parts: Part[]): Reader {
  /** The column of each part. All answers to a text have the same columns. */
  let places: number[] | undefined;
  const placesIn = ({ fields }: Result): number[] => {
    const names = fields.map(({ name }) => name);
    return parts.map(({ columns }) => {
      const place = columns.map((column) => names.indexOf(column)).find((at) => at >= 0);
      if (place === undefined) throw new Unsupported('more than one statement');
      return place;
    });
  };
  const row: Reader['row'] = (result, row) => {
    places ??= placesIn(result);
    const object: Row = {};
    for (let i = 0; i < parts.length; i++) {
      const { name, isList, text } = parts[i] as Part;
      const value = row[places[i] as number];
      object[name] = value === null ? (isList ? [] : null) : text(value as string);
    }
    return object;
  };
  return {
    row,
    rows(result) {
      const objects = new Array(result.rows.length);
      for (let i = 0; i < objects.length; i++) objects[i] = row(result, result.rows[i] as unknown[]);
      return objects;
    },
  };
}

function partsOf(dataModel: DataModel, model: Model, { select, include, omit }: Selection): Part[] {
  if (isGiven(select)) return chosen(dataModel, model, select);
  const omitted = isGiven(omit) ? omit : {};
  const scalars = Object.values(model.fields).filter(({ kind, name }) => kind !== 'object' && omitted[name] !== true);
  return [...scalars.map(scalarPart), ...(isGiven(include) ? chosen(dataModel, model, include) : [])];
}

const isGiven = (value: Row | undefined): value is Row => value !== undefined && (value as unknown) !== skip;

function chosen(dataModel: DataModel, model: Model, entries: Row): Part[] {
  return Object.entries(entries).flatMap(([name, value]) => {
    if (value === undefined || value === false || value === skip) return [];
    const field = model.fields[name];
    if (field === undefined && name === '_count') return [countPart(value)];
    if (field === undefined) throw new Unsupported('a selection of an unknown field');
    if (field.relation === undefined) return [scalarPart(field)];
    const related = dataModel.models[field.relation.model] as Model;
    return [relationPart(name, partsOf(dataModel, related, value === true ? {} : (value as Selection)))];
  });
}

function scalarPart({ name, column, type, isList, values }: Field): Part {
  const enumValue = values && ((text: string) => values[text]);
  const text = enumValue ?? FROM_TEXT[type] ?? asIs;
  const json = (enumValue ?? FROM_JSON[type]) as ((value: unknown) => unknown) | undefined;
  const part = { name, columns: [name, column], isList };
  if (!isList) return { ...part, text, json };
  return { ...part, text: decodeListOf(text), json: json && ((items: unknown[]) => items.map(json)) };
}

function countPart(value: unknown): Part {
  const names = value === true ? [] : Object.keys((value as Selection).select ?? {});
  if (names.length === 0) throw new Unsupported('a count of all relations');
  const json = (counts: Row) => Object.fromEntries(names.map((name) => [name, counts[name]]));
  return { name: '_count', columns: ['_count'], isList: false, json, text: (text) => json(JSON.parse(text)) };
}

function relationPart(name: string, parts: Part[]): Part {
  const json = (tree: Row | Row[] | null): unknown => {
    if (!Array.isArray(tree)) return objectFrom(parts, tree);
    for (let i = 0; i < tree.length; i++) tree[i] = objectFrom(parts, tree[i] as Row) as Row;
    return tree;
  };
  return { name, columns: [name], isList: false, json, text: (text) => json(JSON.parse(text)) };
}

/** Copies the members, because JSONB orders them by length and Prisma by the selection. */
function objectFrom(parts: Part[], tree: Row | null): Row | null {
  if (tree === null) return null;
  const object: Row = {};
  for (let i = 0; i < parts.length; i++) {
    const { name, isList, json } = parts[i] as Part;
    const value = tree[name];
    if (value === null || value === undefined) object[name] = isList ? [] : null;
    else object[name] = json === undefined ? value : json(value as never);
  }
  return object;
}

type Format = (value: never) => unknown;

const pad = (number: number, digits: number) => String(number).padStart(digits, '0');
const dayOf = (at: Date) => `${pad(at.getUTCFullYear(), 4)}-${pad(at.getUTCMonth() + 1, 2)}-${pad(at.getUTCDate(), 2)}`;
const timeIn = (iso: string) => iso.slice(-13, iso.endsWith('.000Z') ? -5 : -1);
const timeOf = (at: Date) => timeIn(at.toISOString());
/** Formats a timestamp as @prisma/adapter-pg does. ISO 8601 has a sign before years that do not have four digits. */
export function timestampOf(at: Date): string {
  const iso = at.toISOString();
  return `${iso.length === 24 ? iso.slice(0, 10) : dayOf(at)} ${timeIn(iso)}`;
}

const unchanged = (value: unknown) => value;
const dateFormats = [timestampOf, dayOf, timeOf];

/** The formats that Prisma may use for each type. A recording finds the right one. */
export const FORMATS: Record<ValueType, readonly Format[]> = {
  int: [unchanged, String],
  float: [unchanged, String],
  text: [unchanged],
  uuid: [unchanged],
  bigint: [String],
  date: dateFormats,
  isoDate: dateFormats.map((format) => (text: string) => format(new Date(text))),
  decimal: [(decimal: { toFixed: () => string }) => decimal.toFixed()],
  bytes: [(bytes: Uint8Array) => Buffer.from(bytes)],
  json: [(json: unknown) => JSON.stringify(json)],
};

/** Returns a unique value. @param set two sets differ in every value @param example the caller's value */
export function markerValue(type: ValueType, i: number, set: number, example: unknown): unknown {
  const n = 1_000_003 + 500_009 * set + 17 * i;
  const date = new Date(Date.UTC(2001 + set, 0, 1 + i, 1 + set, i % 60, 2 + Math.floor(i / 60), 3 + i));
  switch (type) {
    case 'int':
      return n;
    case 'float':
      return n + 0.5;
    case 'text':
      return `marker ${n}`;
    case 'uuid':
      return `00000000-0000-4000-8000-0000${pad(n, 8)}`;
    case 'bigint':
      return BigInt(n) * 10n ** 6n;
    case 'date':
      return date;
    case 'isoDate':
      return date.toISOString();
    case 'decimal':
      return new (example as { constructor: new (text: string) => unknown }).constructor(`${n}.25`);
    case 'bytes':
      return new TextEncoder().encode(`marker ${n}`);
    case 'json':
      if (typeof example === 'string') return `marker ${n}`;
      if (typeof example === 'number') return n;
      return Array.isArray(example) ? [n] : { marker: n };
  }
}

/** Computes a parameter from the values of a call and its time. */
export type Slot = (values: readonly unknown[], now: Date) => unknown;

const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Generates a UUID of version 7 (RFC 9562, 5.7). */
function uuid7(now: Date): string {
  const time = now.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${crypto.randomUUID().slice(15)}`;
}

/** Returns a generator if two runs differ as Prisma's `now()`, `uuid()` and `uuid(7)` do. */
export function generatorOf(x: unknown, y: unknown, since: number): Slot | undefined {
  if (typeof x !== 'string' || typeof y !== 'string') return undefined;
  if (x !== y && UUID_4.test(x) && UUID_4.test(y)) return () => crypto.randomUUID();
  const isNow = (time: number) => time >= since && time <= Date.now();
  const time7 = (uuid: string) =>
    UUID_7.test(uuid) ? Number.parseInt(uuid.slice(0, 8) + uuid.slice(9, 13), 16) : Number.NaN;
  if (x !== y && isNow(time7(x)) && isNow(time7(y))) return (_values, now) => uuid7(now);
  const time = Date.parse(`${x.replace(' ', 'T')}Z`);
  return isNow(time) && timestampOf(new Date(time)) === x ? (_values, now) => timestampOf(now) : undefined;
}

/** A date of today may be a default of `now()`. */
export const isToday = (x: unknown, since: number): boolean => x === dayOf(new Date(since)) || x === dayOf(new Date());

/** Converts the rows of a statement to Prisma's results. */
import { Decimal, skip } from '@prisma/client/runtime/client';
import { types as pgTypes } from 'pg';
import type { Result } from './connection.js';
import type { DataModel, Field, Model } from './data-model.js';
import { Unsupported } from './shape.js';

type Decode = (text: string) => unknown;

const asIs: Decode = (text) => text;
const decodeBytes: Decode = (text) => new Uint8Array(Buffer.from(text.slice(2), 'hex'));
const decodeDecimal: Decode = (text) => new Decimal(text);
const decodeBoolean: Decode = (text) => text === 't';
const decodeJson: Decode = (text) => JSON.parse(text);
const decodeTime: Decode = (text) => new Date(`1970-01-01T${text.split(/[+-]/)[0]}Z`);

const isSign = (character: string | undefined) => character === '+' || character === '-';

/** Ignores the offset, as Prisma does: sessions are in UTC. */
const decodeTimestamp: Decode = (text) => {
  const { length } = text;
  const end = isSign(text[length - 3]) ? length - 3 : isSign(text[length - 6]) ? length - 6 : length;
  return new Date(`${text.slice(0, 10)}T${text.slice(11, end)}Z`);
};

/** Converts a timestamp, a date or a time of day. */
const decodeDateTime: Decode = (text) => {
  if (text[2] === ':') return decodeTime(text);
  return text.length < 11 ? new Date(text) : decodeTimestamp(text);
};

type List = (string | null | List)[];
const splitList = pgTypes.getTypeParser(1009 as never) as unknown as (text: string) => List;

/** Converts an array of PostgreSQL, `{1,NULL,"a \"b\""}`. */
function decodeListOf(decode: Decode): Decode {
  const item = (text: string | null | List): unknown =>
    text === null ? null : typeof text === 'string' ? decode(text) : text.map(item);
  return (text) => splitList(text).map(item);
}

/** Decoders of the columns in the platform's raw queries, by type OID. Prisma reads other types. */
const DECODERS = new Map<number, Decode>([
  [16, decodeBoolean], // bool
  [23, Number], // int4
  [25, asIs], // text
  [1043, asIs], // varchar
  [1184, decodeTimestamp], // timestamptz
]);

/** The first OID of the database's own types, such as enums. */
const FIRST_OWN_TYPE = 16_384;

/** Returns undefined if Prisma must read the column. */
export const decoderOf = (type: number): Decode | undefined =>
  DECODERS.get(type) ?? (type >= FIRST_OWN_TYPE ? asIs : undefined);

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

/** Respects the offset, as Prisma does inside JSON. */
function dateInJson(text: string): Date {
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
  DateTime: dateInJson,
  Bytes: decodeBytes,
};

/** @throws Unsupported */
export function readerOf(dataModel: DataModel, model: Model, operation: string, args: Selection = {}): Reader {
  if (operation !== 'count') return reader(partsOf(dataModel, model, args));
  if (args.select !== undefined) throw new Unsupported('count of chosen fields');
  const row: Reader['row'] = (_result, row) => Number(row[0]);
  return { row, rows: (result) => result.rows.map((each) => row(result, each)) };
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

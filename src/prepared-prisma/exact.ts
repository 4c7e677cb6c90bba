/** Changes what Prisma's adapter sends and reads, so that values keep their digits and their years. @module */

import type { DataModel, Field } from './data-model.js';

/** The greatest Date (ECMA-262, 21.4.1.1) stands for `infinity` and for later times, the least for `-infinity`. */
const MAX_MS = 8.64e15;
const TIMESTAMP = /^(\d+)-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?)?/;

/** Returns true for a year before Christ or above 9999, and for `infinity`. */
export const isExtreme = (text: string): boolean => text[4] !== '-' || text.includes('BC');

/** Returns the milliseconds since the epoch of a date or timestamp in UTC. */
function epochOf(text: string): number {
  const [, year, month, day, hours = 0, minutes = 0, seconds = 0, fraction = '0'] = TIMESTAMP.exec(text) ?? [];
  if (year === undefined) return text.startsWith('-') ? -MAX_MS : MAX_MS;
  const at = new Date(0);
  at.setUTCFullYear(text.includes('BC') ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day));
  at.setUTCHours(Number(hours), Number(minutes), Number(seconds), Number(fraction.padEnd(3, '0')));
  return Number.isNaN(at.getTime()) ? MAX_MS : at.getTime();
}

const isSign = (character: string | undefined) => character === '+' || character === '-';

/** Ignores the offset, as Prisma does: sessions are in UTC. */
export function decodeTimestamp(text: string): Date {
  if (isExtreme(text)) return new Date(epochOf(text));
  const { length } = text;
  const end = isSign(text[length - 3]) ? length - 3 : isSign(text[length - 6]) ? length - 6 : length;
  return new Date(`${text.slice(0, 10)}T${text.slice(11, end)}Z`);
}

/** Prisma reads a number as the milliseconds of a date. */
const exactDate = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(exactDate) : typeof value === 'string' && isExtreme(value) ? epochOf(value) : value;

/** OIDs of date, timestamp and timestamptz, and of their arrays. */
const DATE_TYPES = new Set([1082, 1114, 1184, 1115, 1182, 1185]);

/** JSON numbers lose digits and NaN, and its dates are those of PostgreSQL. */
const IN_JSON: Readonly<Record<string, (column: string) => string>> = {
  Decimal: (column) => `${column}::text`,
  Float: (column) => `${column}::text`,
  BigInt: (column) => `${column}::text`,
  DateTime(column) {
    const epoch = `EXTRACT(EPOCH FROM ${column})`;
    const milliseconds = `FLOOR(LEAST(GREATEST(${epoch} * 1000, -${MAX_MS}), ${MAX_MS}))`;
    return `CASE WHEN ${epoch} < -62135596800 OR ${epoch} >= 253402300800 THEN TO_JSONB(${milliseconds}) ELSE TO_JSONB(${column}) END`;
  },
};

const TABLE = /FROM (?:"[^"]+"\.)?"([^"]+)" AS "t(\d+)"/g;
const MEMBER = /('[^']+', )("t(\d+)"\."([^"]+)")(::text)?(?=[,)])/g;

/** Converts the members of JSONB_BUILD_OBJECT by the types of their columns. */
export function exactJoins({ models }: DataModel, text: string): string {
  if (!text.includes('JSONB_BUILD_OBJECT')) return text;
  const tables = new Map([...text.matchAll(TABLE)].map(([, table, alias]) => [Number(alias), table]));
  const fieldOf = (alias: number, column: string): Field | undefined => {
    // Prisma selects the rows of "t1" as "t2".
    const table = tables.get(alias) ?? tables.get(alias - 1);
    const model = Object.values(models).find((one) => one.table === table);
    return Object.values(model?.fields ?? {}).find((field) => field.column === column && field.kind === 'scalar');
  };
  return text.replace(MEMBER, (whole, name: string, value: string, alias: string, column: string) => {
    const field = fieldOf(Number(alias), column);
    const convert = field && IN_JSON[field.type];
    if (!convert) return whole;
    if (!field.isList) return name + convert(value);
    return `${name}(SELECT COALESCE(JSONB_AGG(${convert('"item"')}), '[]') FROM UNNEST(${value}) AS "item")`;
  });
}

/** Returns the parser of a column type. */
export interface Types {
  getTypeParser: (type: number, format?: string) => (text: string) => unknown;
}

/** Wraps the function by which Prisma's adapter sends a statement. */
export const exactly =
  <Config extends { text: string; types: Types }, Answer>(dataModel: DataModel, query: (config: Config) => Answer) =>
  (config: Config): Answer => {
    const types: Types = {
      getTypeParser(type, format) {
        const parse = config.types.getTypeParser(type, format);
        return DATE_TYPES.has(type) ? (text) => exactDate(parse(text)) : parse;
      },
    };
    return query({ ...config, text: exactJoins(dataModel, config.text), types });
  };

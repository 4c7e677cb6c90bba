/** Changes what Prisma's adapter sends and reads, so that values keep their digits and their years. @module */

import type { Adapt, DataModel, Field, Types } from '@accord-api/prepared-prisma';

/** The greatest Date (ECMA-262, 21.4.1.1) stands for `infinity` and for later times, the least for `-infinity`. */
const MAX_MS = 8.64e15;
const TIMESTAMP = /^(\d+)-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d):(\d\d)(?:\.(\d{1,3}))?)?/;

/** Returns true for a year before Christ or above 9999, and for `infinity`. */
const isExtreme = (text: string): boolean => text[4] !== '-' || text.includes('BC');

/** Returns the milliseconds since the epoch of a date or timestamp in UTC. */
function epochOf(text: string): number {
  const [, year, month, day, hours = 0, minutes = 0, seconds = 0, fraction = '0'] = TIMESTAMP.exec(text) ?? [];
  if (year === undefined) return text.startsWith('-') ? -MAX_MS : MAX_MS;
  const at = new Date(0);
  at.setUTCFullYear(text.includes('BC') ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day));
  at.setUTCHours(Number(hours), Number(minutes), Number(seconds), Number(fraction.padEnd(3, '0')));
  return Number.isNaN(at.getTime()) ? MAX_MS : at.getTime();
}

/** Prisma reads a number as the milliseconds of a date. */
const exactDate = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(exactDate) : typeof value === 'string' && isExtreme(value) ? epochOf(value) : value;

/** OIDs of date, timestamp and timestamptz, and of their arrays. */
const DATE_TYPES = new Set([1082, 1114, 1184, 1115, 1182, 1185]);

/** JSON loses digits and NaN of numbers, and PostgreSQL formats its dates differently from Prisma. */
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
    const model = Object.values(models).find((model) => model.table === table);
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

/** Returns a wrapper of the function with which Prisma's adapter sends statements. */
export const exactly =
  (dataModel: DataModel): Adapt =>
  (query) =>
  (config) => {
    const types: Types = {
      getTypeParser(type, format) {
        const parse = config.types.getTypeParser(type, format);
        return DATE_TYPES.has(type) ? (text) => exactDate(parse(text)) : parse;
      },
    };
    return query({ ...config, text: exactJoins(dataModel, config.text), types });
  };

/** Creates marker values. A recording passes them as arguments of a Prisma call, to find which parameter of its SQL came from which argument. @module */

export type ValueType =
  | 'int'
  | 'float'
  | 'text'
  | 'uuid'
  | 'bigint'
  | 'date'
  | 'isoDate'
  | 'decimal'
  | 'bytes'
  | 'json';
export type Format = (value: never) => unknown;

const pad = (number: number, digits: number) => String(number).padStart(digits, '0');
const dayOf = (at: Date) => `${pad(at.getUTCFullYear(), 4)}-${pad(at.getUTCMonth() + 1, 2)}-${pad(at.getUTCDate(), 2)}`;
const timeOf = (at: Date) => at.toISOString().slice(-13, -1).replace('.000', '');
/** Formats a timestamp as @prisma/adapter-pg does. */
export const timestampOf = (at: Date): string => `${dayOf(at)} ${timeOf(at)}`;

const ISO_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?(Z|[+-]\d\d:\d\d)$/;
/** Returns true for a date of Prisma with at most three fractional digits. */
export const isIsoDate = (text: string): boolean => ISO_DATE.test(text) && !Number.isNaN(Date.parse(text));

const asIs = (value: unknown) => value;
const dateFormats = [timestampOf, dayOf, timeOf];

/** The formats that Prisma may use for each type. A recording finds the right one. */
export const FORMATS: Record<ValueType, readonly Format[]> = {
  int: [asIs, String],
  float: [asIs, String],
  text: [asIs],
  uuid: [asIs],
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

import type { Schema } from '@accord-api/platform/internals/contract/document';
import { isPlain } from '@accord-api/platform/internals/contract/references';
import { laidOpen } from '@accord-api/platform/internals/contract/schemas';
import { addFormats } from '@accord-api/platform/internals/http/json-schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { codes } from 'currency-codes';
import fc from 'fast-check';
import type { Cases } from './conformance-options.js';
import type { Contract } from './contract.js';
import type { Bound, Side } from './coverage/bounds.js';
import type { Json } from './people.js';

/** Of fast-check's own unit `binary` there is a table of all code points: a second's work, and 130 MB. */
const codePoint = fc.integer({ min: 0, max: 0x10_ffff }).map((one) => String.fromCodePoint(one));
/** Any text: also NUL, lone surrogates and what lies outside the basic plane. */
export const anyText = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 30 }),
  fc.constantFrom('', ' ', '\u0000', '\ud800', 'a\udc00', '__proto__', "' OR 1=1", 'x'.repeat(300), '😀'),
);
const anyNumber = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -1, 2 ** 31, 2 ** 53, 1e21));
const anyValue: fc.Arbitrary<Json> = fc.oneof(anyText, anyNumber, fc.boolean(), fc.constant(null), fc.jsonValue());

/** Levels of a value below which only what it must have is drawn: of a schema that holds itself there would be no end. */
const LEVELS = 3;

const refersFurther = (schema: unknown): boolean => JSON.stringify(schema).includes('"$ref":"#/$defs/');

/** Values that a schema takes. @param root where its `$defs` are */
export function valid(written: Schema, root = written, level = 0): fc.Arbitrary<Json> {
  const schema = laidOpen(written, root);
  const isDeep = level >= LEVELS;
  if (level > 3 * LEVELS) return anyValue;
  const inner = (one: unknown) => valid((one ?? {}) as Schema, root, level + 1);
  const alternatives = schema.oneOf ?? schema.anyOf;
  if (alternatives) {
    const ending = alternatives.filter((one) => !refersFurther(one));
    const chosen = isDeep && ending.length > 0 ? ending : alternatives;
    const { oneOf: _, anyOf: __, ...beside } = schema;
    return fc.oneof(...chosen.map((one) => valid({ ...beside, allOf: [one] }, root, level + 1)));
  }
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const { type } = schema;
  if (Array.isArray(type)) return fc.oneof(...type.map((one) => valid({ ...schema, type: one }, root, level)));
  const { minimum = -1000, maximum = 1_000_000, minLength = 0, maxLength = 40 } = schema as Record<string, number>;
  switch (type) {
    case 'object': {
      const required = schema.required ?? [];
      const drawn = Object.entries(schema.properties ?? {}).filter(([name]) => !isDeep || required.includes(name));
      const members = drawn.map(([name, one]) => [name, inner(one)]);
      return fc.record(Object.fromEntries(members), { requiredKeys: required as never[] });
    }
    case 'array': {
      const { minItems = 0 } = schema as { minItems?: number };
      const maxLength = isDeep ? minItems : minItems + 3;
      return maxLength === 0 ? fc.constant([]) : fc.array(inner(schema.items), { minLength: minItems, maxLength });
    }
    case 'integer':
      return fc.integer({ min: Math.ceil(minimum), max: Math.floor(maximum) });
    case 'number':
      return fc.double({ min: minimum, max: maximum, noNaN: true });
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'string':
      if (schema['format'] === 'email') return fc.emailAddress();
      if (schema['format'] === 'uuid') return fc.uuid();
      if (schema['format'] === 'iso-4217') return fc.constantFrom(...codes());
      if (schema['pattern']) return fc.stringMatching(new RegExp(String(schema['pattern'])));
      return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) });
    default:
      return anyValue;
  }
}

/** A value that nearly fits: a member left out, put in, of another kind, or of the same kind and any content. */
export const spoilt = (schema: Schema): fc.Arbitrary<Json> =>
  fc.tuple(valid(schema), fc.nat(), anyValue, anyText, fc.nat(5)).map(([value, at, other, name, how]) => {
    if (typeof value !== 'object' || value === null) return other;
    const names = Object.keys(value);
    const chosen = names[at % Math.max(1, names.length)] ?? name;
    if (how === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== chosen));
    if (how > 2) return { ...value, [chosen]: typeof value[chosen] === 'number' ? at * 1e6 : name };
    return { ...value, [how === 1 ? chosen : name]: other };
  });

/** `some` once in `of` times, else nothing. */
export const onceIn = <T>(of: number, some: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: of - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: some });

/** Given once in three times, and then once in four anything at all. */
export const perhaps = <T>(value: fc.Arbitrary<T>, junk: fc.Arbitrary<T>) =>
  onceIn(3, fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: junk }));

export const headerText = fc.stringMatching(/^[\x21-\x7e]([\x20-\x7e]{0,30}[\x21-\x7e])?$/);
export const wellFormed = anyText.map((text) => text.toWellFormed());

/** Is told how a request was answered that had a value on a side of a bound. */
export type BoundTried = (t: Cases, key: string, side: Side, status: number, told: string) => void;

/** Whether a contract says of something that no test need see it. */
export function exceptedIn({ source }: Contract): (...keys: string[]) => boolean {
  const { except = {} } = (source['x-coverage'] ?? {}) as { except?: object };
  return (...keys) => keys.some((key) => key in except);
}

const ajv = addFormats(new Ajv2020({ strict: false }));

/** Whether a value is one of a schema. */
export const isTakenBy = (schema: Schema, value: unknown): boolean => ajv.validate(schema, value);

/** Of labels of a domain (RFC 1035, 2.3.4). */
const LABEL = 63;

/** An address with a domain that is as long as it must be. */
function emailOf(length: number, number: number): string {
  const local = `m${number}@`;
  const rest = Math.max(0, length - local.length - '.example'.length);
  const labels = 'x'.repeat(rest).replaceAll(new RegExp(`(x{${LABEL}})x(?=x)`, 'g'), '$1.');
  return `${local}${labels}.example`;
}

/** Texts of a length, of which one may have the form that is wanted. */
function* textsOf(length: number, { format, pattern }: Schema, number: number): Generator<string> {
  if (format === 'email') yield emailOf(length, number);
  yield `Text ${number} of a test`.slice(0, length).padEnd(length, '.');
  for (const one of 'xA1') yield one.repeat(length);
  if (pattern !== undefined)
    yield* fc.sample(fc.stringMatching(new RegExp(String(pattern))), { numRuns: 500, seed: 1 });
}

function textOf(length: number, schema: Schema, number: number, side: Side): string | undefined {
  const { format, pattern } = schema;
  const validate = ajv.compile({ ...(format !== undefined && { format }), ...(pattern !== undefined && { pattern }) });
  const isSound = (text: string) => [...text].length === length && validate(text);
  for (const text of textsOf(length, schema, number)) if (isSound(text)) return text;
  // A text that is too short may have no form either, and both are told.
  return side === 'beyond' ? 'x'.repeat(length) : undefined;
}

/** Values of a schema, the same each time. */
export const samplesOf = (schema: Schema | boolean | undefined, root: Schema, count: number): Json[] =>
  fc.sample(valid(typeof schema === 'object' ? schema : {}, root), { numRuns: count, seed: 1 });

function itemsOf(count: number, { items, uniqueItems }: Schema, root: Schema, sound: unknown): unknown[] {
  const known = Array.isArray(sound) ? sound : [];
  if (uniqueItems !== true && known.length > 0)
    return Array.from({ length: count }, (_, at) => known[at % known.length]);
  const all = [...known, ...samplesOf(items as Schema, root, 3 * count + 1)];
  const distinct = new Map(all.map((one) => [JSON.stringify(one), one]));
  return (uniqueItems === true ? [...distinct.values()] : all).slice(0, count);
}

function membersOf(count: number, schema: Schema, root: Schema, sound: unknown): object {
  const { properties = {}, additionalProperties = true, required = [] } = schema;
  const known = isPlain(sound) ? sound : {};
  const must = required.filter((name) => name in known);
  const names = new Set([...must, ...Object.keys(known), ...Object.keys(properties)]);
  for (let at = 0; names.size < count && additionalProperties !== false; at++) names.add(`member${at}`);
  const members = [...names].slice(0, count);
  const sample = (name: string) => samplesOf(properties[name] ?? additionalProperties, root, 1)[0];
  return Object.fromEntries(members.map((name) => [name, name in known ? known[name] : sample(name)]));
}

/**
 * A value on a side of a bound, as sound besides as it can be; undefined where none is found.
 * @param schema laid open; of a number, only its bound counts
 * @param sound what stands there in a sound request, if anything does
 * @param number of the request, so that no two say the same address
 */
export function valueNextTo(
  bound: Bound,
  side: Side,
  { schema, root, sound, number }: { schema: Schema; root: Schema; sound: unknown; number: number },
): unknown {
  const size = bound[side];
  if (bound.keyword.endsWith('Length')) return textOf(size, schema, number, side);
  if (bound.keyword.endsWith('Items')) return itemsOf(size, schema, root, sound);
  if (bound.keyword.endsWith('Properties')) return membersOf(size, schema, root, sound);
  return size;
}

import { isPlain, type Schema } from '@accord-api/platform/internals/core/contract/document';
import { mergeSchema } from '@accord-api/platform/internals/core/contract/schemas';
import { addFormats } from '@accord-api/platform/internals/core/http/json-schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { codes } from 'currency-codes';
import fc from 'fast-check';
import type { Json } from './client.js';
import type { Bound, Side } from './coverage/schema-parts.js';

/** The unit `binary` of fast-check builds a table of all code points, which takes a second and 130 MB. */
const codePoint = fc.integer({ min: 0, max: 0x10_ffff }).map((point) => String.fromCodePoint(point));
/** Any text, including NUL, lone surrogates and characters outside the basic plane. */
export const anyText = fc.oneof(
  fc.string({ unit: codePoint, maxLength: 30 }),
  fc.constantFrom('', ' ', '\u0000', '\ud800', 'a\udc00', '__proto__', "' OR 1=1", 'x'.repeat(300), '😀'),
);
const anyNumber = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -1, 2 ** 31, 2 ** 53, 1e21));
const anyValue: fc.Arbitrary<Json> = fc.oneof(anyText, anyNumber, fc.boolean(), fc.constant(null), fc.jsonValue());

/** The depth from which only required members are generated, so that values of recursive schemas end. */
const MAX_DEPTH = 3;

const isRecursive = (schema: unknown): boolean => JSON.stringify(schema).includes('"$ref":"#/$defs/');

/** Generates valid values of a schema. @param root contains its `$defs` */
export function validValues(written: Schema, root = written, depth = 0): fc.Arbitrary<Json> {
  const schema = mergeSchema(written, root);
  const isDeep = depth >= MAX_DEPTH;
  if (depth > 3 * MAX_DEPTH) return anyValue;
  const inner = (schema: unknown) => validValues((schema ?? {}) as Schema, root, depth + 1);
  const { oneOf, anyOf, ...beside } = schema;
  const alternatives = oneOf ?? anyOf;
  if (alternatives) {
    const finite = alternatives.filter((alternative) => !isRecursive(alternative));
    const chosen = isDeep && finite.length > 0 ? finite : alternatives;
    return fc.oneof(...chosen.map((alternative) => inner({ ...beside, allOf: [alternative] })));
  }
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  const { type, format, pattern } = schema;
  if (Array.isArray(type)) return fc.oneof(...type.map((name) => validValues({ ...schema, type: name }, root, depth)));
  const { minimum = -1000, maximum = 1_000_000, minLength = 0, maxLength = 40 } = schema as Record<string, number>;
  switch (type) {
    case 'object': {
      const required = schema.required ?? [];
      const members = Object.entries(schema.properties ?? {})
        .filter(([name]) => !isDeep || required.includes(name))
        .map(([name, property]) => [name, inner(property)]);
      return fc.record(Object.fromEntries(members), { requiredKeys: required as never[] });
    }
    case 'array': {
      const { minItems = 0 } = schema as { minItems?: number };
      const maxItems = isDeep ? minItems : minItems + 3;
      return maxItems === 0
        ? fc.constant([])
        : fc.array(inner(schema.items), { minLength: minItems, maxLength: maxItems });
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
      if (format === 'email') return fc.emailAddress();
      if (format === 'uuid') return fc.uuid();
      if (format === 'iso-4217') return fc.constantFrom(...codes());
      if (pattern) return fc.stringMatching(new RegExp(String(pattern)));
      return fc.string({ unit: 'grapheme', minLength, maxLength: Math.max(minLength, Math.min(maxLength, 60)) });
    default:
      return anyValue;
  }
}

/** Generates nearly valid values: with a member removed, added, or replaced by a value of another or of the same type. */
export const nearlyValidValues = (schema: Schema): fc.Arbitrary<Json> =>
  fc.tuple(validValues(schema), fc.nat(), anyValue, anyText, fc.nat(5)).map(([value, at, other, name, change]) => {
    if (typeof value !== 'object' || value === null) return other;
    const names = Object.keys(value);
    const chosen = names[at % Math.max(1, names.length)] ?? name;
    if (change === 0) return Object.fromEntries(Object.entries(value).filter(([key]) => key !== chosen));
    if (change > 2) return { ...value, [chosen]: typeof value[chosen] === 'number' ? at * 1e6 : name };
    return { ...value, [change === 1 ? chosen : name]: other };
  });

/** Returns values of a schema, the same ones in each run. */
export const samplesOf = (schema: Schema | boolean | undefined, root: Schema, count: number): Json[] =>
  fc.sample(validValues(typeof schema === 'object' ? schema : {}, root), { numRuns: count, seed: 1 });

const ajv = addFormats(new Ajv2020({ strict: false }));

export const isValid = (schema: Schema, value: unknown): boolean => ajv.validate(schema, value);

/** The maximum length of a label of a domain (RFC 1035, 2.3.4). */
const MAX_LABEL_LENGTH = 63;

function emailOf(length: number, number: number): string {
  const local = `m${number}@`;
  const rest = Math.max(0, length - local.length - '.example'.length);
  const labels = 'x'.repeat(rest).replaceAll(new RegExp(`(x{${MAX_LABEL_LENGTH}})x(?=x)`, 'g'), '$1.');
  return `${local}${labels}.example`;
}

function textOf(length: number, { format, pattern }: Schema, number: number, side: Side): string | undefined {
  const candidates = [
    ...(format === 'email' ? [emailOf(length, number)] : []),
    `Text ${number} of a test`.slice(0, length).padEnd(length, '.'),
    ...[...'xA1'].map((character) => character.repeat(length)),
    ...(pattern === undefined ? [] : samplesOf({ type: 'string', pattern }, {}, 500)),
  ];
  const schema = { ...(format !== undefined && { format }), ...(pattern !== undefined && { pattern }) };
  const found = candidates.find((text) => [...text].length === length && isValid(schema, text));
  // A text of the wrong length is rejected for its length in any format.
  return found ?? (side === 'beyond' ? 'x'.repeat(length) : undefined);
}

function itemsOf(count: number, { items, uniqueItems }: Schema, root: Schema, sound: unknown): unknown[] {
  const known = Array.isArray(sound) ? sound : [];
  if (uniqueItems !== true && known.length > 0)
    return Array.from({ length: count }, (_, at) => known[at % known.length]);
  const all = [...known, ...samplesOf(items as Schema, root, 3 * count + 1)];
  const distinct = new Map(all.map((value) => [JSON.stringify(value), value]));
  return (uniqueItems === true ? [...distinct.values()] : all).slice(0, count);
}

function membersOf(count: number, schema: Schema, root: Schema, sound: unknown): object {
  const { properties = {}, additionalProperties = true, required = [] } = schema;
  const known = isPlain(sound) ? sound : {};
  const names = new Set([
    ...required.filter((name) => name in known),
    ...Object.keys(known),
    ...Object.keys(properties),
  ]);
  for (let at = 0; names.size < count && additionalProperties !== false; at++) names.add(`member${at}`);
  const sample = (name: string) => samplesOf(properties[name] ?? additionalProperties, root, 1)[0];
  return Object.fromEntries(
    [...names].slice(0, count).map((name) => [name, name in known ? known[name] : sample(name)]),
  );
}

interface BoundedPart {
  /** The merged schema. */
  schema: Schema;
  /** Contains the `$defs` of the schema. */
  root?: Schema;
  /** The value of the part in a sound request. */
  sound?: unknown;
  number?: number;
}

/** Returns a value on one side of a bound that is otherwise as valid as possible; undefined if none is found. */
export function boundaryValue(
  bound: Bound,
  side: Side,
  { schema, root = {}, sound, number = 0 }: BoundedPart,
): unknown {
  const { keyword, [side]: size } = bound;
  if (keyword.endsWith('Length')) return textOf(size, schema, number, side);
  if (keyword.endsWith('Items')) return itemsOf(size, schema, root, sound);
  if (keyword.endsWith('Properties')) return membersOf(size, schema, root, sound);
  return size;
}

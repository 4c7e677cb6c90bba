import type { Schema } from '@accord-api/platform/internals/contract/document';
import { isPlain } from '@accord-api/platform/internals/contract/references';
import { addFormats } from '@accord-api/platform/internals/http/json-schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { valid } from './arbitrary-values.js';
import type { Cases } from './conformance-options.js';
import type { Contract } from './contract.js';
import type { Bound, Side } from './coverage/bounds.js';
import type { Json } from './people.js';

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

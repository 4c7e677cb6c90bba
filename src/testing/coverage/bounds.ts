import { isPlain, type Schema, valueAt } from '@accord-api/platform/internals/contract/document';
import { mergeSchema } from '@accord-api/platform/internals/contract/schemas';
import { constraintName, constraintSchema, type InputValue } from '@accord-api/platform/internals/graphql/arguments';
import { type GraphQLSchema, getNamedType } from 'graphql';

const KEYWORDS = [
  ...(['minLength', 'maxLength', 'minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'] as const),
  ...(['minItems', 'maxItems', 'minProperties', 'maxProperties'] as const),
];
export type BoundKeyword = (typeof KEYWORDS)[number];

const isLength = (keyword: BoundKeyword): boolean => keyword.endsWith('Length');
const isNumeric = (keyword: BoundKeyword): boolean => keyword.endsWith('imum');

/** Returns what a keyword compares with its limit; undefined for a value of another type. */
function sizeOf(keyword: BoundKeyword, value: unknown): number | undefined {
  if (isNumeric(keyword)) return typeof value === 'number' ? value : undefined;
  if (isLength(keyword)) return typeof value === 'string' ? [...value].length : undefined;
  if (keyword.endsWith('Items')) return Array.isArray(value) ? value.length : undefined;
  return isPlain(value) ? Object.keys(value).length : undefined;
}

/** `at` is the last size that a contract accepts, `beyond` the first that it rejects. */
export const SIDES = ['at', 'beyond'] as const;
export type Side = (typeof SIDES)[number];

export interface Bound extends Record<Side, number> {
  keyword: BoundKeyword;
  limit: number;
  /** In the terms of the contract: `maxLength 100`, `max 100`. */
  name: string;
}

/** The distance between a bound and the next number, for numbers without a step. */
const DEFAULT_STEP = 0.01;

function stepOf({ type, multipleOf }: Schema): number | undefined {
  const types = [type].flat();
  const isInteger = types.includes('integer') && !types.includes('number');
  const step = typeof multipleOf === 'number' ? multipleOf : undefined;
  return isInteger && !Number.isInteger(step) ? 1 : step;
}

function boundOf(keyword: BoundKeyword, limit: number, schema: Schema): Bound {
  const isLower = /min/i.test(keyword);
  const step = isNumeric(keyword) ? stepOf(schema) : 1;
  const outwards = (isLower ? -1 : 1) * (step ?? DEFAULT_STEP);
  // The tolerance compensates the rounding errors of a quotient of fractions.
  const [round, tolerance] = isLower ? [Math.ceil, -1e-9] : [Math.floor, 1e-9];
  const last = step === undefined ? limit : round(limit / step + tolerance) * step;
  const at = keyword.startsWith('exclusive') && last === limit ? last - outwards : last;
  return { keyword, limit, name: `${keyword} ${limit}`, at, beyond: at + outwards };
}

/** Returns the schema at a path, merged with the schemas that it refers to. */
export const schemaAt = (document: unknown, path: readonly string[]): Schema =>
  mergeSchema((valueAt(document, path) ?? {}) as Schema, document as Schema);

/** Returns the bounds of a merged schema. An enumeration has none, and neither has a size that cannot be negative. */
export const boundsIn = (schema: Schema): Bound[] =>
  schema.enum !== undefined || schema.const !== undefined
    ? []
    : KEYWORDS.flatMap((keyword) => {
        const limit = schema[keyword];
        if (typeof limit !== 'number') return [];
        const bound = boundOf(keyword, limit, schema);
        return isNumeric(keyword) || bound.beyond >= 0 ? [bound] : [];
      });

/** Returns the side of a bound that a value tests; undefined for a value that is further away or of another type. */
export function sideOf({ keyword, ...sides }: Bound, value: unknown): Side | undefined {
  const size = sizeOf(keyword, value);
  return SIDES.find((side) => sides[side] === size);
}

/** Returns true if the detail of an issue names a bound: `must have 1 to 100 characters; it has 101`. */
export const namesBound = ({ limit }: Bound, detail: string): boolean =>
  detail.startsWith('must ') && detail.split(/[^\d.e+-]+/).includes(String(limit));

export const isId = ({ type }: InputValue): boolean => getNamedType(type).name === 'ID';

const JSON_TYPES: Record<string, string> = { Int: 'integer', Float: 'number', String: 'string' };

/** Returns the `@constraint` of an argument or an input field as JSON Schema; for a list, the schema of an item. */
export function sdlConstraint(schema: GraphQLSchema, input: InputValue): Schema {
  const { 'x-uncommon': _, ...own } = constraintSchema(schema, input);
  const isNumber = own.minimum !== undefined || own.maximum !== undefined;
  const type = isId(input) && isNumber ? 'integer' : (JSON_TYPES[getNamedType(input.type).name] ?? 'string');
  return { type, ...own } as Schema;
}

export const sdlBounds = (schema: GraphQLSchema, input: InputValue): Bound[] =>
  boundsIn(sdlConstraint(schema, input)).map((bound) => ({
    ...bound,
    name: `${constraintName(bound.keyword)} ${bound.limit}`,
  }));

/** Returns the name or key of one side of a bound: `createUser body /name at maxLength 100`. */
export const sideName = (owner: string, { name }: Bound, side: Side): string => `${owner} ${side} ${name}`;

/** Returns the value whose size a bound compares: an ID with a numeric bound is a number. */
export const boundedValue = (input: InputValue, { keyword }: Bound, value: unknown): unknown =>
  isId(input) && !isLength(keyword) ? Number(value) : value;

import type { Schema } from '@accord-api/platform/internals/contract/document';
import { isPlain, valueAt } from '@accord-api/platform/internals/contract/references';
import { laidOpen } from '@accord-api/platform/internals/contract/schemas';
import { constraintName, constraintSchema, type InputValue } from '@accord-api/platform/internals/graphql/constraints';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type GraphQLSchema, getNamedType } from 'graphql';

const charactersIn = (value: unknown) => (typeof value === 'string' ? [...value].length : undefined);
const itemsIn = (value: unknown) => (Array.isArray(value) ? value.length : undefined);
const membersIn = (value: unknown) => (isPlain(value) ? Object.keys(value).length : undefined);
const numberOf = (value: unknown) => (typeof value === 'number' ? value : undefined);

/** By the keyword of a bound: how large a value is, whether that is counted, and whether the bound is its least. */
const KEYWORDS = {
  minLength: { sizeOf: charactersIn, counts: true, isLeast: true },
  maxLength: { sizeOf: charactersIn, counts: true, isLeast: false },
  minimum: { sizeOf: numberOf, counts: false, isLeast: true },
  exclusiveMinimum: { sizeOf: numberOf, counts: false, isLeast: true },
  maximum: { sizeOf: numberOf, counts: false, isLeast: false },
  exclusiveMaximum: { sizeOf: numberOf, counts: false, isLeast: false },
  minItems: { sizeOf: itemsIn, counts: true, isLeast: true },
  maxItems: { sizeOf: itemsIn, counts: true, isLeast: false },
  minProperties: { sizeOf: membersIn, counts: true, isLeast: true },
  maxProperties: { sizeOf: membersIn, counts: true, isLeast: false },
};

export type { InputValue };

export type BoundKeyword = keyof typeof KEYWORDS;

/** The last value that is taken, and the next one, which is refused. */
export const SIDES = ['at', 'beyond'] as const;
export type Side = (typeof SIDES)[number];

/** How small or large a contract lets a value be. */
export interface Bound extends Record<Side, number> {
  keyword: BoundKeyword;
  limit: number;
  /** As the contract says it: `maxLength 100`, `max 100`. */
  name: string;
}

/** Between numbers of which nothing says how far they are from one another. */
const FINE = 0.01;

function stepOf({ type, multipleOf }: Schema): number | undefined {
  const types = [type].flat();
  const isWhole = types.includes('integer') && !types.includes('number');
  const step = typeof multipleOf === 'number' ? multipleOf : undefined;
  return isWhole && !Number.isInteger(step) ? 1 : step;
}

function boundOf(keyword: BoundKeyword, limit: number, schema: Schema): Bound {
  const { counts, isLeast } = KEYWORDS[keyword];
  const step = counts ? 1 : stepOf(schema);
  const out = (isLeast ? -1 : 1) * (step ?? FINE);
  // Of the steps that there are, the last one within; a quotient of fractions is not quite what it should be.
  const [round, near] = isLeast ? [Math.ceil, -1e-9] : [Math.floor, 1e-9];
  const last = step === undefined ? limit : round(limit / step + near) * step;
  const at = keyword.startsWith('exclusive') && last === limit ? last - out : last;
  return { keyword, limit, name: `${keyword} ${limit}`, at, beyond: at + out };
}

/** The schema at a path, with what it refers to. */
export const schemaAt = (document: unknown, path: readonly string[]): Schema =>
  laidOpen((valueAt(document, path) ?? {}) as Schema, document as Schema);

/** The bounds of the values of a schema, which is laid open. None where the values are listed, nor where nothing is beyond. */
export const boundsIn = (schema: Schema): Bound[] =>
  schema.enum !== undefined || schema.const !== undefined
    ? []
    : (Object.keys(KEYWORDS) as BoundKeyword[]).flatMap((keyword) => {
        const limit = schema[keyword];
        if (typeof limit !== 'number') return [];
        const bound = boundOf(keyword, limit, schema);
        return KEYWORDS[keyword].counts && bound.beyond < 0 ? [] : [bound];
      });

/** The side of a bound on which a value stands, next to it; undefined for one that is further away, or of another type. */
export function sideOf({ keyword, ...sides }: Bound, value: unknown): Side | undefined {
  const size = KEYWORDS[keyword].sizeOf(value);
  return SIDES.find((side) => sides[side] === size);
}

const ajv = new Ajv2020({ strict: false });
const validators = new Map<string, ValidateFunction>();

/** What a service says of a value that is beyond a bound. */
export function refusalOf({ keyword, limit }: Bound, value: unknown): string | undefined {
  const key = `${keyword} ${limit}`;
  const validate = validators.get(key) ?? ajv.compile({ [keyword]: limit });
  validators.set(key, validate);
  return validate(value) ? undefined : validate.errors?.[0]?.message;
}

/** Whether a value of an input is an id, which is a number in a text. */
export const isId = ({ type }: InputValue): boolean => getNamedType(type).name === 'ID';

/** The type of JSON of each scalar of GraphQL that has bounds. */
const TYPES: Record<string, string> = { Int: 'integer', Float: 'number', String: 'string' };

/** What an argument or an input field is held to, beyond its type, as JSON Schema; of a list, each item of it. */
export function sdlConstraint(schema: GraphQLSchema, input: InputValue): Schema {
  const { 'x-uncommon': _, ...own } = constraintSchema(schema, input);
  const isNumber = own.minimum !== undefined || own.maximum !== undefined;
  const type = isId(input) && isNumber ? 'integer' : (TYPES[getNamedType(input.type).name] ?? 'string');
  return { type, ...own } as Schema;
}

/** The bounds that `@constraint` puts on an argument or an input field, in its words. */
export const sdlBounds = (schema: GraphQLSchema, input: InputValue): Bound[] =>
  boundsIn(sdlConstraint(schema, input)).map((bound) => ({
    ...bound,
    name: `${constraintName(bound.keyword)} ${bound.limit}`,
  }));

/** The name, or the key, of a side of a bound of what has this one: `createUser body /name at maxLength 100`. */
export const sideName = (whole: string, { name }: Bound, side: Side): string => `${whole} ${side} ${name}`;

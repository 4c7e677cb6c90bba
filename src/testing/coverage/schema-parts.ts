/** Lists the parts of a schema and their bounds, and the bounds of the SDL. @module */

import { pointerTo } from '@accord-api/platform/internals/core/calls/errors';
import { isObject, isPlain, keysOf, type Schema, valueAt } from '@accord-api/platform/internals/core/contract/document';
import { mergeSchema } from '@accord-api/platform/internals/core/contract/schemas';
import {
  constraintName,
  constraintSchema,
  type InputValue,
} from '@accord-api/platform/internals/core/graphql/arguments';
import {
  type GraphQLNamedType,
  GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
} from 'graphql';
import type { SdlElement } from './elements.js';

export type Path = readonly string[];

export function follow(document: unknown, path: Path): { value: unknown; path: Path } {
  const value = valueAt(document, path);
  const { $ref } = (value ?? {}) as Schema;
  return typeof $ref === 'string' ? follow(document, keysOf($ref)) : { value, path };
}

export const childrenOf = (document: unknown, path: Path): [name: string, at: Path][] => {
  const { value, path: at } = follow(document, path);
  return Object.keys(value ?? {}).map((name) => [name, [...at, name]]);
};

export interface Found {
  value: unknown;
  pointer: string;
}

export interface Part {
  pointer: string;
  /** The pointer of the member that contains the part; empty for the root. */
  within: string;
  at: Path;
  /** The values of the part; empty without an exchange. */
  found: readonly Found[];
}

/** Lists the alternatives of a schema except `null`. An only alternative has no name. */
function alternativesOf(document: unknown, all: Path): { name: string; at: Path }[] {
  const found = Object.keys(valueAt(document, all) ?? {}).map((index) => {
    const at = [...all, index];
    const { $ref, title, type } = (valueAt(document, at) ?? {}) as Schema;
    return { at, index, type, name: $ref === undefined ? String(title ?? type ?? '') : String(keysOf($ref).at(-1)) };
  });
  const real = found.filter(({ type }) => type !== 'null');
  if (real.length < 2) return real.map(({ at }) => ({ name: '', at }));
  return real.map(({ name, at, index }) => {
    const isUnique = name !== '' && real.filter((member) => member.name === name).length === 1;
    return { name: `<${isUnique ? name : Number(index) + 1}>`, at };
  });
}

/** The maximum number of places of a schema in one body. Mutually recursive schemas have exponentially many. */
const MAX_PLACES = 64;

interface Position extends Partial<Pick<Part, 'pointer' | 'within'>> {
  /** The enclosing schemas: a recursive schema is listed once. */
  around?: readonly string[];
  /** The number of listed places of each schema. */
  places?: Map<string, number>;
  /** The schema describes the same part as an enclosing one, whose bounds include its own. */
  isMerged?: boolean;
}

const membersOf = (found: readonly Found[], matches: (name: string, parent: object) => boolean): Found[] =>
  found.flatMap(({ value, pointer }) =>
    isObject(value)
      ? Object.entries(value)
          .filter(([name]) => matches(name, value))
          .map(([name, member]) => ({ value: member, pointer: pointer + pointerTo(name) }))
      : [],
  );

/**
 * Lists the places of a schema, and their values. A pointer is `/data[]/role`: `[]` is an item of
 * an array, `{}` a value of a map, `<Page>` an alternative.
 */
export function* partsOf(
  document: unknown,
  path: Path,
  values: { found: readonly Found[]; isValid: (at: Path, value: unknown) => boolean } | undefined,
  { pointer = '', within = '', around = [], places = new Map(), isMerged = false }: Position = {},
): Generator<Part> {
  const own = path.join('/');
  const count = (places.get(own) ?? 0) + 1;
  const found = values?.found ?? [];
  if (around.includes(own) || count > MAX_PLACES || (values && found.length === 0)) return;
  places.set(own, count);
  const position = { pointer, within, around: [...around, own], places };
  const schema = (valueAt(document, path) ?? {}) as Schema;
  const walk = (at: Path, inner: readonly Found[], more: Position) =>
    partsOf(document, at, values && { ...values, found: inner }, { ...position, ...more });

  if (!isMerged) yield { pointer, within, at: path, found };
  if (schema.$ref !== undefined) yield* walk(keysOf(schema.$ref), found, { isMerged: true });
  for (const index of Object.keys(schema.allOf ?? []))
    yield* walk([...path, 'allOf', index], found, { isMerged: true });
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const alternatives = alternativesOf(document, [...path, keyword]);
    // A value that breaks a bound is valid in no alternative and may be meant for any.
    const fits = (at: Path, value: unknown) =>
      values?.isValid(at, value) || !alternatives.some((alternative) => values?.isValid(alternative.at, value));
    for (const { name, at } of alternatives) {
      const chosen = name === '' ? found : found.filter(({ value }) => fits(at, value));
      yield* walk(at, chosen, { pointer: `${pointer}${name}` });
    }
  }
  const { properties = {} } = schema;
  for (const name of Object.keys(properties)) {
    const [member, at] = [`${pointer}/${name}`, [...path, 'properties', name]];
    const own = membersOf(found, (key, parent) => key === name && !Array.isArray(parent));
    yield* walk(at, own, { pointer: member, within: member });
  }
  if (schema.items) {
    const items = membersOf(found, (_, parent) => Array.isArray(parent));
    yield* walk([...path, 'items'], items, { pointer: `${pointer}[]` });
  }
  if (schema.additionalProperties) {
    const others = membersOf(found, (name, parent) => !Array.isArray(parent) && !(name in properties));
    yield* walk([...path, 'additionalProperties'], others, { pointer: `${pointer}{}` });
  }
}

const KEYWORDS = [
  ...(['minLength', 'maxLength', 'minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'] as const),
  ...(['minItems', 'maxItems', 'minProperties', 'maxProperties'] as const),
];
type BoundKeyword = (typeof KEYWORDS)[number];

const isNumeric = (keyword: BoundKeyword): boolean => keyword.endsWith('imum');

/** Returns what a keyword compares with its limit; undefined for a value of another type. */
function sizeOf(keyword: BoundKeyword, value: unknown): number | undefined {
  if (isNumeric(keyword)) return typeof value === 'number' ? value : undefined;
  if (keyword.endsWith('Length')) return typeof value === 'string' ? [...value].length : undefined;
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

/** Returns the types that an operation can reach, in the order of the schema: types that only directives use are never sent. */
function reachableTypes(schema: GraphQLSchema): GraphQLNamedType[] {
  const all = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  const types = all.filter((type) => isObjectType(type) && type.getInterfaces().length > 0);
  const reachable = new GraphQLSchema({ ...schema.toConfig(), types, directives: [] });
  return all.filter(({ name }) => reachable.getType(name) !== undefined);
}

/** Lists the bounds of the arguments and input fields of the SDL, which the suite `everyBound` covers. */
export const sdlElements = (schema: GraphQLSchema): SdlElement[] =>
  reachableTypes(schema).flatMap((type) => {
    const elements = (place: string, input: InputValue): SdlElement[] =>
      sdlBounds(schema, input).flatMap((bound) =>
        SIDES.map((side): SdlElement => {
          const [owner, name] = [type.name, sideName(place, bound, side)];
          const [key, within] = [`${owner}.${name}`, `${owner}.${place}`];
          return { kind: 'bound', owner, name, key, within, file: 'schema.graphql', node: input.astNode };
        }),
      );
    if (isInputObjectType(type)) return Object.values(type.getFields()).flatMap((field) => elements(field.name, field));
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.values(type.getFields()).flatMap(({ name, args }) =>
      args.flatMap((arg) => elements(`${name}(${arg.name})`, arg)),
    );
  });

import type { Schema } from '@accord-api/platform/contract/document';
import { isObject, resolveReference } from '@accord-api/platform/contract/references';
import { type DocumentNode, visit } from 'graphql';
import { constraintArguments, constraintOf } from '../model/sdl.js';
import type { Rest, RestFlaw, RestRule, SdlFlaw, SdlRule } from './rule.js';

/** What a schema demands of one value, itself and by all that it is made of. */
interface Demands {
  /** The types that are left; undefined where any is. */
  types?: string[] | undefined;
  /** The greatest of the lower bounds and the least of the upper ones, by the keyword of each. */
  bounds: Record<string, number>;
}

/** Pairs of which the first may not exceed the second. */
const PAIRS = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minContains', 'maxContains'],
  ['minProperties', 'maxProperties'],
] as const;
const EXCLUSIVE = { exclusiveMinimum: 'minimum', exclusiveMaximum: 'maximum' } as const;
const KEYWORDS = [...PAIRS.flat(), 'exclusiveMinimum', 'exclusiveMaximum'] as const;

const isLower = (keyword: string) => /^(exclusiveM|m)in/.test(keyword);

const meet = (one: string[] | undefined, other: string[] | undefined): string[] | undefined => {
  if (one === undefined || other === undefined) return one ?? other;
  const integer = (types: string[]) => (types.includes('number') ? [...types, 'integer'] : types);
  return [...new Set(integer(one).filter((type) => integer(other).includes(type)))];
};

const both = (one: Demands, other: Demands): Demands => {
  const bounds = { ...one.bounds };
  for (const [keyword, value] of Object.entries(other.bounds)) {
    const known = bounds[keyword] ?? value;
    bounds[keyword] = isLower(keyword) ? Math.max(known, value) : Math.min(known, value);
  }
  return { types: meet(one.types, other.types), bounds };
};

function own(schema: Record<string, unknown>): Demands {
  const { type } = schema;
  // As OpenAPI 3.0 says it, the flag has the bound itself left out.
  const stated = KEYWORDS.flatMap((keyword) => {
    const isFlag = keyword in EXCLUSIVE && schema[keyword] === true;
    const value = isFlag ? schema[EXCLUSIVE[keyword as keyof typeof EXCLUSIVE]] : schema[keyword];
    return typeof value === 'number' ? [[keyword, value] as const] : [];
  });
  return { types: type === undefined ? undefined : ([type].flat() as string[]), bounds: Object.fromEntries(stated) };
}

/** The parts of a schema that a value must satisfy besides the schema itself. */
const partsOf = (source: unknown, { $ref, allOf = [] }: Schema): unknown[] => [
  ...($ref?.startsWith('#/') ? [resolveReference(source, $ref)] : []),
  ...allOf,
];

function demandsOf(source: unknown, schema: unknown, above: readonly unknown[] = []): Demands {
  if (!isObject(schema) || above.includes(schema)) return { bounds: {} };
  return partsOf(source, schema as Schema)
    .map((part) => demandsOf(source, part, [...above, schema]))
    .reduce(both, own(schema));
}

/** Why no value meets these demands, or undefined. */
function contradiction({ types, bounds }: Demands): string | undefined {
  if (types?.length === 0) return 'its types have no value in common';
  const pair = PAIRS.find(([least, most]) => (bounds[least] ?? -Infinity) > (bounds[most] ?? Infinity));
  if (pair !== undefined) return `${pair[0]} ${bounds[pair[0]]} is more than ${pair[1]} ${bounds[pair[1]]}`;
  const { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below } = bounds;
  const [most, least] = [
    Math.min(maximum ?? Infinity, below ?? Infinity),
    Math.max(minimum ?? -Infinity, above ?? -Infinity),
  ];
  const isEmpty = least > most || (least === most && (above === least || below === most));
  // Between two integers that follow each other there is none.
  const first = above === undefined ? minimum : Math.max(Math.floor(above) + 1, minimum ?? -Infinity);
  const last = below === undefined ? maximum : Math.min(Math.ceil(below) - 1, maximum ?? Infinity);
  const noInteger =
    types?.every((type) => type === 'integer' || type === 'null') === true &&
    Math.ceil(first ?? -Infinity) > Math.floor(last ?? Infinity);
  return isEmpty || noInteger ? 'no number is within its bounds' : undefined;
}

const sizeOf = (value: unknown): [least: string, most: string, size: number] | undefined => {
  if (typeof value === 'number') return ['minimum', 'maximum', value];
  return typeof value === 'string' ? ['minLength', 'maxLength', [...value].length] : undefined;
};

/** The values of an enumeration that its own bounds leave out. */
function excluded({ bounds }: Demands, schema: Schema): number[] {
  return (schema.enum ?? []).flatMap((value, index) => {
    const [least = '', most = '', size = 0] = sizeOf(value) ?? [];
    return size < (bounds[least] ?? -Infinity) || size > (bounds[most] ?? Infinity) ? [index] : [];
  });
}

const contradictory = ({ source, elements }: Rest): RestFlaw[] =>
  elements.flatMap(({ kind, path, object }) => {
    if (kind !== 'schema') return [];
    const demands = demandsOf(source, object);
    const why = contradiction(demands);
    // What a part of it contradicts by itself is told there.
    const isTold = partsOf(source, object).some((part) => contradiction(demandsOf(source, part)) !== undefined);
    const keyword = KEYWORDS.find((one) => object[one] !== undefined);
    const at = keyword === undefined ? { path, onKey: true } : { path: [...path, keyword], onKey: true };
    const message = `No value is allowed here: ${why}.`;
    return [
      ...(why === undefined || isTold ? [] : [{ ...at, message }]),
      ...excluded(demands, object).map((index) => ({
        path: [...path, 'enum', index],
        message: `The bounds of the schema leave out its value ${JSON.stringify(object.enum[index])}.`,
      })),
    ];
  });

function contradictoryConstraints(document: DocumentNode): SdlFlaw[] {
  const flaws: SdlFlaw[] = [];
  visit(document, {
    InputValueDefinition: ({ name, directives }) => {
      const { min, max, minLength, maxLength } = constraintOf(directives) as Record<string, number>;
      const bounds = { minimum: min, maximum: max, minLength, maxLength };
      const stated = Object.entries(bounds).filter((one): one is [string, number] => typeof one[1] === 'number');
      const why = contradiction({ bounds: Object.fromEntries(stated) });
      const [first] = constraintArguments(directives);
      if (why !== undefined)
        flaws.push({ node: first ?? name, message: `No value of \`${name.value}\` is allowed: ${why}.` });
    },
  });
  return flaws;
}

const POSSIBLE = {
  name: 'bounds-contradict',
  why: 'Where bounds contradict one another no request is right, and nobody sees it before the first one is refused.',
};

export const REST_BOUND_RULES: RestRule[] = [{ ...POSSIBLE, check: contradictory }];
export const SDL_BOUND_RULES: SdlRule[] = [{ ...POSSIBLE, check: contradictoryConstraints }];

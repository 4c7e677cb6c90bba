import { type Direction, type Effect, judge, type Verdict, whatOf } from './change.js';

/** The effect of a changed keyword of JSON Schema, or argument of `@constraint`. */
interface Keyword {
  effect: (was: unknown, is: unknown) => Effect;
  /** The verdict of a wider response. Default: risky. */
  widerResponse?: Verdict;
  /** The last part of the id. Default: added, removed or changed. */
  what?: (was: unknown, is: unknown) => string;
  /** Replaces the verdict that follows from the effect. */
  verdict?: (direction: Direction, was: unknown, is: unknown) => Verdict | undefined;
}

const limit = (isUpper: boolean): Keyword => ({
  ...ordered((was, is) => Number(is) > Number(was) === isUpper),
  what: (was, is) => {
    const what = whatOf(was, is);
    return what !== 'changed' ? what : Number(is) > Number(was) ? 'raised' : 'lowered';
  },
});

/** Returns a keyword with ordered values. `isWithin` returns true if the first value is stricter than the second. */
function ordered(isWithin: (some: unknown, all: unknown) => boolean): Keyword {
  const effect = (was: unknown, is: unknown): Effect => {
    if (was === undefined || is === undefined) return was === undefined ? 'narrower' : 'wider';
    return isWithin(was, is) ? 'wider' : isWithin(is, was) ? 'narrower' : 'other';
  };
  return { effect };
}

/** Returns a keyword whose values have no order, such as `pattern`. */
const incomparable = (more: Partial<Keyword> = {}): Keyword => ({ ...ordered(() => false), ...more });

/** Returns a keyword that rejects no value, such as `deprecated`. */
const annotation = (verdict: NonNullable<Keyword['verdict']>): Keyword => ({ effect: () => 'other', verdict });

/** Formats with the wider formats that contain them. */
const WIDER_FORMATS: Record<string, string> = {
  int8: 'int16 int32 int64',
  int16: 'int32 int64',
  int32: 'int64',
  float: 'double',
  email: 'idn-email',
  hostname: 'idn-hostname',
  uri: 'uri-reference iri iri-reference url',
  'uri-reference': 'iri-reference',
  iri: 'iri-reference',
  url: 'uri uri-reference iri iri-reference',
};
const isNarrower = (some: unknown, all: unknown) =>
  (WIDER_FORMATS[String(some)] ?? '').split(' ').includes(String(all));

const isMultiple = (of: unknown, step: unknown): boolean => {
  const times = Number(of) / Number(step);
  return Math.abs(times - Math.round(times)) < 1e-9;
};

/** Readers of a response fail if the keyword is removed. */
const REQUIRED_BY_READERS: Partial<Keyword> = { widerResponse: 'breaking' };

export const KEYWORDS: Record<string, Keyword> = {
  maxLength: limit(true),
  minLength: limit(false),
  maximum: limit(true),
  exclusiveMaximum: limit(true),
  minimum: limit(false),
  exclusiveMinimum: limit(false),
  maxItems: limit(true),
  minItems: limit(false),
  maxContains: limit(true),
  minContains: limit(false),
  maxProperties: limit(true),
  minProperties: limit(false),
  multipleOf: ordered(isMultiple),
  format: {
    ...ordered(isNarrower),
    // A client that parses the old format fails on a wider one.
    verdict: (direction, was, is) => (direction === 'response' && isNarrower(was, is) ? 'breaking' : undefined),
  },
  pattern: incomparable(),
  contentEncoding: incomparable(),
  contentMediaType: incomparable(),
  contentSchema: incomparable(),
  'x-uncommon': incomparable(),
  uniqueItems: incomparable(),
  contains: incomparable(),
  unevaluatedItems: incomparable(),
  prefixItems: incomparable(REQUIRED_BY_READERS),
  patternProperties: incomparable(REQUIRED_BY_READERS),
  propertyNames: incomparable(),
  dependentRequired: incomparable(REQUIRED_BY_READERS),
  dependentSchemas: incomparable(REQUIRED_BY_READERS),
  not: incomparable(),
  // Includes `then` and `else`.
  if: incomparable(REQUIRED_BY_READERS),
  default: annotation((direction, was) => (direction === 'request' && was !== undefined ? 'risky' : 'safe')),
  deprecated: annotation(() => 'safe'),
};

/** Rules about schemas that do not belong to one keyword. */
export const SCHEMA_RULES =
  'type enum value alternative member required extra condition exclusive discriminator discriminatorValue mapping extensibleValue'.split(
    ' ',
  );

/** Judges a changed keyword; undefined for a keyword that the table does not know. */
export function judgeKeyword(
  keyword: string,
  direction: Direction,
  was: unknown,
  is: unknown,
): [verdict: Verdict, what: string] | undefined {
  const known = KEYWORDS[keyword];
  if (known === undefined) return undefined;
  const verdict = known.verdict?.(direction, was, is) ?? judge(direction, known.effect(was, is), known.widerResponse);
  return [verdict, known.what?.(was, is) ?? whatOf(was, is)];
}

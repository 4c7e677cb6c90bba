import type { Contracts } from '../model/contracts.js';
import { type FilePlace, type Problem, problemAt } from '../model/problems.js';
import { argumentsOf, placeOf } from '../model/sdl-source.js';
import {
  type Change,
  type Direction,
  type Effect,
  isVerdict,
  judge,
  VERDICTS,
  type Verdict,
  whatOf,
} from './change.js';

/** A rule, or all rules that match a name with `*`. Verdicts are sorted, worst first. */
interface RuleRow {
  name: string;
  verdicts: Verdict[];
  why: string;
}

const BREAK = 'breaking';
const ROWS: [name: string, verdicts: string, why: string][] = [
  ['operation-removed', BREAK, 'Its callers get 404. Safe after its sunset.'],
  ['operation-added', 'safe', 'Nobody calls it yet.'],
  ['operation-id-added', 'safe', 'Generated clients get a name for it.'],
  ['operation-id-*', BREAK, 'It is a method of every generated client.'],
  ['address-changed', BREAK, 'Callers of the old address get 404 or 405.'],
  ['tag-*', 'risky', 'Generated clients group operations by tag.'],
  ['deprecated-*', 'safe', 'It works as before.'],
  ['sunset-*', 'risky safe', 'Clients have planned for the date; a later one gives them more time.'],
  ['counted-*', 'risky safe', 'Clients may get 429 where the limit applies now.'],
  ['permission-narrowed', BREAK, 'A role loses access.'],
  ['permission-*', 'risky', 'A role gains access: for the security review.'],
  ['further-permission-*', 'breaking risky safe', 'Breaking if a role loses access.'],
  ['security-*', 'breaking risky safe', 'Breaking if callers are rejected, risky if anyone may call it now.'],
  ['scopes-*', 'breaking safe', 'Breaking if tokens with the old scopes are rejected.'],
  ['scheme-*', 'breaking safe', 'Breaking if callers that use it are rejected.'],
  ['scheme-definition-*', BREAK, 'Callers that use the old way are rejected.'],
  ['flow-*', 'breaking safe', 'Breaking if clients get no token by it any more.'],
  ['flow-url-*', BREAK, 'Clients ask for tokens at the old address.'],
  ['scope-*', 'breaking safe', 'Clients ask for it by name.'],
  ['hint-*', 'safe', 'The content of a token is no promise.'],
  ['server-default-*', 'risky', 'Clients that choose no address call the default.'],
  ['server-*', 'breaking safe', 'Breaking if an address that clients call is gone.'],
  ['parameter-added', 'breaking safe', 'Breaking if it is required.'],
  ['parameter-removed', 'breaking risky', 'Risky if it is ignored, breaking if it is rejected.'],
  ['parameter-name-renamed', 'safe', 'A path parameter is identified by its position.'],
  ['content-*', BREAK, 'The encoding of a parameter is part of the request.'],
  ['style-*', BREAK, 'The encoding of a parameter is part of the request.'],
  ['explode-*', BREAK, 'The encoding of a parameter is part of the request.'],
  ['allow-*', 'breaking safe', 'Breaking if an encoding is no longer accepted.'],
  ['body-*', 'breaking risky safe', 'Breaking if a request body is required now, or a response body is gone.'],
  ['media-*', 'breaking safe', 'Breaking if it is gone: clients ask for it by name.'],
  ['part-media-changed', 'breaking risky safe', 'Breaking if a part of a form accepts less.'],
  ['status-*', 'breaking risky safe', 'Breaking if a success is gone, risky if one is new.'],
  ['header-*', 'breaking risky safe', 'Breaking if a required header is gone, or if a part of a form requires it.'],
  ['link-*', 'risky safe', 'Clients that follow it end elsewhere.'],
  ['webhook-*', 'breaking safe', 'Breaking if receivers wait for nothing.'],
  ['callback-*', 'breaking safe', 'Breaking if receivers wait for nothing.'],
  ['schema-name-*', 'risky safe', 'Generated clients lose or get the type of that name.'],
  ['unused-schema-*', 'safe', 'No operation used it.'],
  ['request-value-removed', BREAK, 'Requests with the value are rejected.'],
  ['response-value-added', 'breaking risky', 'Code that lists all values meets a new one; breaking if all are new.'],
  ['response-alternative-added', 'risky', 'Code that lists all alternatives meets a new one.'],
  ['request-alternative-removed', BREAK, 'Requests with it are rejected.'],
  ['*-extensible-value-*', 'breaking safe', 'Breaking if requests with the value are rejected.'],
  ['request-default-*', 'risky safe', 'Clients that send nothing get another value.'],
  ['response-default-*', 'safe', 'A default in a response is a note.'],
  ['request-required*', 'breaking safe', 'Breaking if requests without it are rejected.'],
  ['response-required*', 'breaking safe', 'Breaking if code that reads it meets nothing.'],
  ['request-member-added', 'breaking safe', 'Breaking if it is required.'],
  ['request-member-removed', 'breaking risky', 'Risky if it is ignored, breaking if it is rejected.'],
  ['response-member-added', 'risky safe', 'Risky in an object without other properties.'],
  ['response-member-removed', BREAK, 'Code that reads it meets nothing.'],
  ['response-type-*', 'breaking safe', 'Breaking if code meets a type that it cannot read.'],
  ['*-discriminator-*', 'breaking risky safe', 'Clients distinguish alternatives by it.'],
  ['*-mapping-*', 'breaking risky safe', 'Clients distinguish alternatives by its values.'],
  ['request-*', 'breaking safe', 'Breaking if less is accepted than before.'],
  ['response-*', 'breaking risky safe', 'Risky if more is possible than before, breaking if it is of another kind.'],
  ['extension-unjudged', 'safe', 'No rule knows this extension: review it.'],
  ['unjudged', 'risky', 'No rule knows this keyword: review it.'],
  ['severity-*', 'risky', 'A line of x-severity changes later verdicts.'],
  ['graphql-enum-value-added', 'risky safe', 'Code that lists all values meets a new one; safe for inputs.'],
  ['graphql-enum-value-removed', 'breaking safe', 'Requests with the value are rejected; safe for outputs.'],
  ['graphql-union-member-added', 'risky', 'Fragments meet a type that they do not know.'],
  ['graphql-object-type-interface-added', 'risky', 'Fragments meet a type that they do not know.'],
  ['graphql-type-added', 'risky safe', 'Risky if it implements an interface that a field returns.'],
  ['graphql-*-default-*', 'breaking risky safe', 'Clients that send nothing get another value.'],
  ['graphql-usage-*', 'breaking risky safe', 'No rule knows this directive: review it. Breaking for @oneOf.'],
  ['graphql-unjudged', 'risky', 'No rule knows this change: review it.'],
  ['graphql-*permission-*', 'breaking risky safe', 'Breaking if a role loses access; else for the security review.'],
  ['graphql-request-*', 'breaking safe', 'Breaking if @constraint accepts less than before.'],
  ['graphql-*-removed', 'breaking safe', 'Queries that name it are rejected. Safe after the date of its @deprecated.'],
  ['graphql-*-changed', 'breaking risky safe', 'Breaking if queries are rejected, or values are of another kind.'],
  ['graphql-*-added', 'breaking safe', 'Breaking if it must be given.'],
  ['database-*', 'breaking risky safe', 'Judged for existing rows, and for instances that still run.'],
];

export const RULE_TABLE: RuleRow[] = ROWS.map(([name, verdicts, why]) => ({
  ...{ name, why },
  verdicts: verdicts.split(' ').filter(isVerdict),
}));

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
const incomparable = (widerResponse: Verdict = 'risky'): Keyword => ({ ...ordered(() => false), widerResponse });

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

const named = (names: string, keyword: Keyword) => Object.fromEntries(names.split(' ').map((name) => [name, keyword]));

const KEYWORDS: Record<string, Keyword> = {
  ...named('maxLength maximum exclusiveMaximum maxItems maxContains maxProperties', limit(true)),
  ...named('minLength minimum exclusiveMinimum minItems minContains minProperties', limit(false)),
  ...named('pattern contentEncoding contentMediaType contentSchema x-uncommon uniqueItems', incomparable()),
  ...named('contains unevaluatedItems propertyNames not', incomparable()),
  // Readers of a response fail if the keyword is removed. `if` includes `then` and `else`.
  ...named('prefixItems patternProperties dependentRequired dependentSchemas if', incomparable('breaking')),
  multipleOf: ordered(isMultiple),
  format: {
    ...ordered(isNarrower),
    // A client that parses the old format fails on a wider one.
    verdict: (direction, was, is) => (direction === 'response' && isNarrower(was, is) ? 'breaking' : undefined),
  },
  default: annotation((direction, was) => (direction === 'request' && was !== undefined ? 'risky' : 'safe')),
  deprecated: annotation(() => 'safe'),
};

/** Rules about schemas that do not belong to one keyword. */
const SCHEMA_RULES =
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

const kebab = (name: string) =>
  name
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    .replaceAll('_', '-')
    .toLowerCase();

/** Rules whose verdict depends on the direction. Their names begin with it. */
const BY_DIRECTION = new Set([...Object.keys(KEYWORDS), ...SCHEMA_RULES].filter((rule) => rule !== 'deprecated'));

export const ruleName = ({ rule, direction }: { rule: string; direction: Direction }, what: string): string =>
  kebab([...(BY_DIRECTION.has(rule) ? [direction] : []), rule, ...(rule === what ? [] : [what])].join('-'));

/** Returns the name for a rule of graphql-inspector: `graphql-enum-value-added`. */
export const inspectedName = (type: string): string => kebab(`graphql-${type}`);

const pattern = (name: string) => new RegExp(`^${name.replaceAll('*', '[a-z0-9-]*')}$`);

export const rowOf = (name: string): RuleRow | undefined => RULE_TABLE.find((rule) => pattern(rule.name).test(name));

/** The names of the rules for schemas without their last part: `request-max-length`. */
const OF_SCHEMAS = [...BY_DIRECTION].flatMap((rule) => [`request-${kebab(rule)}`, `response-${kebab(rule)}`]);
const HAPPENED = /-(?:added|removed|changed|raised|lowered|opened|closed|nullable|not-null|optional)$/;

const isRule = (name: string): boolean => {
  if (RULE_TABLE.some((rule) => rule.name === name)) return true;
  const isCatchAll = /^re(?:quest|sponse)-\*$/.test(rowOf(name)?.name ?? '');
  return (
    !name.includes('*') && (isCatchAll ? OF_SCHEMAS.includes(name.replace(HAPPENED, '')) : rowOf(name) !== undefined)
  );
};

/** Returns the verdicts that both contracts set: by `x-severity`, and by `@severity` at the schema. The last one for a rule counts. */
function severityLines({ openapi, schema }: Contracts): { rule: string; verdict: unknown; place: FilePlace }[] {
  const directives = schema.document.definitions
    .flatMap((def) => (def.kind === 'SchemaDefinition' || def.kind === 'SchemaExtension' ? (def.directives ?? []) : []))
    .filter(({ name }) => name.value === 'severity');
  const inSdl = directives.map((directive) => {
    const { rule, is } = argumentsOf(directive);
    return { rule: String(rule), verdict: String(is).toLowerCase(), place: placeOf(directive) };
  });
  const inOpenApi = Object.entries((openapi.absent ? undefined : openapi.written['x-severity']) ?? {}).map(
    ([rule, verdict]) => ({ rule, verdict, place: openapi.placeOf(['x-severity', rule], true) }),
  );
  return [...inSdl, ...inOpenApi];
}

/** Returns the problems of `x-severity` and `@severity`: unknown rules and verdicts. */
export const severityProblems = (contracts: Contracts): Problem[] =>
  severityLines(contracts).flatMap(({ rule, verdict, place }) => {
    const message = isRule(rule)
      ? `\`${rule}\` must be one of ${VERDICTS.join(', ')}.`
      : `No rule is called \`${rule}\`: \`accord diff --rules\` lists them.`;
    if (isRule(rule) && isVerdict(verdict)) return [];
    const text = contracts.openapi.texts.get(place.file) ?? contracts.schema.texts.get(place.file) ?? '';
    return [problemAt(place.file, text, place, 'severity', message)];
  });

/** Applies the verdicts of a repository. Announced removals stay safe. A line with `*` does not change safe verdicts. */
export function withSeverity(changes: readonly Change[], contracts: Contracts): Change[] {
  const lines = severityLines(contracts);
  return changes.map((change) => {
    const { rule = '', verdict } = lines.findLast((line) => pattern(line.rule).test(change.rule)) ?? {};
    const isKept = change.settled || (change.verdict === 'safe' && rule.includes('*'));
    return isKept || !isVerdict(verdict) ? change : { ...change, verdict };
  });
}

/** A rule with the lines of the contracts that state a verdict for it. */
export interface StatedRule extends RuleRow {
  stated?: { rule: string; verdict: Verdict; file: string; line: number }[];
}

/** Returns all rules with the lines of the contracts. Expects contracts without `severityProblems`. */
export function statedRules(contracts: Contracts): StatedRule[] {
  const lines = severityLines(contracts);
  return RULE_TABLE.map((row) => {
    const own = lines.filter(
      ({ rule }) => rule === row.name || pattern(rule).test(row.name) || rowOf(rule)?.name === row.name,
    );
    const stated = own.map(({ rule, verdict, place: { file, line } }) => ({
      ...{ rule, verdict: verdict as Verdict, file, line },
    }));
    return stated.length === 0 ? row : { ...row, stated };
  });
}

import type { ErrorObject } from 'ajv/dist/2020.js';
import { suggestionList } from 'graphql/jsutils/suggestionList.js';
import { Failure, type Issue, type Issues, truncate } from '../calls/errors.js';
import type { Code } from '../contract/codes.js';
import { isPlain } from '../contract/document.js';

const MAX_NAME_BYTES = 64;
const MAX_DESCRIPTION_BYTES = 120;
const MAX_LISTED = 8;
const MAX_COMPARED = 100;

export const quoted = (name: string): string => `\`${truncate(name, MAX_NAME_BYTES)}\``;

const listed = (names: readonly string[]): string =>
  names.slice(0, MAX_LISTED).map(quoted).join(', ') + (names.length > MAX_LISTED ? ' and others' : '');

/** Returns the most similar name. Short names are similar to most others. */
export const similarTo = (name: string, known: readonly string[]): string | undefined =>
  name.length < 3 ? undefined : suggestionList(name, known)[0];

const UNKNOWN = 'is unknown. ';

/** Returns the detail of an unknown name, with the most similar name or else the known names. */
function unknownName(name: string, known: readonly string[]): string {
  const similar = similarTo(name, known);
  if (similar !== undefined) return `${UNKNOWN}Did you mean ${quoted(similar)}?`;
  return UNKNOWN + (known.length === 0 ? 'Remove it.' : `Known here: ${listed(known)}.`);
}

/** Returns the detail of a missing member, with a similar unknown member. */
export function missingName(name: string, { known, required, given }: Record<string, readonly string[]>): string {
  const unknown = (given ?? []).filter((other) => !known?.includes(other)).slice(0, MAX_COMPARED);
  const similar = similarTo(name, unknown);
  if (similar !== undefined) return `is missing, and ${quoted(similar)} is unknown. Did you mean ${quoted(name)}?`;
  return `is missing. Required here: ${listed(required ?? [name])}.`;
}

function sentenceOf({ pointer = '', parameter, detail }: Issue): string {
  const last = pointer.slice(pointer.lastIndexOf('/') + 1);
  const name = parameter ?? (/^\d*$/.test(last) ? pointer : last);
  const subject = name === '' ? 'The body' : quoted(name);
  if (detail.startsWith(UNKNOWN))
    return `Unknown ${parameter === undefined ? 'member' : 'query parameter'} ${subject}. ${detail.slice(UNKNOWN.length)}`;
  return `${subject} ${detail}${/[.?]$/.test(detail) ? '' : '.'}`;
}

export function issueFailure(code: Code, found: Partial<Issues>): Failure {
  const { issues = [], omitted = 0 } = found;
  const others = issues.length - 1 + omitted;
  const more =
    others > 0 ? ` There ${others === 1 ? 'is 1 more mistake' : `are ${others} more mistakes`}: see \`errors\`.` : '';
  return new Failure(code, sentenceOf(issues[0] as Issue) + more, found);
}

const TYPES: Record<string, string> = {
  array: 'an array',
  boolean: 'true or false',
  integer: 'an integer',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a string',
};

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'a boolean';
  return TYPES[Array.isArray(value) ? 'array' : typeof value] ?? 'nothing';
}

const FORMATS: Record<string, string> = {
  date: 'a date such as 2026-11-25',
  'date-time': 'a date and time such as 2026-11-25T18:30:00Z',
  duration: 'a duration such as PT15M',
  email: 'an e-mail address such as ada@example.com',
  hostname: 'a host name such as api.example.com',
  ipv4: 'an IPv4 address such as 192.0.2.1',
  ipv6: 'an IPv6 address such as 2001:db8::1',
  'iso-4217': 'an ISO 4217 code such as EUR',
  'json-pointer': 'a JSON pointer such as /name',
  regex: 'a regular expression',
  time: 'a time such as 18:30:00Z',
  uri: 'an absolute URI such as https://example.com/a',
  'uri-reference': 'a URI or a path such as /a',
  uuid: 'a UUID such as 0190a5d2-6c3e-7cc0-8f5e-2f0b8c1d4e7a',
};

const COUNTED = {
  Length: { unit: 'character', sizeOf: (value: unknown) => [...String(value)].length },
  Items: { unit: 'item', sizeOf: (value: unknown) => (value as unknown[]).length },
  Properties: { unit: 'member', sizeOf: (value: unknown) => Object.keys(value as object).length },
};

const plural = (count: number, unit: string): string => `${count} ${unit}${count === 1 ? '' : 's'}`;

function sizeDetail(kind: keyof typeof COUNTED, schema: Record<string, unknown>, value: unknown): string {
  const { unit, sizeOf } = COUNTED[kind];
  const [least, most] = [schema[`min${kind}`], schema[`max${kind}`]] as (number | undefined)[];
  const size = sizeOf(value);
  if (least === undefined) return `must have at most ${plural(most ?? 0, unit)}; it has ${size}`;
  if (most === undefined || least === most)
    return `must have ${least === most ? 'exactly' : 'at least'} ${plural(least, unit)}; it has ${size}`;
  return `must have ${least} to ${plural(most, unit)}; it has ${size}`;
}

const COMPARISONS = {
  exclusiveMinimum: 'more than',
  minimum: 'at least',
  exclusiveMaximum: 'less than',
  maximum: 'at most',
};

function rangeDetail(schema: Record<string, unknown>): string {
  const parts = Object.entries(COMPARISONS).flatMap(([keyword, words]) =>
    schema[keyword] === undefined ? [] : `${words} ${schema[keyword]}`,
  );
  return `must be ${parts.join(' and ')}`;
}

/**
 * Explains a pattern by the description: by its range of characters if the trimmed text is outside, or else by its
 * first sentence.
 */
function patternDetail({ description = '' }: Record<string, unknown>, value: unknown): string {
  const size = [...String(value).trim()].length;
  const [range, least, most] = /\b(\d{1,6}) to (\d{1,6}) characters/.exec(String(description)) ?? [];
  if (range !== undefined && (size < Number(least) || size > Number(most))) return `must have ${range}; it has ${size}`;
  const length = plural(size, 'character');
  const [expected] = /^.*?[.](?=\s|$)/s.exec(String(description)) ?? [];
  if (expected === undefined) return `has the wrong form: the contract has its pattern. It has ${length}.`;
  return `must be what the contract describes: ${truncate(expected.replaceAll(/\s+/g, ' '), MAX_DESCRIPTION_BYTES)} It has ${length}.`;
}

/** Returns the detail of an error of Ajv without the value, which may be a secret. */
export function detailOf({ keyword, params, data, parentSchema = {} }: ErrorObject): string {
  const known = Object.keys((parentSchema['properties'] as object | undefined) ?? {});
  const [, kind] = /^(?:min|max)(Length|Items|Properties)$/.exec(keyword) ?? [];
  if (kind !== undefined) return sizeDetail(kind as keyof typeof COUNTED, parentSchema, data);
  if (Object.hasOwn(COMPARISONS, keyword)) return rangeDetail(parentSchema);
  switch (keyword) {
    case 'type':
      return `must be ${[params['type']]
        .flat()
        .map((type) => TYPES[type] ?? type)
        .join(' or ')}, not ${typeOf(data)}`;
    case 'required':
      return missingName(params['missingProperty'], {
        known,
        required: parentSchema['required'] as string[],
        given: isPlain(data) ? Object.keys(data) : [],
      });
    case 'additionalProperties':
      return unknownName(params['additionalProperty'], known);
    case 'unevaluatedProperties': {
      const name = params['unevaluatedProperty'];
      // Other parts of the schema may declare more names.
      return unknownName(name, similarTo(name, known) === undefined ? [] : known);
    }
    case 'enum': {
      const allowed = (params['allowedValues'] as unknown[]).map(String);
      const similar = typeof data === 'string' ? similarTo(data, allowed) : undefined;
      return `must be one of ${allowed.join(', ')}${similar === undefined ? '' : `. Did you mean ${quoted(similar)}?`}`;
    }
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'format':
      return `must be ${FORMATS[params['format']] ?? `of the format ${params['format']}`}`;
    case 'pattern':
      return patternDetail(parentSchema, data);
    case 'multipleOf':
      return `must be a multiple of ${params['multipleOf']}`;
    case 'uniqueItems':
      return 'must not contain the same item twice';
    case 'x-uncommon':
      return 'is one of the commonest passwords. Choose another one.';
    case 'oneOf':
    case 'anyOf':
      return 'must have one of the forms that the contract describes';
    case 'dependentRequired':
      return `is missing. It is required beside ${quoted(params['property'])}.`;
    default:
      return 'is not allowed by the contract';
  }
}

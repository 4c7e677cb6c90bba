import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { isCommonPassword } from '../accounts/passwords.js';
import { type Issue, type Issues, issuesOf } from '../calls/issues.js';
import { pointerTo } from '../calls/text.js';
import type { Schema } from '../contract/document.js';
import { addFormats } from '../contract/formats.js';
import { isPlain } from '../contract/references.js';
import { addRecursion, compileRecursive } from './recursive-schema.js';

/** How the text of a parameter spells a value of a type, and what is said of one that does not. Of an integer there is one spelling. */
export const SPELLINGS = {
  boolean: { pattern: '^(?:true|false)$', detail: 'must be true or false' },
  integer: { pattern: '^(?:0|-?[1-9][0-9]*)$', detail: 'must be an integer' },
  /** A path names a resource by an integer of 1 or more. */
  id: { pattern: '^[1-9][0-9]*$', detail: 'must be an integer' },
  /** As in JSON (RFC 8259, 6). */
  number: { pattern: '^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$', detail: 'must be a number' },
} as const;
const SPELLED: ReadonlyMap<unknown, string> = new Map(
  Object.values(SPELLINGS).map(({ pattern, detail }) => [pattern, detail]),
);

type Errors = readonly ErrorObject[] | null | undefined;

/**
 * JSON Schema 2020-12 without coercion: a value is what it says it is. All that is wrong is found at once. The schemas
 * themselves were held against theirs when the contract was checked.
 */
export function schemaCompiler(): Ajv2020 {
  const ajv = addRecursion(addFormats(new Ajv2020({ allErrors: true, strict: false, validateSchema: false })));
  ajv.addKeyword({
    keyword: 'x-uncommon',
    type: 'string',
    schemaType: 'boolean',
    validate: (demanded: boolean, value: string) => !(demanded && isCommonPassword(value)),
  });
  // Ajv holds each item against all others unless their type says that they are simple: two seconds for 64 KiB.
  ajv.removeKeyword('uniqueItems').addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    error: { message: 'must NOT have duplicate items' },
    validate: (demanded: boolean, items: readonly unknown[]) => !demanded || areUnique(items),
  });
  return ajv;
}

const areUnique = (items: readonly unknown[]): boolean => new Set(items.map(inOrder)).size === items.length;

/** A value as JSON, which is the same for equal values: their members are in one order. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isPlain(part) ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1))) : part,
  );

/** What counts as evaluated is not told through a keyword of one's own, as `compileRecursive` uses. */
const asksWhatIsEvaluated = (schema: object) => /"unevaluated(?:Properties|Items)"/.test(JSON.stringify(schema));

function compile(ajv: Ajv2020, schema: Schema): (value: unknown) => Errors {
  if (schema.$defs !== undefined && !asksWhatIsEvaluated(schema)) return compileRecursive(ajv, schema);
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? undefined : validate.errors);
}

/** Compiles a schema at its first use, since a start would pay for those of all operations. */
export function lazily(ajv: Ajv2020, schema: () => Schema): (value: unknown) => Errors {
  let faults: ((value: unknown) => Errors) | undefined;
  return (value) => {
    faults ??= compile(ajv, schema());
    return faults(value);
  };
}

/** What is wrong with a body, or with the arguments of a field, by JSON pointer. */
export const bodyIssues = (errors: Errors): Issues =>
  issuesOf(telling(errors), (error) => ({ pointer: placeOf(error), detail: reasonOf(error) }));

/** What is wrong with parameters, by name. */
export const parameterIssues = (errors: Errors): Issues =>
  issuesOf(telling(errors), (error) => issueIn(placeOf(error), reasonOf(error)));

/** An issue by the name of its parameter; where that has parts, what is said begins with a pointer to the one that is wrong. */
export function issueIn(place: string, reason: string): Issue {
  const [, name = '', ...within] = place.split('/');
  const at = within.length === 0 ? '' : `/${within.join('/')} `;
  return { parameter: name.replaceAll('~1', '/').replaceAll('~0', '~'), detail: at + reason };
}

/** The failed alternatives say more than the sentence that none of them matched. */
function telling(errors: Errors): readonly ErrorObject[] {
  const found = errors ?? [];
  const telling = found.filter(({ keyword }) => keyword !== 'oneOf' && keyword !== 'anyOf');
  return telling.length > 0 ? telling : found;
}

/** A member that is missing or too many is part of the place. */
function placeOf({ keyword, params, instancePath }: ErrorObject): string {
  const name = {
    required: params['missingProperty'],
    additionalProperties: params['additionalProperty'],
    unevaluatedProperties: params['unevaluatedProperty'],
  }[keyword];
  return name === undefined ? instancePath : instancePath + pointerTo(name);
}

/** Never the value, which may be a secret. */
function reasonOf({ keyword, params, message = 'is not valid' }: ErrorObject): string {
  if (keyword === 'required') return 'is missing';
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return 'is not known here';
  if (keyword === 'enum') return `must be one of ${(params['allowedValues'] as unknown[]).join(', ')}`;
  if (keyword === 'x-uncommon') return 'is one of the commonest passwords';
  if (keyword !== 'pattern') return message;
  return SPELLED.get(params['pattern']) ?? 'has the wrong form';
}

import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import formats from 'ajv-formats';
import { codes } from 'currency-codes';
import { isCommonPassword } from '../accounts/passwords.js';
import { type Issue, type Issues, issuesOf } from '../calls/issues.js';
import { pointerTo } from '../calls/text.js';
import type { Schema } from '../contract/document.js';
import { isPlain } from '../contract/references.js';
import { withSubschemas } from '../contract/schemas.js';
import { detailOf } from './messages.js';

/** How the text of a parameter spells a value of a type, and the issue of one that does not. An integer has one spelling. */
export const SPELLINGS = {
  boolean: { pattern: '^(?:true|false)$', detail: 'must be true or false' },
  integer: { pattern: '^(?:0|-?[1-9][0-9]*)$', detail: 'must be an integer' },
  /** A path names a resource by an integer of 1 or more. */
  id: { pattern: '^[1-9][0-9]*$', detail: 'must be an integer of at least 1' },
  /** As in JSON (RFC 8259 §6). */
  number: { pattern: '^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$', detail: 'must be a number' },
} as const;
const SPELLED: ReadonlyMap<unknown, string> = new Map(
  Object.values(SPELLINGS).map(({ pattern, detail }) => [pattern, detail]),
);

type Errors = readonly ErrorObject[] | null | undefined;

/** The keyword that a reference to a recursive schema is compiled as. */
const RECURSION = 'x-again';
/** The value of an error in a recursive schema: Ajv replaces `data` by the value of the keyword. */
const VALUE = Symbol('value');
type OwnError = ErrorObject & { [VALUE]?: unknown };
/** Checks a value, as Ajv calls a keyword. */
type Check = ((value: unknown, place?: DataValidationCxt) => boolean) & { errors?: ErrorObject[] };

/**
 * Returns an Ajv for JSON Schema 2020-12 without coercion, which finds all errors at once. The schemas were validated when the contract
 * was checked.
 */
export function schemaCompiler(): Ajv2020 {
  const ajv = addFormats(new Ajv2020({ allErrors: true, strict: false, validateSchema: false, verbose: true }));
  ajv.addKeyword({ keyword: RECURSION, compile: (check: Check) => check, errors: true });
  ajv.addKeyword({
    keyword: 'x-uncommon',
    type: 'string',
    schemaType: 'boolean',
    validate: (demanded: boolean, value: string) => !(demanded && isCommonPassword(value)),
  });
  // Ajv compares each item with all others unless their type is simple: two seconds for 64 KiB.
  ajv.removeKeyword('uniqueItems').addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (demanded: boolean, items: readonly unknown[]) =>
      !demanded || new Set(items.map(sortedJson)).size === items.length,
  });
  return ajv;
}

/** Returns a value as JSON with sorted members: equal values have equal texts. */
const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isPlain(part) ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1))) : part,
  );

/** Returns true for a schema that asks what is evaluated: Ajv does not know that through a keyword such as RECURSION. */
const asksWhatIsEvaluated = (schema: object) => /"unevaluated(?:Properties|Items)"/.test(JSON.stringify(schema));

function compile(ajv: Ajv2020, schema: Schema): (value: unknown) => Errors {
  if (schema.$defs !== undefined && !asksWhatIsEvaluated(schema)) return compileRecursive(ajv, schema);
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? undefined : validate.errors);
}

/** Compiles a schema at its first use: a start would pay for those of all operations. */
export function lazily(ajv: Ajv2020, schema: () => Schema): (value: unknown) => Errors {
  let faults: ((value: unknown) => Errors) | undefined;
  return (value) => {
    faults ??= compile(ajv, schema());
    return faults(value);
  };
}

/**
 * Compiles a schema with `$defs` so that each part of a value is checked against each of them once. If two alternatives contain the
 * same schema, each level of a value would double the work otherwise, and the client chooses the number of levels.
 */
function compileRecursive(ajv: Ajv2020, { $defs = {}, ...schema }: Schema): (value: unknown) => Errors {
  /** The errors of the objects and arrays in the current value, by the name of the definition. */
  let known = new Map<string, Map<unknown, ErrorObject[]>>();

  const checkOf = (name: string, definition: Schema): Check => {
    let validate: ValidateFunction | undefined;
    const check: Check = (value, place) => {
      const ofDefinition = known.get(name) ?? new Map<unknown, ErrorObject[]>();
      known.set(name, ofDefinition);
      const remembered = ofDefinition.get(value);
      if (remembered === undefined) {
        validate ??= ajv.compile(replaced(definition));
        check.errors = validate(value, place) ? [] : (validate.errors ?? []);
        for (const error of check.errors as OwnError[]) if (!(VALUE in error)) error[VALUE] = error.data;
        // A repeated check returns one error, or else the errors themselves would double with each level.
        if (typeof value === 'object' && value !== null) ofDefinition.set(value, check.errors.slice(0, 1));
      } else check.errors = remembered;
      return check.errors.length === 0;
    };
    return check;
  };

  const checks = new Map(Object.entries($defs).map(([name, one]) => [`#/$defs/${name}`, checkOf(name, one as Schema)]));
  const replaced = (one: Schema): Schema => {
    const { $ref, ...beside } = withSubschemas(one, replaced);
    return $ref === undefined ? beside : { ...beside, [RECURSION]: checks.get($ref) };
  };
  const validate = ajv.compile(replaced(schema));
  return (value) => {
    known = new Map();
    return validate(value) ? undefined : validate.errors;
  };
}

/** Returns what is wrong with a body, or with the arguments of a field, by JSON pointer. */
export const bodyIssues = (errors: Errors): Issues =>
  issuesOf(mostSpecific(errors), (error) => ({ pointer: placeOf(error), detail: reasonOf(error) }));

/** Returns what is wrong with parameters, by name. */
export const parameterIssues = (errors: Errors): Issues =>
  issuesOf(mostSpecific(errors), (error) => issueIn(placeOf(error), isRepeated(error) ? REPEATED : reasonOf(error)));

export const REPEATED = 'is given more than once. Give it once.';
/** Node and Fastify return an array for a parameter that is given several times. */
const isRepeated = ({ keyword, data, instancePath }: ErrorObject): boolean =>
  keyword === 'type' && Array.isArray(data) && instancePath.lastIndexOf('/') === 0;

/** Returns an issue by the name of its parameter. For a part of a parameter, the detail begins with the pointer to the part. */
export function issueIn(place: string, reason: string): Issue {
  const [, name = '', ...within] = place.split('/');
  const at = within.length === 0 ? '' : `/${within.join('/')} `;
  return { parameter: name.replaceAll('~1', '/').replaceAll('~0', '~'), detail: at + reason };
}

/** Leaves out errors that say less than others: of alternatives, and of a pattern at a place with another error. */
function mostSpecific(errors: Errors): readonly ErrorObject[] {
  const found = errors ?? [];
  const others = found.filter(({ keyword }) => keyword !== 'oneOf' && keyword !== 'anyOf');
  if (others.length === 0) return found;
  const places = new Set(others.flatMap(({ keyword, instancePath }) => (keyword === 'pattern' ? [] : instancePath)));
  return others.filter(({ keyword, instancePath }) => keyword !== 'pattern' || !places.has(instancePath));
}

/** Returns the place of an error, including the name of a member that is missing or unknown. */
function placeOf({ params, instancePath }: ErrorObject): string {
  const name = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  return name === undefined ? instancePath : instancePath + pointerTo(name);
}

const reasonOf = (error: OwnError): string =>
  SPELLED.get(error.params['pattern']) ?? detailOf(VALUE in error ? { ...error, data: error[VALUE] } : error);

/** The codes of currencies in use (ISO 4217). */
const currencies: ReadonlySet<string> = new Set(codes());

/** Makes a validator know the formats that the contracts use: those of JSON Schema, and `iso-4217`. */
export function addFormats(ajv: Ajv2020): Ajv2020 {
  formats.default(ajv);
  return ajv.addFormat('iso-4217', (code) => currencies.has(code));
}

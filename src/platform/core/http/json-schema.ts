import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import formats from 'ajv-formats';
import { codes } from 'currency-codes';
import { type Issue, type Issues, issuesOf, pointerTo } from '../calls/errors.js';
import { isPlain, type Schema } from '../contract/document.js';
import { withSubschemas } from '../contract/schemas.js';
import { isCommonPassword } from './common-passwords.js';
import { detailOf } from './messages.js';

/** The text form of each type of parameter, and the detail of another text. An integer has one form. */
export const SPELLINGS = {
  boolean: { pattern: '^(?:true|false)$', detail: 'must be true or false' },
  integer: { pattern: '^(?:0|-?[1-9][0-9]*)$', detail: 'must be an integer' },
  id: { pattern: '^[1-9][0-9]*$', detail: 'must be an integer of at least 1' },
  /** As in JSON (RFC 8259 §6). */
  number: { pattern: '^-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$', detail: 'must be a number' },
} as const;
const SPELLED: ReadonlyMap<unknown, string> = new Map(
  Object.values(SPELLINGS).map(({ pattern, detail }) => [pattern, detail]),
);

type Errors = readonly ErrorObject[] | null | undefined;

const RECURSION = 'x-again';
/** The value of an error in a recursive schema: Ajv replaces `data` by the value of the keyword. */
const VALUE = Symbol('value');
type OwnError = ErrorObject & { [VALUE]?: unknown };
type Check = ((value: unknown, place?: DataValidationCxt) => boolean) & { errors?: ErrorObject[] };

/**
 * Returns an Ajv for JSON Schema 2020-12 that finds all errors and does not coerce. Schemas were validated with the
 * contract.
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
  // Ajv compares all pairs of items: two seconds for 64 KiB.
  ajv.removeKeyword('uniqueItems').addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: (demanded: boolean, items: readonly unknown[]) =>
      !demanded || new Set(items.map(sortedJson)).size === items.length,
  });
  return ajv;
}

/** Returns JSON with sorted members, so that equal values have equal texts. */
export const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isPlain(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );

function compile(ajv: Ajv2020, schema: Schema): (value: unknown) => Errors {
  // Ajv does not know what a custom keyword evaluates.
  if (schema.$defs !== undefined && !/"unevaluated(?:Properties|Items)"/.test(JSON.stringify(schema)))
    return compileRecursive(ajv, schema);
  const validate = ajv.compile(schema);
  return (value) => (validate(value) ? undefined : validate.errors);
}

/** Compiles a schema at its first use, because compiling all would delay the start. */
export function lazyValidator(ajv: Ajv2020, schema: () => Schema): (value: unknown) => Errors {
  let faults: ((value: unknown) => Errors) | undefined;
  return (value) => {
    faults ??= compile(ajv, schema());
    return faults(value);
  };
}

/**
 * Compiles a recursive schema so that each part of a value is checked once for each definition. Otherwise alternatives
 * with the same schema double the work at each level, and the client chooses the levels.
 */
function compileRecursive(ajv: Ajv2020, { $defs = {}, ...schema }: Schema): (value: unknown) => Errors {
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
        // Repeated errors would double at each level.
        if (typeof value === 'object' && value !== null) ofDefinition.set(value, check.errors.slice(0, 1));
      } else check.errors = remembered;
      return check.errors.length === 0;
    };
    return check;
  };

  const checks = new Map(Object.entries($defs).map(([name, def]) => [`#/$defs/${name}`, checkOf(name, def as Schema)]));
  const replaced = (subschema: Schema): Schema => {
    const { $ref, ...beside } = withSubschemas(subschema, replaced);
    return $ref === undefined ? beside : { ...beside, [RECURSION]: checks.get($ref) };
  };
  const validate = ajv.compile(replaced(schema));
  return (value) => {
    known = new Map();
    return validate(value) ? undefined : validate.errors;
  };
}

export const bodyIssues = (errors: Errors): Issues =>
  issuesOf(mostSpecific(errors), (error) => ({ pointer: placeOf(error), detail: reasonOf(error) }));

export const parameterIssues = (errors: Errors): Issues =>
  issuesOf(mostSpecific(errors), (error) => issueIn(placeOf(error), isRepeated(error) ? REPEATED : reasonOf(error)));

export const REPEATED = 'is given more than once. Give it once.';
/** Fastify passes an array for a repeated parameter. */
const isRepeated = ({ keyword, data, instancePath }: ErrorObject): boolean =>
  keyword === 'type' && Array.isArray(data) && instancePath.lastIndexOf('/') === 0;

/** Returns an issue by parameter name. The detail of a part begins with its pointer. */
export function issueIn(place: string, reason: string): Issue {
  const [, name = '', ...within] = place.split('/');
  const at = within.length === 0 ? '' : `/${within.join('/')} `;
  return { parameter: name.replaceAll('~1', '/').replaceAll('~0', '~'), detail: at + reason };
}

/** Drops errors of alternatives, and pattern errors at a place with another error. */
function mostSpecific(errors: Errors): readonly ErrorObject[] {
  const found = errors ?? [];
  const others = found.filter(({ keyword }) => keyword !== 'oneOf' && keyword !== 'anyOf');
  if (others.length === 0) return found;
  const places = new Set(others.flatMap(({ keyword, instancePath }) => (keyword === 'pattern' ? [] : instancePath)));
  return others.filter(({ keyword, instancePath }) => keyword !== 'pattern' || !places.has(instancePath));
}

function placeOf({ params, instancePath }: ErrorObject): string {
  const name = params['missingProperty'] ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  return name === undefined ? instancePath : instancePath + pointerTo(name);
}

const reasonOf = (error: OwnError): string =>
  SPELLED.get(error.params['pattern']) ??
  detailOf(VALUE in error ? Object.assign({}, error, { data: error[VALUE] }) : error);

const currencies: ReadonlySet<string> = new Set(codes());

export function addFormats(ajv: Ajv2020): Ajv2020 {
  formats.default(ajv);
  return ajv.addFormat('iso-4217', (code) => currencies.has(code));
}

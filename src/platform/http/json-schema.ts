import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { isCommonPassword } from '../accounts/common-passwords.js';
import { type Issues, issuesOf } from '../calls/issues.js';
import { pointerTo } from '../calls/text.js';
import type { Schema } from '../contract/document.js';
import { addFormats } from '../contract/formats.js';
import { addRecursion, compileRecursive } from './recursive-schema.js';

/** One spelling of an integer in a path or a query; a path names a resource, so there it is 1 or more. */
export const INTEGER = '^(?:0|-?[1-9][0-9]*)$';
export const PATH_INTEGER = '^[1-9][0-9]*$';

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
  return ajv;
}

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
  issuesOf(telling(errors), (error) => ({ parameter: placeOf(error).slice(1), detail: reasonOf(error) }));

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
  return params['pattern'] === INTEGER || params['pattern'] === PATH_INTEGER
    ? 'must be an integer'
    : 'has the wrong form';
}

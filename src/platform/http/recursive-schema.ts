import type { Ajv2020, ErrorObject, ValidateFunction } from 'ajv/dist/2020.js';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import type { Schema } from '../contract/document.js';
import { withSubschemas } from '../contract/subschemas.js';

/** The keyword that a reference to a schema which holds itself is compiled as. */
const AGAIN = 'x-again';

type Faults = ErrorObject[] | undefined;
/** Whether a schema takes a value, as Ajv asks a keyword. */
type Check = ((value: unknown, place?: DataValidationCxt) => boolean) & { errors?: ErrorObject[] };

/** Has a validator know how schemas that hold themselves are compiled. */
export const addRecursion = (ajv: Ajv2020): Ajv2020 =>
  ajv.addKeyword({ keyword: AGAIN, compile: (check: Check) => check, errors: true });

/**
 * Compiles a schema with `$defs` so that no part of a value is held against one of these more than once. Where two alternatives
 * hold the same schema, each level of a value would double the work otherwise, and how many levels there are the client says.
 * @returns what is wrong with a value
 */
export function compileRecursive(ajv: Ajv2020, { $defs = {}, ...schema }: Schema): (value: unknown) => Faults {
  /** What is known of the value that is looked at: of its objects and arrays, by the name of the definition. */
  let known = new Map<string, Map<unknown, Faults>>();

  const checkOf = (name: string, definition: Schema): Check => {
    let validate: ValidateFunction | undefined;
    const faultsOf = (value: unknown, place: DataValidationCxt | undefined): Faults => {
      validate ??= ajv.compile(again(definition));
      return validate(value, place) ? undefined : (validate.errors ?? []);
    };
    const check: Check = (value, place) => {
      const of = known.get(name) ?? new Map<unknown, Faults>();
      known.set(name, of);
      const isPart = typeof value === 'object' && value !== null;
      if (!isPart || !of.has(value)) {
        const faults = faultsOf(value, place);
        // All of them are told once; again only that there are some, or else they would double with each level themselves.
        if (isPart) of.set(value, faults?.slice(0, 1));
        check.errors = faults ?? [];
        return faults === undefined;
      }
      const [first] = of.get(value) ?? [];
      check.errors = first ? [first] : [];
      return first === undefined;
    };
    return check;
  };

  const checks = new Map(Object.entries($defs).map(([name, one]) => [`#/$defs/${name}`, checkOf(name, one as Schema)]));
  const again = (one: Schema): Schema => {
    const { $ref, ...beside } = withSubschemas(one, again);
    return $ref === undefined ? beside : { ...beside, [AGAIN]: checks.get($ref) };
  };
  const validate = ajv.compile(again(schema));
  return (value) => {
    known = new Map();
    return validate(value) ? undefined : (validate.errors ?? []);
  };
}

import { addFormats } from '@accord-api/platform/contract/formats';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { type DocumentNode, type InputValueDefinitionNode, valueFromASTUntyped, visit } from 'graphql';
import { constraintOf } from '../model/sdl.js';
import type { Path } from '../model/yaml-source.js';
import { expressionOf } from './patterns.js';
import type { Rest, RestFlaw, RestRule, SdlFlaw, SdlRule } from './rule.js';

const DOCUMENT = 'openapi';

const pointerOf = (path: Path) =>
  path.map((key) => `/${encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');

const keysOf = ({ instancePath }: ErrorObject): Path => instancePath.split('/').slice(1);

/** The values that stand for others and are checked by nobody else: of headers the examples, of schemas the default. */
function valuesOf({ elements }: Rest): { at: Path; value: unknown; schema: Path; what: string }[] {
  return elements.flatMap(({ kind, path, object }) => {
    if (kind === 'schema' && object.default !== undefined) {
      return [{ at: [...path, 'default'], value: object.default, schema: path, what: 'default' }];
    }
    if (kind !== 'header' || object.schema === undefined) return [];
    const schema = [...path, 'schema'];
    const examples = Object.entries<{ value?: unknown }>(object.examples ?? {}).map(([name, { value }]) => ({
      at: [...path, 'examples', name, 'value'],
      value,
    }));
    const all = [{ at: [...path, 'example'], value: object.example }, ...examples];
    return all.filter(({ value }) => value !== undefined).map((one) => ({ ...one, schema, what: 'example' }));
  });
}

/** What a pattern that is none refuses is told of the pattern. */
const regExp = Object.assign((pattern: string) => expressionOf(pattern) ?? /(?:)/u, { code: 'expressionOf' });

function refusedByJsonSchema(rest: Rest): RestFlaw[] {
  const ajv = addFormats(new Ajv2020({ allErrors: true, strict: false, code: { regExp } }));
  ajv.addSchema(rest.source, DOCUMENT, undefined, false);
  return valuesOf(rest).flatMap(({ at, value, schema, what }) => {
    const validate = ajv.compile({ $ref: `${DOCUMENT}#${pointerOf(schema)}` });
    validate(value);
    return (validate.errors ?? []).map((error) => ({
      path: [...at, ...keysOf(error)],
      message: `Its own schema refuses this ${what}: it ${error.message}.`,
    }));
  });
}

/** Why `@constraint` refuses a value, or undefined. */
function refusal(value: unknown, constraint: Record<string, unknown>): string | undefined {
  const { min, max, minLength, maxLength, pattern } = constraint as Record<string, number> & { pattern?: string };
  const size = typeof value === 'string' ? [...value].length : undefined;
  const broken = [
    typeof value === 'number' && min !== undefined && value < min && `is less than ${min}`,
    typeof value === 'number' && max !== undefined && value > max && `is more than ${max}`,
    size !== undefined && minLength !== undefined && size < minLength && `is shorter than ${minLength}`,
    size !== undefined && maxLength !== undefined && size > maxLength && `is longer than ${maxLength}`,
    size !== undefined &&
      pattern !== undefined &&
      expressionOf(pattern)?.test(String(value)) === false &&
      'does not match',
  ];
  return broken.find((one): one is string => typeof one === 'string');
}

function refusedByConstraint(document: DocumentNode): SdlFlaw[] {
  const flaws: SdlFlaw[] = [];
  const look = ({ name, defaultValue, directives }: InputValueDefinitionNode): void => {
    if (defaultValue === undefined) return;
    const why = refusal(valueFromASTUntyped(defaultValue), constraintOf(directives));
    if (why === undefined) return;
    flaws.push({
      node: defaultValue,
      message: `Its own @constraint refuses the default of \`${name.value}\`: it ${why}.`,
    });
  };
  visit(document, { InputValueDefinition: look });
  return flaws;
}

const REFUSED = {
  name: 'example-refused',
  why: "Examples are copied, and defaults are sent, so a schema must take its own. (Headers' examples and all defaults; Redocly's no-invalid-*-examples hold the others.)",
};

export const REST_EXAMPLE_RULES: RestRule[] = [{ ...REFUSED, check: refusedByJsonSchema }];
export const SDL_EXAMPLE_RULES: SdlRule[] = [{ ...REFUSED, check: refusedByConstraint }];

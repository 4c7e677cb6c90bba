import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyRequest } from 'fastify';
import { type Issue, type Issues, limitIssues, NO_ISSUES, pointerTo, unstorableText } from '../calls/errors.js';
import type { Location, Parameter, Schema } from '../contract/document.js';
import type { RestOperation } from '../contract/openapi.js';
import { type ParameterForm, parameterForm, type Scalar, scalarsIn, schemaOf } from '../contract/parameter-form.js';
import { mergeSchema, structureOf } from '../contract/schemas.js';
import { issueIn, lazyValidator, parameterIssues, REPEATED, SPELLINGS } from '../http/json-schema.js';
import { strictJsonIssues, syntaxError } from '../http/strict-json.js';

type Values = Record<string, unknown>;
type ListForm = Extract<ParameterForm, { kind: 'list' }>;

export type ParameterSource = Pick<FastifyRequest, 'url' | 'params' | 'query' | 'headers' | 'cookies'>;

/** Reads the parameters of one location. Adds mistakes to `wrong`. */
type PlaceReader = (request: ParameterSource, wrong: Issues[]) => Values;

/** The texts of a request in each location. */
export const TEXTS: Record<Location, (request: ParameterSource) => Values> = {
  path: ({ params }) => params as Values,
  query: ({ query }) => query as Values,
  header: ({ headers }) => headers,
  cookie: ({ cookies }) => cookies,
};

export const nameOf = ({ in: place, name }: Parameter) => (place === 'header' ? name.toLowerCase() : name);

/** Returns true for a cookie with any text. The session service checks its content. */
const isTextCookie = (parameter: Parameter): boolean => {
  const form = parameterForm(parameter);
  return parameter.in === 'cookie' && form.kind === 'scalar' && form.types.includes('string');
};

/** Returns the parameters that are read. The version selection consumes the query parameter `version`. */
export const parametersIn = ({ operation }: RestOperation, place: Location): Parameter[] =>
  operation.parameters.filter(
    (given) => given.in === place && !(place === 'query' && given.name === 'version') && !isTextCookie(given),
  );

const formed = (parameter: Parameter) => ({ parameter, name: nameOf(parameter), form: parameterForm(parameter) });
const formsIn = (operation: RestOperation, place: Location) => parametersIn(operation, place).map(formed);

/**
 * Returns the schema of a text that can be read as one of some types. The format of a path parameter is part of its
 * structure.
 */
function schemaOfText(types: readonly Scalar[], place: Location, { format }: Schema = {}): Schema {
  if (types.includes('string')) return { type: 'string', ...(place === 'path' && format !== undefined && { format }) };
  const spellings = place === 'path' ? { ...SPELLINGS, integer: SPELLINGS.id } : SPELLINGS;
  const patterns = types.map((type) => ({ pattern: spellings[type as Exclude<Scalar, 'string'>].pattern }));
  return patterns.length === 1 ? { type: 'string', ...patterns[0] } : { type: 'string', anyOf: patterns };
}

/** Returns the schema for the structure (400) of a parameter, before its texts are read. */
function structureFor(parameter: Parameter, form: ParameterForm): Schema {
  const schema = schemaOf(parameter);
  if (form.kind === 'json') return structureOf(schema);
  if (form.kind === 'scalar') return schemaOfText(form.types, parameter.in, mergeSchema(schema));
  return form.kind === 'list' ? { type: 'array', items: schemaOfText(form.items, 'query') } : {};
}

const isNumeral = new RegExp(SPELLINGS.number.pattern);
const isIntegral = new RegExp(SPELLINGS.integer.pattern);

function scalarReader(types: readonly Scalar[]): ((text: unknown) => unknown) | undefined {
  const [type, ...others] = types;
  if (others.length === 0) {
    if (type === 'string') return undefined;
    return type === 'boolean' ? (text) => text === 'true' : Number;
  }
  const numeral = types.includes('number') ? isNumeral : types.includes('integer') ? isIntegral : undefined;
  return (text) => {
    if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
    return numeral?.test(String(text)) ? Number(text) : text;
  };
}

function readerOf(form: ParameterForm): ((value: unknown) => unknown) | undefined {
  const read = scalarReader(scalarsIn(form));
  if (form.kind === 'scalar') return read;
  return form.kind === 'list' && read ? (texts) => (texts as string[]).map(read) : undefined;
}

function decodedInQuery(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
}

/** Returns the text of a query parameter with its escapes, which distinguish a comma in an item from a separator. */
function sentInQuery(url: string, name: string): string {
  const pairs = url.slice(url.indexOf('?') + 1).split('&');
  const found = pairs.find((pair) => decodedInQuery(pair.split('=', 1)[0] as string) === name) ?? '';
  return found.slice(found.indexOf('=') + 1);
}

type Layer = (values: Values, request: ParameterSource, wrong: Issues[]) => void;

const report = (wrong: Issues[], ...issues: Issue[]) => void wrong.push({ issues, omitted: 0 });

function listLayer(key: string, { isExploded, isExact }: ListForm, isQuery: boolean): Layer {
  if (isExploded)
    return (values) => {
      if (typeof values[key] === 'string') values[key] = [values[key]];
    };
  return (values, { url }, wrong) => {
    const text = values[key];
    if (text === undefined) return;
    if (typeof text !== 'string') report(wrong, { parameter: key, detail: REPEATED });
    else if (text === '') values[key] = [];
    else values[key] = isQuery && isExact ? sentInQuery(url, key).split(',').map(decodedInQuery) : text.split(',');
  };
}

const jsonLayer =
  (key: string): Layer =>
  (values, _, wrong) => {
    const text = values[key];
    if (text === undefined) return;
    delete values[key];
    if (typeof text !== 'string') return report(wrong, { parameter: key, detail: REPEATED });
    try {
      values[key] = JSON.parse(text);
    } catch {
      return report(wrong, { parameter: key, detail: `is not valid JSON. At ${syntaxError(text)}.` });
    }
    const { issues, omitted } = strictJsonIssues(text);
    const faults = issues.map(({ pointer = '', detail }) => issueIn(pointerTo(key) + pointer, detail));
    if (faults.length > 0) wrong.push({ issues: faults, omitted });
  };

/**
 * Returns the reader of one location. Only lists and JSON need layers.
 * @param ajv undefined if the structure was checked before
 */
export function placeReader(ajv: Ajv2020 | undefined, operation: RestOperation, place: Location): PlaceReader {
  const textsIn = TEXTS[place];
  const forms = formsIn(operation, place);
  // Only a query must not contain other names.
  if (forms.length === 0 && place !== 'query') return () => ({});
  const layers = forms.flatMap(({ name, form }) => {
    if (form.kind === 'list') return listLayer(name, form, place === 'query');
    return form.kind === 'json' ? jsonLayer(name) : [];
  });
  const structure = () => ({
    type: 'object',
    properties: Object.fromEntries(forms.map(({ parameter, name, form }) => [name, structureFor(parameter, form)])),
    required: forms.flatMap(({ parameter, name }) => (parameter.required ? name : [])),
    ...(place === 'query' && { additionalProperties: false }),
  });
  const faults = ajv === undefined ? () => undefined : lazyValidator(ajv, structure);
  const wanted = forms.map(({ name, form }) => ({ name, read: readerOf(form) }));
  function read(values: Values, wrong: Issues[]): Values {
    const found: Values = {};
    const errors = faults(values);
    if (errors) {
      wrong.push(parameterIssues(errors));
      return found;
    }
    for (const { name, read } of wanted) {
      const value = values[name];
      if (value !== undefined) found[name] = read === undefined ? value : read(value);
    }
    return found;
  }
  if (layers.length === 0) return (request, wrong) => read(textsIn(request), wrong);
  return (request, wrong) => {
    const values = { ...textsIn(request) };
    const before = wrong.length;
    for (const layer of layers) layer(values, request, wrong);
    // A layer removes values that it cannot read; they are not missing.
    return wrong.length > before ? {} : read(values, wrong);
  };
}

export function parametersValidator(
  ajv: Ajv2020,
  operation: RestOperation,
): Record<Location, (read: Values) => Issues | undefined> {
  const ofPlace = (place: Location) => {
    const checked = formsIn(operation, place).filter((form) => place !== 'path' || !isId(form));
    if (checked.length === 0) return () => undefined;
    const members = checked.map(({ parameter, name }) => [name, schemaOf(parameter)]);
    const faults = lazyValidator(ajv, () => ({ type: 'object', properties: Object.fromEntries(members) }));
    const hasText = checked.some(({ form }) => mayBeUnstorable(form, place));
    const whole = checked.flatMap(({ name, form }) => (scalarsIn(form).includes('integer') ? name : []));
    return (read: Values) => {
      const errors = faults(read);
      const tooLarge = errors ? [] : whole.filter((name) => isInexact(read[name]));
      // A request may have cookies that are not declared.
      const texts = place === 'cookie' ? Object.fromEntries(checked.map(({ name }) => [name, read[name]])) : read;
      const { issues, omitted } = hasText ? unstorableText(texts) : NO_ISSUES;
      if (!errors && tooLarge.length === 0 && issues.length === 0) return undefined;
      const inexact = tooLarge.map((parameter) => ({ parameter, detail: OUT_OF_RANGE }));
      const unstorable = issues.map(({ pointer = '', detail }) => issueIn(pointer, detail));
      return limitIssues(parameterIssues(errors), { issues: [...inexact, ...unstorable], omitted });
    };
  };
  return { path: ofPlace('path'), query: ofPlace('query'), header: ofPlace('header'), cookie: ofPlace('cookie') };
}

/** Headers cannot contain such text (RFC 9110 §5.5), except in escapes of JSON. */
const mayBeUnstorable = (form: ParameterForm, place: Location): boolean =>
  form.kind === 'json' || (place !== 'header' && scalarsIn(form).includes('string'));

const OUT_OF_RANGE = `must be within ±${Number.MAX_SAFE_INTEGER}`;

const isInexact = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(isInexact) : typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;

/** Returns true for an id in a path. The structure contains its minimum; an id that is too large is 404. */
function isId({ parameter, form }: { parameter: Parameter; form: ParameterForm }): boolean {
  const isInteger = form.kind === 'scalar' && form.types.join() === 'integer';
  const { enum: values, const: value } = mergeSchema(schemaOf(parameter));
  return isInteger && values === undefined && value === undefined;
}

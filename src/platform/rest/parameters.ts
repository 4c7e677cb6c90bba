import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyRequest } from 'fastify';
import { bounded, type Issue, type Issues, NO_ISSUES } from '../calls/issues.js';
import { pointerTo, unstorableText } from '../calls/text.js';
import type { Location, Parameter, Schema } from '../contract/document.js';
import { laidOpen } from '../contract/laid-open.js';
import type { Operation } from '../contract/openapi.js';
import { type ParameterForm, parameterForm, type Scalar, scalarsIn, schemaOf } from '../contract/parameter-form.js';
import { structureOf } from '../contract/structure.js';
import { issueIn, lazily, parameterIssues, SPELLINGS } from '../http/json-schema.js';
import { hiddenFaults } from '../http/json-text.js';
import { pathOf } from '../http/path.js';

type Values = Record<string, unknown>;

/** What texts are in a request. */
export type Sent = Pick<FastifyRequest, 'url' | 'params' | 'query' | 'headers' | 'cookies'>;

/** What a request says in a place, with what of it cannot be read added to `wrong`. */
export type PlaceReader = (request: Sent, wrong: Issues[]) => Values;

/** Where the texts of a place are. */
const GIVEN: Record<Location, (request: Sent) => Values> = {
  path: ({ params }) => params as Values,
  query: ({ query }) => query as Values,
  header: ({ headers }) => headers,
  cookie: ({ cookies }) => cookies,
};

/** The name by which a handler gets a parameter. */
export const nameOf = ({ in: place, name }: Parameter) => (place === 'header' ? name.toLowerCase() : name);

/** Of a cookie that is one text nothing is asked here: those of a session are decided by what they hold. */
const isPlainCookie = (parameter: Parameter): boolean => {
  const form = parameterForm(parameter);
  return parameter.in === 'cookie' && form.kind === 'scalar' && form.types.includes('string');
};

/** The parameters of a place that are read. `version` is consumed where the version is selected, before anything is validated. */
export const parametersIn = ({ operation }: Operation, place: Location): Parameter[] =>
  operation.parameters.filter(
    (one) => one.in === place && !(place === 'query' && one.name === 'version') && !isPlainCookie(one),
  );

/** What a text must look like to be read as one of some types. An id in a path that is of another form can be no id. */
function spelled(types: readonly Scalar[], place: Location, { format }: Schema = {}): Schema {
  if (types.includes('string')) return { type: 'string', ...(place === 'path' && format !== undefined && { format }) };
  const spellings = place === 'path' ? { ...SPELLINGS, integer: SPELLINGS.id } : SPELLINGS;
  const patterns = types.map((type) => spellings[type as Exclude<Scalar, 'string'>].pattern);
  const [pattern, ...others] = patterns;
  if (others.length === 0) return { type: 'string', pattern };
  return { type: 'string', anyOf: patterns.map((one) => ({ pattern: one })) };
}

/** What the texts of a parameter must look like, once they are laid out: that decides structure, and with it 400. */
function structureFor(parameter: Parameter, form: ParameterForm): Schema {
  const { in: place } = parameter;
  const schema = schemaOf(parameter);
  if (form.kind === 'json') return structureOf(schema);
  if (form.kind === 'scalar') return spelled(form.types, place, laidOpen(schema));
  // An id is one thing; of the items of a list the contract says how small they may be.
  if (form.kind === 'list') return { type: 'array', items: spelled(form.items, 'query') };
  if (form.kind === 'unread') return {};
  const members = Object.entries(form.members).map(([name, types]) => [name, spelled(types, place)]);
  const { required = [] } = laidOpen(schema);
  const properties = Object.fromEntries(members);
  return { type: 'object', properties, required, additionalProperties: spelled(form.others, place) };
}

const isNumeral = new RegExp(SPELLINGS.number.pattern);
const isIntegral = new RegExp(SPELLINGS.integer.pattern);

/** How a text is read that can be read as one of these types; undefined where it stays a text. */
function scalarReader(types: readonly Scalar[]): ((text: string) => unknown) | undefined {
  const [type, ...others] = types;
  if (others.length === 0) {
    if (type === 'string') return undefined;
    return type === 'boolean' ? (text) => text === 'true' : Number;
  }
  const numeral = types.includes('number') ? isNumeral : types.includes('integer') ? isIntegral : undefined;
  return (text) => {
    if (types.includes('boolean') && (text === 'true' || text === 'false')) return text === 'true';
    return numeral?.test(text) ? Number(text) : text;
  };
}

type Reader = (laidOut: unknown) => unknown;

function readerOf(form: ParameterForm): Reader | undefined {
  if (form.kind === 'scalar') return scalarReader(form.types) as Reader | undefined;
  if (form.kind === 'list') {
    const item = scalarReader(form.items);
    return item && ((texts) => (texts as string[]).map(item));
  }
  if (form.kind !== 'deepObject') return undefined;
  const members = new Map(Object.entries(form.members).map(([name, types]) => [name, scalarReader(types)]));
  const other = scalarReader(form.others);
  return (texts) =>
    Object.fromEntries(
      Object.entries(texts as Record<string, string>).map(([name, text]) => {
        const read = members.has(name) ? members.get(name) : other;
        return [name, read ? read(text) : text];
      }),
    );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // As the whole query is read: what is no escape is text.
    return text;
  }
}

const decodedInQuery = (text: string): string => decoded(text.replaceAll('+', ' '));

/** The text of a parameter as it was sent. @param fromEnd segments of the path, since it may lack a prefix of its template */
function sentText({ url }: Sent, place: Location, name: string, fromEnd: number): string {
  if (place === 'path') return pathOf(url).split('/').at(fromEnd) ?? '';
  const pairs = url.slice(url.indexOf('?') + 1).split('&');
  const found = pairs.find((pair) => decodedInQuery(pair.split('=', 1)[0] as string) === name) ?? '';
  return found.slice(found.indexOf('=') + 1);
}

/** Puts what one parameter is written as into one value, in place of its texts. */
type Layer = (values: Values, request: Sent, wrong: Issues[]) => void;

const tell = (wrong: Issues[], ...issues: Issue[]) => void wrong.push({ issues, omitted: 0 });

function listLayer(
  { in: place, name }: Parameter,
  key: string,
  { separator, isExact }: Extract<ParameterForm, { kind: 'list' }>,
  path: string,
): Layer {
  if (separator === undefined)
    return (values) => {
      if (typeof values[key] === 'string') values[key] = [values[key]];
    };
  const segments = path.split('/');
  const fromEnd = segments.indexOf(`{${name}}`) - segments.length;
  const isSent = isExact && (place === 'query' || (place === 'path' && segments.includes(`{${name}}`)));
  const decode = place === 'query' ? decodedInQuery : decoded;
  return (values, request, wrong) => {
    const text = values[key];
    if (text === undefined) return;
    if (typeof text !== 'string') {
      delete values[key];
      tell(wrong, { parameter: key, detail: 'is given more than once' });
    } else if (text === '') values[key] = [];
    else if (isSent) values[key] = sentText(request, place, name, fromEnd).split(separator).map(decode);
    else {
      const items = text.split(separator);
      // RFC 9110, 5.6.1.
      values[key] = place === 'header' ? items.map((item) => item.trim()).filter((item) => item !== '') : items;
    }
  };
}

function deepObjectLayer(name: string): Layer {
  const start = `${name}[`;
  return (values) => {
    const keys = Object.keys(values).filter((key) => key.startsWith(start) && key.endsWith(']'));
    if (keys.length === 0 || values[name] !== undefined) return;
    values[name] = Object.fromEntries(keys.map((key) => [key.slice(start.length, -1), values[key]]));
    for (const key of keys) delete values[key];
  };
}

const jsonLayer =
  (key: string): Layer =>
  (values, _, wrong) => {
    const text = values[key];
    if (text === undefined) return;
    delete values[key];
    if (typeof text !== 'string') return tell(wrong, { parameter: key, detail: 'is given more than once' });
    try {
      values[key] = JSON.parse(text);
    } catch {
      return tell(wrong, { parameter: key, detail: 'is not valid JSON' });
    }
    const { issues, omitted } = hiddenFaults(text);
    const faults = issues.map(({ pointer = '', detail }) => issueIn(pointerTo(key) + pointer, detail));
    if (faults.length > 0) wrong.push({ issues: faults, omitted });
  };

function layerOf(parameter: Parameter, form: ParameterForm, path: string): Layer | undefined {
  const key = nameOf(parameter);
  if (form.kind === 'list') return listLayer(parameter, key, form, path);
  if (form.kind === 'deepObject') return deepObjectLayer(key);
  return form.kind === 'json' ? jsonLayer(key) : undefined;
}

/**
 * @returns reads what an operation takes in a place, by the types that the contract declares; all of it is worked out here, and
 * what is one text, or nothing, costs nothing of what lists and objects do
 * @param ajv undefined for requests that were read before: they are not held to the contract again
 */
export function placeReader(ajv: Ajv2020 | undefined, operation: Operation, place: Location): PlaceReader {
  const given = GIVEN[place];
  const parameters = parametersIn(operation, place);
  // In a query nothing else may be; anywhere else something may, and is not read.
  if (parameters.length === 0 && place !== 'query') return () => ({});
  const forms = parameters.map((one) => [one, parameterForm(one)] as const);
  const layers = forms.flatMap(([one, form]) => layerOf(one, form, operation.path) ?? []);
  const structure = () => ({
    type: 'object',
    properties: Object.fromEntries(forms.map(([one, form]) => [nameOf(one), structureFor(one, form)])),
    required: parameters.filter(({ required }) => required).map(nameOf),
    ...(place === 'query' && { additionalProperties: false }),
  });
  const faults = ajv === undefined ? () => undefined : lazily(ajv, structure);
  const wanted = forms.map(([one, form]) => ({ name: nameOf(one), read: readerOf(form) }));
  function passed(values: Values, wrong: Issues[]): Values {
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
  if (layers.length === 0) return (request, wrong) => passed(given(request), wrong);
  return (request, wrong) => {
    const values = { ...given(request) };
    const known = wrong.length;
    for (const layer of layers) layer(values, request, wrong);
    // What a layer has taken out is not missing.
    return wrong.length > known ? {} : passed(values, wrong);
  };
}

/** @returns what is wrong with the content of parameters that were read, by their whole schemas (422) */
export function parametersValidator(
  ajv: Ajv2020,
  operation: Operation,
): Record<Location, (read: Values) => Issues | undefined> {
  const ofPlace = (place: Location) => {
    const checked = parametersIn(operation, place).filter((one) => place !== 'path' || !isId(one));
    if (checked.length === 0) return () => undefined;
    const members = checked.map((one) => [nameOf(one), schemaOf(one)]);
    const faults = lazily(ajv, () => ({ type: 'object', properties: Object.fromEntries(members) }));
    const hasText = checked.some((one) => mayBeUnstorable(parameterForm(one), place));
    const whole = checked.filter((one) => scalarsIn(parameterForm(one)).includes('integer')).map(nameOf);
    return (read: Values) => {
      const errors = faults(read);
      const tooLarge = errors ? [] : whole.filter((name) => isInexact(read[name]));
      const { issues, omitted } = hasText ? unstorableText(place === 'cookie' ? only(checked, read) : read) : NO_ISSUES;
      if (!errors && tooLarge.length === 0 && issues.length === 0) return undefined;
      const inexact = tooLarge.map((parameter) => ({ parameter, detail: BEYOND }));
      const unstorable = issues.map(({ pointer = '', detail }) => issueIn(pointer, detail));
      return bounded(parameterIssues(errors), { issues: [...inexact, ...unstorable], omitted });
    };
  };
  return { path: ofPlace('path'), query: ofPlace('query'), header: ofPlace('header'), cookie: ofPlace('cookie') };
}

/** Of what came those that are declared: of cookies there are others. */
const only = (parameters: readonly Parameter[], read: Values): Values =>
  Object.fromEntries(parameters.map(({ name }) => [name, read[name]]));

/** Whether text may be in it that cannot be stored. HTTP lets none into a header (RFC 9110, 5.5), but for the escapes of JSON. */
const mayBeUnstorable = (form: ParameterForm, place: Location): boolean =>
  form.kind === 'json' || (place !== 'header' && scalarsIn(form).includes('string'));

const BEYOND = `must be within ±${Number.MAX_SAFE_INTEGER}`;

/** Whether a number of it is not the one that was sent, but its neighbour. */
export const isInexact = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(isInexact)
    : typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER;

/** An id in a path has its lower bound in the structure; one that is too large to name a row is 404, not content. */
function isId(parameter: Parameter): boolean {
  const form = parameterForm(parameter);
  const isInteger = form.kind === 'scalar' && form.types.join() === 'integer';
  const { enum: values, const: value } = laidOpen(schemaOf(parameter));
  return isInteger && values === undefined && value === undefined;
}

import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyRequest } from 'fastify';
import { bounded, type Issues, NO_ISSUES } from '../calls/issues.js';
import { unstorableText } from '../calls/text.js';
import type { Location, Parameter, Schema } from '../contract/document.js';
import { laidOpen } from '../contract/laid-open.js';
import { essenceOf } from '../contract/media-types.js';
import type { Operation } from '../contract/openapi.js';
import { bodyIssues, INTEGER, lazily, PATH_INTEGER, parameterIssues } from '../http/json-schema.js';
import { bodyFormFor, bodyForms } from './request-body.js';

/** The parts of a request, as Fastify names them, by where a parameter stands. */
const parts = { path: 'params', query: 'querystring', header: 'headers' } as const satisfies Partial<
  Record<Location, string>
>;
type Part = (typeof parts)[keyof typeof parts];

/** A request as a handler gets it: integers are numbers, names as in the contract. */
export interface ReadRequest {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  cookies: Record<string, string | undefined>;
  /** Parsed JSON, a string, or a stream: as the contract has it for the media type. */
  body: unknown;
  /** Of the body, without parameters; empty where there is none. */
  mediaType: string;
}

const isInteger = ({ schema = {} }: Parameter) => laidOpen(schema).type === 'integer';

/** Parameters arrive as text: what can be read as the declared type has the right structure. */
function parameterStructure(parameters: Parameter[], place: Location): Schema {
  const spelled = (parameter: Parameter): Schema =>
    isInteger(parameter)
      ? { type: 'string', pattern: place === 'path' ? PATH_INTEGER : INTEGER }
      : { type: 'string', ...(place === 'path' && formatOf(parameter)) };
  return {
    type: 'object',
    properties: Object.fromEntries(parameters.map((one) => [nameOf(one), spelled(one)])),
    required: parameters.filter(({ required }) => required).map(nameOf),
    ...(place === 'query' && { additionalProperties: false }),
  };
}

/** An id in a path that is of another form can be no id (400). */
function formatOf({ schema = {} }: Parameter): Schema {
  const { format } = laidOpen(schema);
  return format === undefined ? {} : { format };
}

const nameOf = ({ in: place, name }: Parameter) => (place === 'header' ? name.toLowerCase() : name);

const parametersIn = ({ operation }: Operation, place: Location) =>
  // `version` is consumed where the version is selected, before anything is validated.
  operation.parameters.filter(({ in: where, name }) => where === place && !(place === 'query' && name === 'version'));

/** Of Fastify's route schema what parameters must be: it decides structure, and with it 400. A place in which nothing is wanted, or too many, has none. */
export function structureSchemas(operation: Operation): Partial<Record<Part, Schema>> {
  const entries = Object.entries(parts).flatMap(([place, part]) => {
    const parameters = parametersIn(operation, place as Location);
    return parameters.length > 0 || part === 'querystring'
      ? [[part, parameterStructure(parameters, place as Location)]]
      : [];
  });
  return Object.fromEntries(entries);
}

/** @returns reads the parts that structure has passed, of each the parameters that the operation has */
export function requestReader(operation: Operation): (request: FastifyRequest) => ReadRequest {
  const [path, query, headers] = (['path', 'query', 'header'] as const).map((place) =>
    parametersReader(parametersIn(operation, place)),
  ) as [ParametersReader, ParametersReader, ParametersReader];
  return (request) => ({
    path: path(request.params as Record<string, unknown>),
    query: query(request.query as Record<string, unknown>),
    headers: headers(request.headers),
    cookies: request.cookies,
    body: request.body,
    mediaType: request.body === undefined ? '' : essenceOf(request.headers['content-type'] ?? ''),
  });
}

type ParametersReader = (values: Record<string, unknown>) => Record<string, unknown>;

function parametersReader(parameters: Parameter[]): ParametersReader {
  const wanted = parameters.map((one) => ({ name: nameOf(one), isNumber: isInteger(one) }));
  return (values) => {
    const read: Record<string, unknown> = {};
    for (const { name, isNumber } of wanted) {
      const value = values[name];
      if (value !== undefined) read[name] = isNumber ? Number(value) : value;
    }
    return read;
  };
}

/** @returns what is wrong with the content of a request by the whole schemas of an operation, all parts at once (422) */
export function contentValidator(ajv: Ajv2020, operation: Operation): (request: ReadRequest) => Issues {
  // An id in a path has its lower bound in the structure; one that is too large to name a row is 404, not content.
  const ofPlace = (place: Location) => {
    const members = parametersIn(operation, place).map((one) => [nameOf(one), one.schema ?? {}]);
    if (members.length === 0) return () => undefined;
    return lazily(ajv, () => ({ type: 'object', properties: Object.fromEntries(members) }));
  };
  const [query, headers] = [ofPlace('query'), ofPlace('header')];
  const schemas = new Set(bodyForms(operation).flatMap(({ schema }) => (schema ? [schema] : [])));
  const faults = new Map([...schemas].map((schema) => [schema, lazily(ajv, () => schema)]));
  const formFor = bodyFormFor(operation);
  return (request) => {
    const wrong = [query(request.query), headers(request.headers)];
    const form = request.body === undefined ? undefined : formFor(request.mediaType);
    const wrongBody = form?.schema && faults.get(form.schema)?.(request.body);
    const isRead = form !== undefined && form.kind !== 'stream';
    const unstorable = isRead ? unstorableText(request.body) : NO_ISSUES;
    if (!wrong.some(Boolean) && !wrongBody && unstorable.issues.length === 0) return NO_ISSUES;
    return bounded(...wrong.map(parameterIssues), bodyIssues(wrongBody), unstorable);
  };
}

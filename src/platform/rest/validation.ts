import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyRequest } from 'fastify';
import { bounded, type Issues } from '../calls/issues.js';
import { unstorableText } from '../calls/text.js';
import type { Location, Parameter, Schema } from '../contract/document.js';
import type { Operation } from '../contract/openapi.js';
import { structureOf } from '../contract/structure.js';
import { bodyIssues, INTEGER, lazily, PATH_INTEGER, parameterIssues } from '../http/json-schema.js';

/** The parts of a request, as Fastify names them, by where a parameter stands. */
const parts = { path: 'params', query: 'querystring', header: 'headers' } as const satisfies Partial<
  Record<Location, string>
>;
type Part = (typeof parts)[keyof typeof parts] | 'body';

/** A request as a handler gets it: integers are numbers, names as in the contract. */
export interface ReadRequest {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  cookies: Record<string, string | undefined>;
  body: unknown;
}

const isInteger = ({ schema }: Parameter) => schema?.type === 'integer';

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
const formatOf = ({ schema }: Parameter): Schema => (schema?.format === undefined ? {} : { format: schema.format });

const nameOf = ({ in: place, name }: Parameter) => (place === 'header' ? name.toLowerCase() : name);

const bodySchema = ({ operation: { requestBody } }: Operation): Schema | undefined =>
  Object.values(requestBody?.content ?? {})[0]?.schema;

const parametersIn = ({ operation }: Operation, place: Location) =>
  // `version` is consumed where the version is selected, before anything is validated.
  operation.parameters.filter(({ in: where, name }) => where === place && !(place === 'query' && name === 'version'));

/** Fastify's route schema: what decides structure, and with it 400. */
export function structureSchemas(operation: Operation): Partial<Record<Part, Schema>> {
  const body = bodySchema(operation);
  const entries = Object.entries(parts).map(([place, part]) => [
    part,
    parameterStructure(parametersIn(operation, place as Location), place as Location),
  ]);
  return { ...Object.fromEntries(entries), ...(body && { body: structureOf(body) }) };
}

/** Reads the parts that structure has passed. */
export function readRequest(operation: Operation, request: FastifyRequest): ReadRequest {
  const pick = (place: Location, values: Record<string, unknown>) =>
    Object.fromEntries(
      parametersIn(operation, place)
        .filter((one) => values[nameOf(one)] !== undefined)
        .map((one) => [nameOf(one), isInteger(one) ? Number(values[nameOf(one)]) : values[nameOf(one)]]),
    );
  return {
    path: pick('path', request.params as Record<string, unknown>),
    query: pick('query', request.query as Record<string, unknown>),
    headers: pick('header', request.headers),
    cookies: request.cookies,
    body: request.body,
  };
}

/** The whole schemas of an operation: what is wrong with the content of a request, all parts at once (422). */
export function contentValidator(ajv: Ajv2020, operation: Operation): (request: ReadRequest) => Issues {
  // An id in a path has its lower bound in the structure; one that is too large to name a row is 404, not content.
  const ofPlace = (place: Location) =>
    lazily(ajv, () => {
      const members = parametersIn(operation, place).map((one) => [nameOf(one), one.schema ?? {}]);
      return { type: 'object', properties: Object.fromEntries(members) };
    });
  const [query, headers] = [ofPlace('query'), ofPlace('header')];
  const schema = bodySchema(operation);
  const body = schema && lazily(ajv, () => schema);
  return (request) =>
    bounded(
      parameterIssues(query(request.query)),
      parameterIssues(headers(request.headers)),
      body && request.body !== undefined ? bodyIssues(body(request.body)) : {},
      unstorableText(request.body),
    );
}

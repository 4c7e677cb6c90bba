import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyRequest } from 'fastify';
import { Failure } from '../calls/errors.js';
import { bounded, type Issues, NO_ISSUES } from '../calls/issues.js';
import { unstorableText } from '../calls/text.js';
import { essenceOf } from '../contract/media-types.js';
import type { Operation } from '../contract/openapi.js';
import { bodyIssues, lazily } from '../http/json-schema.js';
import { type PlaceReader, parametersIn, parametersValidator, placeReader } from './parameters.js';
import { bodyFormFor, bodyForms } from './request-body.js';

/** A request as a handler gets it: parameters of the types and names that the contract declares. */
export interface ReadRequest {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  /** All that came; those that the operation declares are of the types that it declares. */
  cookies: Record<string, unknown>;
  /** Parsed JSON, a string, or a stream: as the contract has it for the media type. */
  body: unknown;
  /** Of the body, without parameters; empty where there is none. */
  mediaType: string;
}

export const unreadable = (found: Partial<Issues>) => new Failure('BAD_REQUEST', 'The request cannot be read.', found);

/** @returns reads a request as its operation declares it. Throws Failure BAD_REQUEST for parameters that cannot be read so. */
export function requestReader(ajv: Ajv2020, operation: Operation): (request: FastifyRequest) => ReadRequest {
  const [path, query, headers] = (['path', 'query', 'header'] as const).map((place) =>
    placeReader(ajv, operation, place),
  ) as [PlaceReader, PlaceReader, PlaceReader];
  const cookies = parametersIn(operation, 'cookie').length === 0 ? undefined : placeReader(ajv, operation, 'cookie');
  return (request) => {
    const wrong: Issues[] = [];
    const read = {
      path: path(request, wrong),
      query: query(request, wrong),
      headers: headers(request, wrong),
      cookies: cookies === undefined ? request.cookies : { ...request.cookies, ...cookies(request, wrong) },
      body: request.body,
      mediaType: request.body === undefined ? '' : essenceOf(request.headers['content-type'] ?? ''),
    };
    if (wrong.length > 0) throw unreadable(bounded(...wrong));
    return read;
  };
}

/** @returns what is wrong with the content of a request by the whole schemas of an operation, all parts at once (422) */
export function contentValidator(ajv: Ajv2020, operation: Operation): (request: ReadRequest) => Issues {
  const { path, query, header, cookie } = parametersValidator(ajv, operation);
  const schemas = new Set(bodyForms(operation).flatMap(({ schema }) => (schema ? [schema] : [])));
  const faults = new Map([...schemas].map((schema) => [schema, lazily(ajv, () => schema)]));
  const formFor = bodyFormFor(operation);
  return (request) => {
    const [inPath, inQuery] = [path(request.path), query(request.query)];
    const [inHeaders, inCookies] = [header(request.headers), cookie(request.cookies)];
    const wrong = inPath || inQuery || inHeaders || inCookies;
    const form = request.body === undefined ? undefined : formFor(request.mediaType);
    const wrongBody = form?.schema && faults.get(form.schema)?.(request.body);
    const isRead = form !== undefined && form.kind !== 'stream';
    const unstorable = isRead ? unstorableText(request.body) : NO_ISSUES;
    if (!wrong && !wrongBody && unstorable.issues.length === 0) return NO_ISSUES;
    const ofParameters = [inPath, inQuery, inHeaders, inCookies].filter((one) => one !== undefined);
    return bounded(...ofParameters, bodyIssues(wrongBody), unstorable);
  };
}

import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { type Issues, limitIssues, NO_ISSUES, unstorableText } from '../calls/errors.js';
import { essenceOf, type Schema } from '../contract/document.js';
import { type BodyForm, bodyFormFor, bodyForms, type Operation } from '../contract/openapi.js';
import { structureOf } from '../contract/schemas.js';
import { bodyIssues, lazily } from '../http/json-schema.js';
import { issueFailure } from '../http/messages.js';
import { parametersIn, parametersValidator, placeReader } from './parameters.js';

export interface ReadRequest {
  path: Record<string, unknown>;
  query: Record<string, unknown>;
  headers: Record<string, unknown>;
  /** All cookies. Declared cookies have their declared types. */
  cookies: Record<string, unknown>;
  /** Parsed JSON, a string, or a stream, depending on the media type. */
  body: unknown;
  mediaType: string;
}

const badRequest = (found: Partial<Issues>) => issueFailure('BAD_REQUEST', found);

/** Returns a function that reads the parameters of a request. @throws Failure BAD_REQUEST */
export function requestReader(ajv: Ajv2020, operation: Operation): (request: FastifyRequest) => ReadRequest {
  const reader = (location: Parameters<typeof placeReader>[2]) => placeReader(ajv, operation, location);
  const [path, query, headers, cookies] = [reader('path'), reader('query'), reader('header'), reader('cookie')];
  const hasCookies = parametersIn(operation, 'cookie').length > 0;
  return (request) => {
    const wrong: Issues[] = [];
    const read = {
      path: path(request, wrong),
      query: query(request, wrong),
      headers: headers(request, wrong),
      cookies: hasCookies ? { ...request.cookies, ...cookies(request, wrong) } : request.cookies,
      body: request.body,
      mediaType: request.body === undefined ? '' : essenceOf(request.headers['content-type'] ?? ''),
    };
    if (wrong.length > 0) throw badRequest(limitIssues(...wrong));
    return read;
  };
}

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
    return limitIssues(...ofParameters, bodyIssues(wrongBody), unstorable);
  };
}

const OPTIONAL = Symbol('body may be absent');

/** Returns true if all media types of the body are JSON with one schema. */
const haveSameSchema = (forms: readonly BodyForm[]): boolean =>
  forms.every(({ kind, schema }) => kind === 'json' && schema === forms[0]?.schema);

/** Returns Fastify's route schema for the body, which checks types only. Other bodies than JSON have no schema. */
export function routeSchema(operation: Operation) {
  const optional = operation.operation.requestBody?.required !== true;
  const structure = ({ schema = {} }: BodyForm): Schema => ({ ...structureOf(schema), [OPTIONAL]: optional });
  const forms = bodyForms(operation);
  const [first, ...others] = forms.filter(({ kind }) => kind === 'json');
  if (first === undefined) return {};
  if (haveSameSchema(forms)) return first.schema ? { body: structure(first) } : {};
  const content = [first, ...others].map((form) => [essenceOf(form.type), { schema: structure(form) }] as const);
  return { body: { content: Object.fromEntries(content) } };
}

export function structureValidator(ajv: Ajv2020): FastifySchemaCompiler<Schema> {
  return ({ schema }) => {
    const faults = lazily(ajv, () => schema);
    const optional = (schema as { [OPTIONAL]?: boolean })[OPTIONAL];
    return (data: unknown) => {
      // Fastify passes null for an absent body. `refuseNullBody` has rejected the JSON body `null`.
      const errors = optional && data === null ? undefined : faults(data);
      return errors ? { error: badRequest(bodyIssues(errors)) } : true;
    };
  };
}

/** Rejects the body `null` and a missing required body. Fastify's validator gets null for both. */
export function refuseNullBody({ body, route }: FastifyRequest): void {
  const { requestBody } = route.plan?.operation.operation ?? {};
  if (requestBody === undefined) return;
  const detail =
    body === null
      ? 'must not be null. Send a body that matches the contract.'
      : 'is missing. Send a body of a media type that the operation accepts.';
  if (body === null || (body === undefined && requestBody.required === true))
    throw badRequest({ issues: [{ pointer: '', detail }] });
}

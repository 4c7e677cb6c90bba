import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor, KeyedRequest } from '../calls/access.js';
import { Failure, type Issues, limitIssues, NO_ISSUES, unstorableText } from '../calls/errors.js';
import type { Cursors, PageRequest } from '../calls/rows.js';
import { andThen } from '../calls/schedulers.js';
import { essenceOf } from '../contract/document.js';
import { bodyFormFor, bodyForms, type RestOperation, splitPath } from '../contract/openapi.js';
import { structureOf } from '../contract/schemas.js';
import { acceptableTypes, pathOf } from '../http/headers.js';
import { bodyIssues, lazyValidator, sortedJson } from '../http/json-schema.js';
import { issueFailure } from '../http/messages.js';
import type { RequestStep, StagesOf } from '../stages.js';
import { parametersIn, parametersValidator, placeReader } from './parameters.js';
import { sender } from './represent.js';
import { type ReadRequest, readPage } from './routes.js';

export type Plan = ReturnType<typeof planOf>;

const FIRST_PAGE: PageRequest = { limit: 20, offset: 0 };

/**
 * Prepares everything that the contract declares for one operation, at the start. The pipeline calls each member in its
 * stage.
 */
export function planOf(app: FastifyInstance, ajv: Ajv2020, operation: RestOperation, cursors: Cursors) {
  const isPaged = operation.operation.parameters.some(({ name }) => name === 'per_page');
  return {
    operation,
    version: splitPath(operation.path)?.version,
    /** Returns the media type of the answer. @throws Failure NOT_ACCEPTABLE */
    responseType: responseTypes(operation, app.core.names.mediaType),
    refuseBodyType: bodyTypes(operation),
    /** Returns the form of a body by its `Content-Type`; undefined for a media type that is not read. */
    bodyForm: bodyFormFor(operation),
    /** Reads the parameters. @throws Failure BAD_REQUEST */
    read: requestReader(ajv, operation),
    /** Returns the requested part of a list. @throws Failure BAD_REQUEST */
    page: ({ query }: ReadRequest, { url }: FastifyRequest): PageRequest =>
      isPaged ? readPage(query, pathOf(url), cursors) : FIRST_PAGE,
    /** @throws Failure UNAUTHENTICATED, or the error that prevents authentication, such as a lost database */
    authenticate: authentication(app, operation),
    contentIssues: contentValidator(ajv, operation),
    keyOf: (read: ReadRequest) => keyedRequest(operation, read),
    refuseStructure: structureRefusal(ajv, operation),
    send: sender(operation, app.core.names.mediaType),
  };
}

const versionsIn = (mediaType: string): RegExp =>
  new RegExp(`(${mediaType.replaceAll(/[.+]/g, '\\$&')})\\s*;\\s*(?:version|v)="?[^",;\\s]+"?`, 'gi');

/** Negotiates the media type (RFC 9110 §12.5.1). An operation without 406 answers with its first type. */
function responseTypes({ operation }: RestOperation, vendor: string): (accept: string | undefined) => string {
  const successful = Object.entries(operation.responses).filter(([status]) => status < '400');
  const types = [...new Set(successful.flatMap(([, { content = {} }]) => Object.keys(content)))];
  const [first = ''] = types;
  if (types.length === 0 || !('406' in operation.responses)) return () => first;
  const versions = versionsIn(vendor);
  return (accept) => {
    if (accept === undefined || accept === '*/*') return first;
    if (types.includes(accept)) return accept;
    // The version was selected before; its parameter names no other representation.
    const [chosen] = acceptableTypes(accept.replace(versions, '$1'), types);
    if (chosen !== undefined) return chosen;
    const served = types.join(' or ');
    throw new Failure('NOT_ACCEPTABLE', `\`Accept\` must take ${served}.`);
  };
}

function bodyTypes(operation: RestOperation): (contentType: string | undefined) => void {
  const read = bodyForms(operation).map(({ type }) => type);
  const formFor = bodyFormFor(operation);
  return (contentType) => {
    if (contentType === undefined || read.length === 0 || formFor(contentType)) return;
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', `\`Content-Type\` must be ${read.join(' or ')}.`);
  };
}

/**
 * Returns the authentication of an operation. That of fastify-openapi-glue answers 401 to every error, including a lost
 * database.
 */
function authentication(app: FastifyInstance, { security }: RestOperation): RequestStep | undefined {
  const alternatives = security.map((alternative) => Object.keys(alternative));
  if (alternatives.length === 0) return undefined;
  if (alternatives.some((names) => names.includes('metricsToken')))
    return (request) => app.core.seams.observability.authorize(request);
  // For an optional credential an invalid one counts as none.
  if (alternatives.some((names) => names.length === 0)) {
    return (request) => {
      const caller = app.core.authenticate(request);
      return caller instanceof Promise ? caller.then(() => {}, ignoreUnauthenticated) : undefined;
    };
  }
  // A caller has one mechanism, so alternatives that need two are unreachable.
  const mechanisms = new Set(alternatives.filter((names) => names.length === 1).flat());
  const refuseOthers = (actor: Actor | null): void => {
    if (!actor || !mechanisms.has(actor.mechanism)) throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
  };
  return (request) => andThen(app.core.authenticate(request), refuseOthers) as Promise<void> | undefined;
}

function ignoreUnauthenticated(error: unknown): void {
  if (!(error instanceof Failure && error.code === 'UNAUTHENTICATED')) throw error;
}

/**
 * Returns the key of an operation that declares `Idempotency-Key`. One key belongs to one content: path parameters and
 * body, in any order of members.
 */
function keyedRequest({ operationId }: RestOperation, { path, headers, body }: ReadRequest): KeyedRequest | undefined {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  return { operation: operationId, key, content: () => sortedJson({ path, body }) };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    counted?: boolean;
    plan?: Plan;
  }
  interface FastifyRequest {
    responseType: string;
    read: ReadRequest;
    page: PageRequest;
  }
}

export function restStages(app: FastifyInstance) {
  app.decorateRequest('responseType', '');
  app.decorateRequest('read');
  app.decorateRequest('page');
  return {
    'media-types': ({ plan }) =>
      plan &&
      ((request) => {
        request.responseType = plan.responseType(request.headers.accept);
        plan.refuseBodyType(request.headers['content-type']);
      }),
    'null-body': ({ plan }) => plan && nullBodyRefusal(plan.operation),
    structure: ({ plan }) => plan?.refuseStructure,
    parameters: ({ plan }) =>
      plan &&
      ((request) => {
        request.read = plan.read(request);
      }),
    page: ({ plan }) =>
      plan &&
      ((request) => {
        request.page = plan.page(request.read, request);
      }),
    authentication: ({ plan }) => plan?.authenticate,
  } satisfies Partial<StagesOf<'core'>>;
}

const badRequest = (found: Partial<Issues>) => issueFailure('BAD_REQUEST', found);

/** Returns a function that reads the parameters of a request. @throws Failure BAD_REQUEST */
function requestReader(ajv: Ajv2020, operation: RestOperation): (request: FastifyRequest) => ReadRequest {
  const reader = (location: Parameters<typeof placeReader>[2]) => placeReader(ajv, operation, location);
  const [path, query, headers, cookies] = [reader('path'), reader('query'), reader('header'), reader('cookie')];
  const hasCookies = parametersIn(operation, 'cookie').length > 0;
  return (request) => {
    const wrong: Issues[] = [];
    const read = {
      path: path(request, wrong),
      query: query(request, wrong),
      headers: headers(request, wrong),
      cookies: hasCookies ? Object.assign({}, request.cookies, cookies(request, wrong)) : (request.cookies ?? {}),
      body: request.body,
      mediaType: request.body === undefined ? '' : essenceOf(request.headers['content-type'] ?? ''),
    };
    if (wrong.length > 0) throw badRequest(limitIssues(...wrong));
    return read;
  };
}

function contentValidator(ajv: Ajv2020, operation: RestOperation): (request: ReadRequest) => Issues {
  const { path, query, header, cookie } = parametersValidator(ajv, operation);
  const schemas = new Set(bodyForms(operation).flatMap(({ schema }) => (schema ? [schema] : [])));
  const faults = new Map([...schemas].map((schema) => [schema, lazyValidator(ajv, () => schema)]));
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
    const ofParameters = [inPath, inQuery, inHeaders, inCookies].filter((issues) => issues !== undefined);
    return limitIssues(...ofParameters, bodyIssues(wrongBody), unstorable);
  };
}

/** Returns a step that checks the types and required members of a JSON body. @throws Failure BAD_REQUEST */
function structureRefusal(ajv: Ajv2020, operation: RestOperation): RequestStep | undefined {
  const forms = bodyForms(operation).filter(({ kind }) => kind === 'json');
  if (forms.length === 0) return undefined;
  const faults = new Map(
    forms.map(({ type, schema = {} }) => [type, lazyValidator(ajv, () => structureOf(schema))] as const),
  );
  const formFor = bodyFormFor(operation);
  return ({ body, headers }) => {
    if (body === undefined || body === null) return;
    const errors = faults.get(formFor(headers['content-type'] ?? '')?.type ?? '')?.(body);
    if (errors) throw badRequest(bodyIssues(errors));
  };
}

/** Rejects the body `null` and a missing required body. */
function nullBodyRefusal({ operation: { requestBody } }: RestOperation): RequestStep | undefined {
  if (requestBody === undefined) return undefined;
  return ({ body }) => {
    const detail =
      body === null
        ? 'must not be null. Send a body that matches the contract.'
        : 'is missing. Send a body of a media type that the operation accepts.';
    if (body === null || (body === undefined && requestBody.required === true))
      throw badRequest({ issues: [{ pointer: '', detail }] });
  };
}

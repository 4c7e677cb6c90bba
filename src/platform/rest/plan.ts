import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Actor, KeyedRequest } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { Issues } from '../calls/issues.js';
import { andThen, type MaybePromise } from '../calls/maybe-promise.js';
import type { Cursors, PageRequest } from '../calls/pages.js';
import { type Operation, placeOf } from '../contract/openapi.js';
import { isPlain } from '../contract/references.js';
import { acceptable, pathOf } from '../http/request.js';
import { readPage } from './paging.js';
import { type Reply, sender } from './represent.js';
import { type BodyForm, bodyFormFor, bodyForms } from './request-body.js';
import { contentValidator, type ReadRequest, refuseNullBody, requestReader } from './validation.js';

/**
 * What the contract says of one operation, worked out once when the platform is built: a request looks nothing up. Each member
 * does one thing to a request, in the stage that the pipeline names.
 */
export interface Plan {
  operation: Operation;
  /** The version of its address; undefined for an address without one. */
  version: string | undefined;
  /** Returns the media type of the answer. Throws NOT_ACCEPTABLE. */
  answerType: (accept: string | undefined) => string;
  /** Throws UNSUPPORTED_MEDIA_TYPE. */
  refuseBodyType: (contentType: string | undefined) => void;
  /** Returns how the operation reads a body, by its `Content-Type`; undefined for a body that it does not read. */
  bodyForm: (contentType: string) => BodyForm | undefined;
  /** Reads the parameters by their declared types. Throws BAD_REQUEST. */
  read: (request: FastifyRequest) => ReadRequest;
  /** Returns the requested part of a list. Throws BAD_REQUEST. */
  page: (read: ReadRequest, request: FastifyRequest) => PageRequest;
  /** Throws UNAUTHENTICATED, and what else prevents authentication, for example a lost database. */
  authenticate: (request: FastifyRequest) => MaybePromise<void>;
  /** Returns what is wrong with the content. */
  contentIssues: (read: ReadRequest) => Issues;
  /** Returns the key under which the request may be sent again. */
  keyOf: (read: ReadRequest) => KeyedRequest | undefined;
  /** Sets the headers of a deprecated operation; undefined for others. */
  tellDeprecation: ((reply: FastifyReply) => void) | undefined;
  /** Sends the reply of the handler. */
  send: (
    request: FastifyRequest,
    reply: FastifyReply,
    result: Reply,
    mediaType: string,
  ) => FastifyReply | Promise<FastifyReply>;
}

const FIRST_PAGE: PageRequest = { limit: 20, offset: 0 };

/** @param cursors those that the pages of this service give */
export function planOf(app: FastifyInstance, ajv: Ajv2020, operation: Operation, cursors: Cursors): Plan {
  const isPaged = operation.operation.parameters.some(({ name }) => name === 'per_page');
  return {
    operation,
    version: placeOf(operation.path)?.version,
    answerType: answerTypes(operation, app.names.mediaType),
    refuseBodyType: bodyTypes(operation),
    bodyForm: bodyFormFor(operation),
    read: requestReader(ajv, operation),
    page: isPaged ? ({ query }, request) => readPage(query, pathOf(request.url), cursors) : () => FIRST_PAGE,
    authenticate: authentication(app, operation),
    contentIssues: contentValidator(ajv, operation),
    keyOf: (read) => keyedRequest(operation, read),
    tellDeprecation: deprecationNotice(operation),
    send: sender(operation, app.names.mediaType),
  };
}

/** Returns a pattern of the vendor media type with a version. */
const versionsIn = (mediaType: string): RegExp =>
  new RegExp(`(${mediaType.replaceAll(/[.+]/g, '\\$&')})\\s*;\\s*(?:version|v)="?[^",;\\s]+"?`, 'gi');

/** Negotiates the media type of an answer (RFC 9110 §12.5.1). An operation that does not declare 406 answers with its first type. */
function answerTypes({ operation: { responses } }: Operation, vendor: string): Plan['answerType'] {
  const successful = Object.entries(responses).filter(([status]) => status < '400');
  const types = [...new Set(successful.flatMap(([, { content = {} }]) => Object.keys(content)))];
  const [first = ''] = types;
  if (types.length === 0 || !('406' in responses)) return () => first;
  const versions = versionsIn(vendor);
  return (accept) => {
    if (accept === undefined || accept === '*/*') return first;
    if (types.includes(accept)) return accept;
    // The version was selected already; its parameter names no other representation.
    const [chosen] = acceptable(accept.replace(versions, '$1'), types);
    if (chosen !== undefined) return chosen;
    const served = types.join(' or ');
    throw new Failure('NOT_ACCEPTABLE', `\`Accept\` must take ${served}.`);
  };
}

function bodyTypes(operation: Operation): Plan['refuseBodyType'] {
  const read = bodyForms(operation).map(({ type }) => type);
  const formFor = bodyFormFor(operation);
  return (contentType) => {
    if (contentType === undefined || read.length === 0 || formFor(contentType)) return;
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', `\`Content-Type\` must be ${read.join(' or ')}.`);
  };
}

/**
 * Returns the authentication of an operation. fastify-openapi-glue has one, but it tries one scheme after another and answers 401
 * to every error, also to a lost database.
 */
function authentication(app: FastifyInstance, { security }: Operation): Plan['authenticate'] {
  const alternatives = security.map((alternative) => Object.keys(alternative));
  if (alternatives.length === 0) return () => {};
  if (alternatives.some((names) => names.includes('metricsToken'))) return (request) => app.refuseMetrics(request);
  // The operation is open to everyone: an invalid credential is no credential, and the service decides.
  if (alternatives.some((names) => names.length === 0)) {
    return (request) => {
      const caller = app.authenticate(request);
      return caller instanceof Promise ? caller.then(() => {}, ignoreUnauthenticated) : undefined;
    };
  }
  // A caller uses one mechanism: nobody meets an alternative that wants two.
  const mechanisms = new Set(alternatives.filter((names) => names.length === 1).flat());
  const refuseOthers = (actor: Actor | null): void => {
    if (!actor || !mechanisms.has(actor.mechanism)) throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
  };
  return (request) => andThen(app.authenticate(request), refuseOthers);
}

function ignoreUnauthenticated(error: unknown): void {
  if (!(error instanceof Failure && error.code === 'UNAUTHENTICATED')) throw error;
}

/**
 * Returns the key of a request, for an operation whose contract declares `Idempotency-Key`. A key is good for one content: the
 * parameters of the path and the body, in whatever order its members are.
 */
function keyedRequest({ operationId }: Operation, { path, headers, body }: ReadRequest): KeyedRequest | undefined {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  return { operation: operationId, key, content: () => JSON.stringify({ path, body }, sorted) };
}

const sorted = (_key: string, value: unknown): unknown =>
  isPlain(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/**
 * Sets on every answer of a deprecated operation since when it is deprecated (RFC 9745), when it may stop answering (RFC 8594), and
 * the page that says what to use instead.
 */
function deprecationNotice({ operation }: Operation): Plan['tellDeprecation'] {
  const deprecation = operation['x-deprecation'];
  if (!deprecation) return undefined;
  const { since, sunset, link } = deprecation;
  const dates = { deprecation: `@${Date.parse(since) / 1000}`, sunset: new Date(sunset).toUTCString() };
  const own = `<${link}>; rel="deprecation"; type="text/html"`;
  return (reply) => {
    const others = reply.getHeader('link');
    reply.headers({ ...dates, link: others === undefined ? own : `${others}, ${own}` });
  };
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False for an operation that the rate limit does not count. */
    counted?: boolean;
    /** Of an operation of the contract. */
    plan?: Plan;
  }
  interface FastifyRequest {
    /** Results of the stages before the handler. */
    answerType: string;
    read: ReadRequest;
    page: PageRequest;
  }
}

/** The stages of an operation before its handler, and of its answer. Each does what the plan of the operation says. */
export const restStagesPlugin = fp(
  async (app) => {
    app.decorateRequest('answerType', '');
    app.decorateRequest('read');
    app.decorateRequest('page');

    app.stage('media-types', (request) => {
      const { plan } = request.route;
      if (!plan) return;
      request.answerType = plan.answerType(request.headers.accept);
      plan.refuseBodyType(request.headers['content-type']);
    });
    app.stage('null-body', refuseNullBody);
    app.stage('parameters', (request) => {
      const { plan } = request.route;
      if (plan) request.read = plan.read(request);
    });
    app.stage('authentication', (request) => {
      const { plan } = request.route;
      if (!plan) return;
      request.page = plan.page(request.read, request);
      return plan.authenticate(request);
    });
    app.stage('deprecation', ({ route }, reply) => route.plan?.tellDeprecation?.(reply));
  },
  { name: 'rest-stages', dependencies: ['pipeline', 'common-stages', 'authenticate', 'metrics'] },
);

import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Actor, KeyedRequest } from '../calls/access.js';
import { Failure, type Issues } from '../calls/errors.js';
import type { Cursors, PageRequest } from '../calls/rows.js';
import { andThen, type MaybePromise } from '../calls/schedulers.js';
import { isPlain } from '../contract/document.js';
import { type BodyForm, bodyFormFor, bodyForms, type Operation, splitPath } from '../contract/openapi.js';
import { acceptableTypes, pathOf } from '../http/headers.js';
import { type Reply, sender } from './represent.js';
import { readPage } from './routes.js';
import { contentValidator, type ReadRequest, refuseNullBody, requestReader } from './validation.js';

/**
 * Everything that the contract declares for one operation, prepared at the start. The pipeline calls each member in its
 * stage.
 */
export interface Plan {
  operation: Operation;
  version: string | undefined;
  /** Returns the media type of the answer. @throws Failure NOT_ACCEPTABLE */
  answerType: (accept: string | undefined) => string;
  refuseBodyType: (contentType: string | undefined) => void;
  /** Returns the form of a body by its `Content-Type`; undefined for a media type that is not read. */
  bodyForm: (contentType: string) => BodyForm | undefined;
  /** Reads the parameters. @throws Failure BAD_REQUEST */
  read: (request: FastifyRequest) => ReadRequest;
  /** Returns the requested part of a list. @throws Failure BAD_REQUEST */
  page: (read: ReadRequest, request: FastifyRequest) => PageRequest;
  /** @throws Failure UNAUTHENTICATED, or the error that prevents authentication, such as a lost database */
  authenticate: (request: FastifyRequest) => MaybePromise<void>;
  contentIssues: (read: ReadRequest) => Issues;
  keyOf: (read: ReadRequest) => KeyedRequest | undefined;
  setDeprecation: ((reply: FastifyReply) => void) | undefined;
  send: (
    request: FastifyRequest,
    reply: FastifyReply,
    result: Reply,
    mediaType: string,
  ) => FastifyReply | Promise<FastifyReply>;
}

const FIRST_PAGE: PageRequest = { limit: 20, offset: 0 };

export function planOf(app: FastifyInstance, ajv: Ajv2020, operation: Operation, cursors: Cursors): Plan {
  const isPaged = operation.operation.parameters.some(({ name }) => name === 'per_page');
  return {
    operation,
    version: splitPath(operation.path)?.version,
    answerType: answerTypes(operation, app.names.mediaType),
    refuseBodyType: bodyTypes(operation),
    bodyForm: bodyFormFor(operation),
    read: requestReader(ajv, operation),
    page: isPaged ? ({ query }, request) => readPage(query, pathOf(request.url), cursors) : () => FIRST_PAGE,
    authenticate: authentication(app, operation),
    contentIssues: contentValidator(ajv, operation),
    keyOf: (read) => keyedRequest(operation, read),
    setDeprecation: deprecationNotice(operation),
    send: sender(operation, app.names.mediaType),
  };
}

const versionsIn = (mediaType: string): RegExp =>
  new RegExp(`(${mediaType.replaceAll(/[.+]/g, '\\$&')})\\s*;\\s*(?:version|v)="?[^",;\\s]+"?`, 'gi');

/** Negotiates the media type (RFC 9110 §12.5.1). An operation without 406 answers with its first type. */
function answerTypes({ operation: { responses } }: Operation, vendor: string): Plan['answerType'] {
  const successful = Object.entries(responses).filter(([status]) => status < '400');
  const types = [...new Set(successful.flatMap(([, { content = {} }]) => Object.keys(content)))];
  const [first = ''] = types;
  if (types.length === 0 || !('406' in responses)) return () => first;
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

function bodyTypes(operation: Operation): Plan['refuseBodyType'] {
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
function authentication(app: FastifyInstance, { security }: Operation): Plan['authenticate'] {
  const alternatives = security.map((alternative) => Object.keys(alternative));
  if (alternatives.length === 0) return () => {};
  if (alternatives.some((names) => names.includes('metricsToken'))) return (request) => app.authorizeMetrics(request);
  // For an optional credential an invalid one counts as none.
  if (alternatives.some((names) => names.length === 0)) {
    return (request) => {
      const caller = app.authenticate(request);
      return caller instanceof Promise ? caller.then(() => {}, ignoreUnauthenticated) : undefined;
    };
  }
  // A caller has one mechanism, so alternatives that need two are unreachable.
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
 * Returns the key of an operation that declares `Idempotency-Key`. One key belongs to one content: path parameters and
 * body, in any order of members.
 */
function keyedRequest({ operationId }: Operation, { path, headers, body }: ReadRequest): KeyedRequest | undefined {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string') return undefined;
  return { operation: operationId, key, content: () => JSON.stringify({ path, body }, sorted) };
}

const sorted = (_key: string, value: unknown): unknown =>
  isPlain(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/**
 * Returns a function that sets the headers of deprecation (RFC 9745) and sunset (RFC 8594), and the link to the
 * replacement.
 */
function deprecationNotice({ operation }: Operation): Plan['setDeprecation'] {
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
    counted?: boolean;
    plan?: Plan;
  }
  interface FastifyRequest {
    answerType: string;
    read: ReadRequest;
    page: PageRequest;
  }
}

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
    app.stage('deprecation', ({ route }, reply) => route.plan?.setDeprecation?.(reply));
  },
  { name: 'rest-stages', dependencies: ['pipeline', 'common-stages', 'authenticate', 'metrics'] },
);

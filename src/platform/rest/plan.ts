import type { Ajv2020 } from 'ajv/dist/2020.js';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { KeyedRequest } from '../calls/access.js';
import type { Soon } from '../calls/at-once.js';
import type { Issues } from '../calls/issues.js';
import type { Cursors, PageRequest } from '../calls/pages.js';
import type { Operation } from '../contract/openapi.js';
import { placeOf } from '../contract/versions.js';
import { pathOf } from '../http/path.js';
import { deprecationNotice } from './deprecation.js';
import { keyedRequest } from './idempotency.js';
import { answerTypes, bodyTypes } from './negotiation.js';
import { readPage } from './paging.js';
import { type Reply, sender } from './represent.js';
import { type BodyForm, bodyFormFor } from './request-body.js';
import { authentication } from './security.js';
import { contentValidator, type ReadRequest, requestReader } from './validation.js';

/**
 * What the contract says of one operation, worked out once when the platform is built, so that a request looks nothing up:
 * each member does one thing to it, in the stage that the pipeline names.
 */
export interface Plan {
  operation: Operation;
  /** The version of its address; undefined for what has none. */
  version: string | undefined;
  /** The media type of the answer. Throws NOT_ACCEPTABLE. */
  answerType: (accept: string | undefined) => string;
  /** Throws UNSUPPORTED_MEDIA_TYPE. */
  refuseBodyType: (contentType: string | undefined) => void;
  /** How the operation reads a body, by its `Content-Type`; undefined for one that it does not read. */
  bodyForm: (contentType: string) => BodyForm | undefined;
  /** Reads the parameters by their declared types. Throws BAD_REQUEST. */
  read: (request: FastifyRequest) => ReadRequest;
  /** Which part of a list is asked for. Throws BAD_REQUEST. */
  page: (read: ReadRequest, request: FastifyRequest) => PageRequest;
  /** Throws what keeps the caller from being known, or who does not call by a mechanism of the operation. */
  authenticate: (request: FastifyRequest) => Soon<void>;
  /** What is wrong with the content. */
  contentIssues: (read: ReadRequest) => Issues;
  /** The key under which the request may be sent again. */
  keyOf: (read: ReadRequest) => KeyedRequest | undefined;
  /** Says that the operation is deprecated; undefined for one that is not. */
  tellDeprecation: ((reply: FastifyReply) => void) | undefined;
  /** Sends what the handler replies. */
  send: (
    request: FastifyRequest,
    reply: FastifyReply,
    result: Reply,
    mediaType: string,
  ) => FastifyReply | Promise<FastifyReply>;
}

const FIRST_PAGE: PageRequest = { limit: 20, offset: 0 };
const isPaged = ({ operation }: Operation) => operation.parameters.some(({ name }) => name === 'per_page');

/** @param cursors those that the pages of this service give */
export const planOf = (app: FastifyInstance, ajv: Ajv2020, operation: Operation, cursors: Cursors): Plan => ({
  operation,
  version: placeOf(operation.path)?.version,
  answerType: answerTypes(operation, app.names.mediaType),
  refuseBodyType: bodyTypes(operation),
  bodyForm: bodyFormFor(operation),
  read: requestReader(ajv, operation),
  page: isPaged(operation) ? ({ query }, request) => readPage(query, pathOf(request.url), cursors) : () => FIRST_PAGE,
  authenticate: authentication(app, operation),
  contentIssues: contentValidator(ajv, operation),
  keyOf: (read) => keyedRequest(operation, read),
  tellDeprecation: deprecationNotice(operation),
  send: sender(operation, app.names.mediaType),
});

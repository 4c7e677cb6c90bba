import type { Socket } from 'node:net';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Failure } from '../calls/errors.js';
import { type Code, platformCodes } from '../contract/codes.js';
import { failureHeaders, problem, toFailure } from './failures.js';
import { pathOf } from './path.js';

export const MEDIA_TYPE = 'application/problem+json; charset=utf-8';

/** Answers an error with its problem document, or with a page for a person. Logs the cause of an internal error. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const failure = toFailure(error);
  if (failure.code === 'INTERNAL') {
    const operation = request.route?.plan?.operation.operationId;
    request.log.error(
      { ...(operation !== undefined && { operation }), err: failure.options.cause },
      'a request failed',
    );
  }
  const { names, sendLostPage } = request.server;
  const isPage = [401, 404].includes(failure.status) && isOfPerson(request);
  reply.code(failure.status).headers({ ...failureHeaders(failure, names, isPage), 'cache-control': 'no-store' });
  if (isPage) return sendLostPage(failure, reply);
  return reply.header('content-type', MEDIA_TYPE).send(JSON.stringify(problem(failure, pathOf(request.originalUrl))));
}

/** Returns true if a browser opens this address for a person (Fetch Metadata §2.1). */
const isOfPerson = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && headers['sec-fetch-dest'] === 'document';

const ofParser: Record<string, [Code, number]> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['REQUEST_TIMEOUT', 408],
  // 431 has no code of its own: the request cannot be read.
  HPE_HEADER_OVERFLOW: ['BAD_REQUEST', 431],
};

/** Milliseconds that a client has to read such an answer, before its connection is destroyed. */
const LINGER = 1000;

/** Returns the answer to bytes that are no request. */
export function bareProblem(code: Code, status: number = platformCodes[code].status) {
  const failure = new Failure(code, platformCodes[code].description);
  const body = JSON.stringify({ ...problem(failure, 'about:blank'), status });
  const headers = {
    'content-type': MEDIA_TYPE,
    'content-length': String(Buffer.byteLength(body)),
    'cache-control': 'no-store',
  };
  return { status, headers, body };
}

/** Answers what Node's parser refuses with 400, 408 or 431, and ends the connection. */
export function answerParserError(error: FastifyError | (Error & { code?: string }), socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [code, status] = ofParser[error.code ?? ''] ?? ['BAD_REQUEST', 400];
  const { headers, body } = bareProblem(code, status);
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${platformCodes[code].title}\r\n${lines.join('')}\r\n${body}`);
  // A client that neither reads nor closes would keep the socket for ever.
  setTimeout(() => socket.destroy(), LINGER).unref();
}

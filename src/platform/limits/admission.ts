import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import fp from 'fastify-plugin';
import type { Failure } from '../calls/errors.js';
import type { OpenApiDocument } from '../contract/document.js';
import { type Operation, operations } from '../contract/openapi.js';
import { type CrossOrigin, isPreflight } from '../http/cross-origin.js';
import { addressOf, type FailureContext, failureHeaders, MEDIA_TYPE, problem } from '../http/failures.js';
import { pathOf, requestIdOf } from '../http/headers.js';
import { type Admission, type AdmissionLimits, admission } from './places.js';
import { countRefusal, isAfterEnd } from './rate-limit.js';

const ABANDONED_MS = 10_000;

declare module 'fastify' {
  interface FastifyInstance {
    admission: Admission;
  }
}

interface AdmissionOptions {
  limits: AdmissionLimits;
  /** TRUST_PROXY: the proxies whose X-Forwarded-For names the address, as for Fastify. */
  trusted: string | undefined;
  /** Operations without a response for 503 are always admitted. */
  document: OpenApiDocument;
  /** The path that always answers 200, and its failures. */
  graphql: {
    path: string;
    mediaType: (accept: string | undefined) => string;
    body: (failure: Failure, context: FailureContext) => object;
  };
  corsHeaders: CrossOrigin['headersFor'];
}

/** The position of a request: before its place, in it, out of it while the body is incomplete, or done. */
interface Position {
  at: 'queue' | 'inside' | 'outside' | 'gone';
  stop: () => void;
}

const POSITION = Symbol('position');
type Positioned = IncomingMessage & { [POSITION]?: Position };

/**
 * Admits requests before any other work, so that rejections are cheap. Probes are always admitted. A client that sends
 * its body slowly, or reads its answer slowly, has no place meanwhile.
 */
export const admissionPlugin = fp<AdmissionOptions>(
  async (app, options) => {
    const places = admission(options.limits, options.trusted);
    app.decorate('admission', places);
    const exempt = new Set(
      operations(options.document)
        .filter(isExempt)
        .map(({ path }) => path),
    );
    /** Returns true for probes, and for CORS preflights, without which a page cannot read a rejection. */
    const isLetIn = (request: IncomingMessage): boolean => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      return isPreflight(request) || (isRead && exempt.has(pathOf(request.url ?? '/')));
    };

    function leave(position: Position, to: Position['at']): void {
      if (position.at === 'inside') places.leave();
      position.at = to;
    }

    const [serve] = app.server.listeners('request') as [RequestListener];
    app.server.removeListener('request', serve);
    app.server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      if (isAfterEnd(request)) return;
      if (isLetIn(request)) return serve(request, response);
      const position: Position = { at: 'queue', stop: () => {} };
      (request as Positioned)[POSITION] = position;
      const begin = () => {
        position.at = 'inside';
        serve(request, response);
      };
      response.once('close', () => {
        position.stop();
        // The work for a client that disconnected continues.
        if (position.at === 'inside' && !response.writableEnded)
          setTimeout(leave, ABANDONED_MS, position, 'gone').unref();
        else leave(position, 'gone');
      });
      position.stop = places.enter(request, begin, (failure) => refuse(options, app, request, response, failure));
    });
    // Node emits no request for an upgrade, and a socket takes its own places.
    app.stage('upgrade-admission', ({ ws }) => {
      if (ws) places.pass();
    });

    app.stage('place-left', ({ raw }) => {
      const position = (raw as Positioned)[POSITION];
      return position && hasBody(raw) && !isComplete(raw) ? leaveUnlessThere(position, raw) : undefined;
    });
    async function leaveUnlessThere(position: Position, request: IncomingMessage): Promise<void> {
      // A body that arrived with the headers is read in this turn, after them.
      await undefined;
      if (position.at === 'inside' && !isComplete(request)) leave(position, 'outside');
    }
    app.stage('place-taken', ({ raw }) => {
      const position = (raw as Positioned)[POSITION];
      return position?.at === 'outside' ? takePlace(position, raw) : undefined;
    });
    async function takePlace(position: Position, request: IncomingMessage): Promise<void> {
      position.at = 'queue';
      await new Promise<void>((begin, refused) => {
        const entered = () => {
          position.at = 'inside';
          begin();
        };
        position.stop = places.enter(request, entered, refused);
      });
    }
    app.stage('place-returned', ({ raw }) => {
      const position = (raw as Positioned)[POSITION];
      if (position) leave(position, 'gone');
    });
  },
  { name: 'admission', dependencies: ['pipeline', 'web-socket'] },
);

function refuse(
  { graphql, corsHeaders }: AdmissionOptions,
  server: FastifyInstance,
  request: IncomingMessage,
  response: ServerResponse,
  failure: Failure,
): void {
  countRefusal(request, response);
  const { method, headers } = request;
  const path = pathOf(request.url ?? '/');
  const isGraphql = method === 'POST' && path === graphql.path;
  const requestId = requestIdOf(headers);
  const { host = headers[':authority'] as string | undefined } = headers;
  const protocol = (request.socket as TLSSocket).encrypted ? 'https' : 'http';
  const context = { address: addressOf({ server, protocol, host: host ?? '' }), requestId };
  const body = JSON.stringify(isGraphql ? graphql.body(failure, context) : problem(failure, path, context));
  response.writeHead(isGraphql ? 200 : failure.status, {
    ...failureHeaders(failure, server.names),
    ...corsHeaders(request),
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
    'content-type': isGraphql ? graphql.mediaType(headers.accept) : MEDIA_TYPE,
    'x-content-type-options': 'nosniff',
    'x-request-id': requestId,
  });
  response.end(method === 'HEAD' ? undefined : body);
  server.writeRequestLine(server.log, () => ({ requestId, method, status: response.statusCode, code: failure.code }));
}

/** Node does not mark an HTTP/2 stream without a body as complete. */
const isComplete = (request: IncomingMessage): boolean =>
  request.complete || (request as unknown as Http2ServerRequest).stream?.endAfterHeaders === true;

/** RFC 9112 §6. Node sets `complete` after the event for the headers. */
const hasBody = ({ httpVersionMajor, headers }: IncomingMessage): boolean =>
  httpVersionMajor > 1 || headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

const isExempt = ({ operation }: Operation): boolean =>
  !operation.responses['503']?.content?.['application/problem+json'];

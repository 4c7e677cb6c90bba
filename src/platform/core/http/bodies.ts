import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { BOUNDS } from '../bounds.js';
import { Failure, RETRY_AFTER_S } from '../calls/errors.js';
import type { BodyKind } from '../contract/document.js';
import type { StagesOf } from '../stages.js';
import { bodyTooLarge } from './failures.js';
import { strictJson } from './strict-json.js';

/** Methods whose requests may have a body, except those of extensions. */
const WITH_BODY = ['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY'];

/**
 * Reads bodies by their media types: JSON in UTF-8 (RFC 8259 §8.1), and what the operation declares, as JSON, text in UTF-8 or
 * a stream. An empty JSON body counts as absent.
 */
export function bodyStage(app: FastifyInstance) {
  const { bodyLimit = 0 } = app.initialConfig;
  const readStream = streamReader(bodyLimit);
  // Fastify would bind an AsyncResource for each body. Node 20 makes a hidden class for each, which keeps the request until a full
  // collection.
  app.addHook('onReady', async () => {
    for (const method of WITH_BODY) app.addHttpMethod(method, { hasBody: false, overrideExisting: true });
  });

  return {
    body: () => (request, reply) => {
      if (!WITH_BODY.includes(request.method) || isAbsent(request)) return;
      const kind = kindOfBody(request);
      if (kind === undefined && request.is404) return;
      if (kind === undefined)
        throw new Failure(
          'UNSUPPORTED_MEDIA_TYPE',
          'This address does not read this media type. Use `Content-Type: application/json`, or one that the contract lists.',
        );
      return new Promise<void>((resolve, reject) => {
        const fail = (error: unknown) => {
          // The client may go on sending.
          reply.header('connection', 'close');
          reject(error);
        };
        const done = (body: unknown) => {
          request.body = body;
          resolve();
        };
        if (kind === 'stream') readStream(request).then(done, fail);
        else readWhole(request, bodyLimit, kind === 'json' ? readJson : decode, done, fail);
      });
    },
  } satisfies Partial<StagesOf<'core'>>;
}

const isAbsent = ({ headers }: FastifyRequest): boolean =>
  headers['content-type'] === undefined &&
  headers['transfer-encoding'] === undefined &&
  (headers['content-length'] ?? '0') === '0';

/** Returns undefined for a body that is not read. */
function kindOfBody({ headers, mediaType, route: { plan } }: FastifyRequest): BodyKind | undefined {
  const { 'content-type': given } = headers;
  if (given !== undefined && !mediaType) return undefined;
  if (mediaType === 'application/json' || (plan && mediaType === 'application/merge-patch+json')) return 'json';
  return plan?.bodyForm(given ?? '')?.kind;
}

/** Takes callbacks, because a promise for each step costs more than most bodies. */
function readWhole(
  request: FastifyRequest,
  limit: number,
  read: (bytes: Buffer) => unknown,
  done: (body: unknown) => void,
  fail: (error: unknown) => void,
): void {
  const { raw, headers } = request;
  const stated = Number(headers['content-length'] ?? Number.NaN);
  const pieces: Buffer[] = [];
  let length = 0;
  const stop = () => raw.off('data', take).off('end', end).off('error', end);
  function take(piece: Buffer): void {
    pieces.push(piece);
    length += piece.length;
    if (length <= limit) return;
    stop();
    fail(bodyTooLarge(request));
  }
  function end(error?: Error): void {
    stop();
    try {
      if (error) throw cutOff(error);
      if (stated >= 0 && stated !== length)
        throw new Failure('BAD_REQUEST', '`Content-Length` must be the number of bytes of the body.');
      refuseEncoding(request);
      done(read(pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces)));
    } catch (failure) {
      fail(failure);
    }
  }
  if (stated > limit) fail(bodyTooLarge(request));
  else if (raw.destroyed) fail(cutOff(undefined));
  else raw.on('data', take).on('end', end).on('error', end).resume();
}

const cutOff = (cause: unknown) =>
  new Failure('BAD_REQUEST', 'The body ended before it was complete. Send it again.', { cause });

const readJson = (bytes: Buffer): unknown => (bytes.length === 0 ? undefined : strictJson(decode(bytes)));

/** Reads bodies as streams. A handler that waits for a slow body keeps its place, so their number is limited. */
function streamReader(limit: number) {
  let arriving: IncomingMessage[] = [];
  /** @throws Failure PAYLOAD_TOO_LARGE before or while the body arrives, UNAVAILABLE */
  return async (request: FastifyRequest): Promise<Readable> => {
    const { raw } = request;
    refuseCompression(request);
    if (Number(request.headers['content-length'] ?? 0) > limit) throw bodyTooLarge(request);
    arriving = arriving.filter((message) => !message.complete && !message.destroyed);
    if (arriving.length >= BOUNDS.bodyStreams.value) {
      const message = `Too many bodies arrive at once. Try again in ${RETRY_AFTER_S} seconds.`;
      throw new Failure('UNAVAILABLE', message);
    }
    arriving.push(raw);
    return Readable.from(piecesOf(request, raw), { objectMode: false });
  };
}

async function* piecesOf(request: FastifyRequest, incoming: IncomingMessage): AsyncGenerator<Buffer> {
  let length = 0;
  try {
    for await (const piece of incoming.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > request.routeOptions.bodyLimit) throw bodyTooLarge(request);
      yield piece;
    }
  } catch (cause) {
    throw cause instanceof Failure ? cause : cutOff(cause);
  } finally {
    // The next request on the connection must not begin with the rest.
    incoming.resume();
  }
}

/** @throws Failure UNSUPPORTED_MEDIA_TYPE for another charset than UTF-8, and for a compressed body */
function refuseEncoding(request: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset))
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', 'The `charset` of `Content-Type` must be utf-8.');
  refuseCompression(request);
}

function refuseCompression({ headers }: FastifyRequest): void {
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity')
    throw new Failure('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed. Send it without `Content-Encoding`.');
}

function decode(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new Failure('BAD_REQUEST', 'The body is not UTF-8. Encode it in UTF-8.');
  return new TextDecoder().decode(bytes);
}

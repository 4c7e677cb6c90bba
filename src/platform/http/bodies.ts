import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { BOUNDS } from '../bounds.js';
import { Failure, RETRY_AFTER_S } from '../calls/errors.js';
import { essenceOf, kindOf } from '../contract/document.js';
import { bodyTooLarge } from './failures.js';
import { strictJsonIssues, syntaxError } from './json-text.js';
import { issueFailure } from './messages.js';

type Reader = (request: FastifyRequest, bytes: Buffer) => Promise<unknown>;

const readJson: Reader = async (request, bytes) => {
  refuseEncoding(request);
  return bytes.length === 0 ? undefined : parse(bytes);
};

const readText: Reader = async (request, bytes) => {
  refuseEncoding(request);
  return decode(bytes);
};

/**
 * Reads JSON in UTF-8 (RFC 8259 §8.1). Rejects also what `JSON.parse` accepts silently. An empty body counts as absent.
 */
export const jsonBodyPlugin = fp(
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser<Buffer>(['application/json', 'application/merge-patch+json'], BUFFERED, readJson);
  },
  { name: 'json-body' },
);

const BUFFERED = { parseAs: 'buffer' } as const;

/**
 * Adds readers of declared media types: JSON, text in UTF-8, and streams for the rest.
 * @param isRead returns true if the operation of a request reads its media type
 */
export function readDeclared(
  app: FastifyInstance,
  mediaTypes: readonly string[],
  isRead: (request: FastifyRequest) => boolean,
): void {
  const readStream = streamReader();
  const guarded =
    <Body>(read: (request: FastifyRequest, body: Body) => Promise<unknown>) =>
    async (request: FastifyRequest, body: Body) => {
      if (isRead(request)) return read(request, body);
      throw new Failure(
        'UNSUPPORTED_MEDIA_TYPE',
        'This address does not read this media type. The contract lists those that it reads.',
      );
    };
  for (const declared of new Set(mediaTypes.map(essenceOf))) {
    const parsed = declared.endsWith('/*') ? rangeOf(declared) : declared;
    if (app.hasContentTypeParser(parsed)) continue;
    const kind = kindOf(declared);
    if (kind === 'stream') app.addContentTypeParser(parsed, guarded(readStream));
    else app.addContentTypeParser<Buffer>(parsed, BUFFERED, guarded(kind === 'json' ? readJson : readText));
  }
}

const rangeOf = (range: string): RegExp =>
  range === '*/*' ? /^/ : new RegExp(`^${range.slice(0, -1).replaceAll(/[.+]/g, '\\$&')}`);

/** Reads bodies as streams. A handler that waits for a slow body keeps its place, so their number is limited. */
function streamReader() {
  const arriving = new Set<IncomingMessage>();
  /** @throws Failure PAYLOAD_TOO_LARGE before or while the body arrives, UNAVAILABLE */
  return async (request: FastifyRequest, incoming: IncomingMessage): Promise<Readable> => {
    refuseCompression(request);
    if (Number(request.headers['content-length'] ?? 0) > request.routeOptions.bodyLimit) throw bodyTooLarge(request);
    for (const one of arriving) if (one.complete || one.destroyed) arriving.delete(one);
    if (arriving.size >= BOUNDS.bodyStreams.value) {
      const message = `Too many bodies arrive at once. Try again in ${RETRY_AFTER_S} seconds.`;
      throw new Failure('UNAVAILABLE', message, { retryAfter: RETRY_AFTER_S });
    }
    arriving.add(incoming);
    return Readable.from(piecesOf(request, incoming), { objectMode: false });
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
    throw cause instanceof Failure
      ? cause
      : new Failure('BAD_REQUEST', 'The body ended before it was complete. Send it again.', { cause });
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

function parse(bytes: Buffer): unknown {
  const text = decode(bytes);
  const value = parseText(text);
  const faults = strictJsonIssues(text);
  if (faults.issues.length > 0) throw issueFailure('BAD_REQUEST', faults);
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Failure('BAD_REQUEST', 'The body is not UTF-8. Encode it in UTF-8.', { cause });
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The engine's own message quotes the body, which may contain a password.
    throw new Failure('BAD_REQUEST', `The body is not valid JSON. At ${syntaxError(text)}.`, { cause });
  }
}

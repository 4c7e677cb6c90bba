import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Failure } from '../calls/errors.js';
import { hiddenFaults } from './json-text.js';

/**
 * Reads JSON bodies and no others, in UTF-8 and nothing else (RFC 8259 §8.1). An empty body is no body; what a reader of
 * JSON would pass over in silence is refused with its place.
 */
export const jsonBodyPlugin = fp(
  async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser<Buffer>(
      ['application/json', 'application/merge-patch+json'],
      { parseAs: 'buffer' },
      async (request: FastifyRequest, bytes: Buffer) => {
        refuseEncoding(request);
        return bytes.length === 0 ? undefined : parse(bytes);
      },
    );
  },
  { name: 'json-body' },
);

/** @throws Failure UNSUPPORTED_MEDIA_TYPE for a charset that is not UTF-8, or a body that is compressed */
function refuseEncoding({ headers }: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^utf-?8$/i.test(charset)) throw new Failure('UNSUPPORTED_MEDIA_TYPE', 'JSON is read in UTF-8 only.');
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity') throw new Failure('UNSUPPORTED_MEDIA_TYPE', 'Compressed bodies are not read.');
}

function parse(bytes: Buffer): unknown {
  const text = decode(bytes);
  const value = parseText(text);
  const faults = hiddenFaults(text);
  const [first] = faults.issues;
  if (first) throw new Failure('BAD_REQUEST', `${first.pointer} ${first.detail}.`, faults);
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Failure('BAD_REQUEST', 'The body is not UTF-8.', { cause });
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // The engine's own message quotes the body, which may hold a password.
    const position = /at position (\d+)/.exec(String(cause))?.[1];
    const place = position === undefined ? '' : ` (character ${position})`;
    throw new Failure('BAD_REQUEST', `The body is not valid JSON${place}.`, { cause });
  }
}

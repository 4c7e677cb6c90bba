import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import parseRange from 'range-parser';

const varyNames = (reply: FastifyReply): string[] =>
  [reply.getHeader('vary') ?? []]
    .flat()
    .join(',')
    .split(',')
    .flatMap((name) => name.trim() || []);
const isName = (name: string) => (other: string) => other.toLowerCase() === name.toLowerCase();

/** Adds a header to `Vary` (RFC 9110 §12.5.5). */
export function addVary(reply: FastifyReply, name: string): void {
  const names = varyNames(reply);
  if (!names.some(isName(name))) reply.header('vary', [...names, name].join(', '));
}

export function removeVary(reply: FastifyReply, name: string): void {
  const is = isName(name);
  const others = varyNames(reply).filter((other) => !is(other));
  if (others.length > 0) reply.header('vary', others.join(', '));
  else reply.removeHeader('vary');
}

const compress = promisify(gzip);

const compressed = new WeakMap<Buffer, Promise<Buffer> | undefined>();

/**
 * Marks bytes that are equal for all callers. The length of other bytes would reveal secrets if compressed
 * (BREACH).
 */
export function markCompressible(bytes: Buffer): Buffer {
  if (!compressed.has(bytes)) compressed.set(bytes, undefined);
  return bytes;
}

/** Returns true if a body is sent with gzip, and adds to `Vary`. A range selects plain bytes. */
export function negotiateGzip({ raw, headers }: FastifyRequest, reply: FastifyReply, body: unknown): boolean {
  if (!Buffer.isBuffer(body) || !compressed.has(body)) return false;
  addVary(reply, 'Accept-Encoding');
  return headers.range === undefined && new Negotiator(raw).encodings(['gzip']).includes('gzip');
}

/** Sends bytes compressed, plain, or as one range (RFC 9110 §14.2). */
export async function sendBytes(request: FastifyRequest, reply: FastifyReply, whole: Buffer): Promise<FastifyReply> {
  reply.header('accept-ranges', 'bytes');
  if (negotiateGzip(request, reply, whole)) {
    const pending = compressed.get(whole) ?? compress(whole);
    compressed.set(whole, pending);
    return reply.header('content-encoding', 'gzip').send(await pending);
  }
  const { range, 'if-range': ifRange } = request.headers;
  const isCurrent = ifRange === undefined || ifRange === reply.getHeader('etag');
  // Ranges apply to GET only.
  const isRange = range !== undefined && isCurrent && request.method === 'GET';
  const ranges = isRange ? parseRange(whole.length, range) : undefined;
  if (!Array.isArray(ranges) || ranges.type !== 'bytes' || ranges.length !== 1) return reply.send(whole);
  const { start, end } = ranges[0] as { start: number; end: number };
  reply.code(206).header('content-range', `bytes ${start}-${end}/${whole.length}`);
  return reply.send(whole.subarray(start, end + 1));
}

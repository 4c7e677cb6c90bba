import type { FastifyReply, FastifyRequest } from 'fastify';
import parseRange from 'range-parser';

/** One byte range (RFC 9110 §14.2). Several, or none that can be met, get the whole, as the RFC allows. */
export function sendRange({ headers }: FastifyRequest, reply: FastifyReply, whole: Buffer): FastifyReply {
  reply.header('accept-ranges', 'bytes');
  const current = headers['if-range'] === undefined || headers['if-range'] === reply.getHeader('etag');
  const ranges = headers.range !== undefined && current ? parseRange(whole.length, headers.range) : undefined;
  if (!Array.isArray(ranges) || ranges.type !== 'bytes' || ranges.length !== 1) return reply.send(whole);
  const { start, end } = ranges[0] as { start: number; end: number };
  reply.code(206).header('content-range', `bytes ${start}-${end}/${whole.length}`);
  return reply.send(whole.subarray(start, end + 1));
}

import type { FastifyRequest } from 'fastify';
import { Failure } from '../services/errors.js';

/**
 * A hook that refuses what names two hosts, as a server must (RFC 9112 §3.2): one of them may be the version's, or the
 * one that a proxy looked at.
 */
export async function refuseSecondHost({ raw: { rawHeaders } }: FastifyRequest): Promise<void> {
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts.length > 1) throw new Failure('BAD_REQUEST', 'The request names more than one Host.');
}

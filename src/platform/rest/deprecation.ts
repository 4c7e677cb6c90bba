import type { FastifyReply } from 'fastify';
import type { Operation } from '../contract/openapi.js';

/**
 * Says on every answer of a deprecated operation since when it is (RFC 9745), from when it may stop answering (RFC 8594), and
 * where to read what to use instead. The contract's `x-deprecation` has the three.
 * @returns undefined for an operation that is not
 */
export function deprecationNotice({ operation }: Operation): ((reply: FastifyReply) => void) | undefined {
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

import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * A hook that says on every answer of a deprecated operation since when it is (RFC 9745), from when it may stop answering
 * (RFC 8594), and where to read what to use instead. The contract's `x-deprecation` has the three.
 */
export async function tellDeprecation({ routeOptions }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const deprecation = routeOptions.config.operation?.operation['x-deprecation'];
  if (!deprecation) return;
  const { since, sunset, link } = deprecation;
  const links = [reply.getHeader('link'), `<${link}>; rel="deprecation"; type="text/html"`];
  reply.headers({
    deprecation: `@${Date.parse(since) / 1000}`,
    sunset: new Date(sunset).toUTCString(),
    link: links.filter((one) => one !== undefined).join(', '),
  });
}

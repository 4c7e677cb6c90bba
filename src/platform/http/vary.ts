import type { FastifyReply } from 'fastify';

const namesOf = (reply: FastifyReply): string[] => {
  const said = [reply.getHeader('vary') ?? []].flat().join(',');
  return said.split(',').flatMap((name) => name.trim() || []);
};
const isName = (name: string) => (other: string) => other.toLowerCase() === name.toLowerCase();

/** Says of an answer that it depends on a header of the request (RFC 9110 §12.5.5), beside what is said of others. */
export function varyBy(reply: FastifyReply, name: string): void {
  const names = namesOf(reply);
  if (!names.some(isName(name))) reply.header('vary', [...names, name].join(', '));
}

/** Says that an answer does not depend on a header of the request. */
export function varyNotBy(reply: FastifyReply, name: string): void {
  const is = isName(name);
  const others = namesOf(reply).filter((other) => !is(other));
  if (others.length > 0) reply.header('vary', others.join(', '));
  else reply.removeHeader('vary');
}

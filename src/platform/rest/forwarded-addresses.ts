import type { Forward, Operation } from '../contract/openapi.js';

/** An operation that another service carries out. */
export type Forwarded = Operation & { forward: Forward };

/** The headers whose whole value is an address (RFC 9110 §8.7 and §10.2.2). */
const ADDRESSES = new Set(['location', 'content-location']);

/**
 * Turns the addresses in the headers of another service into those that the same things have here. Nobody learns where it is; an
 * address that no operation has there is left without its origin, and one of somebody else's as it is.
 * @param base where it is, without a slash at the end
 * @param operations those that it carries out
 */
export function addressesHere(base: string, operations: readonly Forwarded[]): (name: string, value: string) => string {
  const { origin } = new URL(base);
  const root = base.slice(origin.length);
  const there = new RegExp(`${literal(origin)}(?=[/?#\\s"'>;,]|$)`, 'g');
  const templates = operations.map(({ path, forward }) => ({ path, ...patternOf(forward.path) }));

  function here(address: string): string {
    const own = address.startsWith(`${root}/`) ? address.slice(root.length) : address;
    for (const { path, pattern, names } of templates) {
      const [found, ...values] = pattern.exec(own) ?? [];
      if (found === undefined) continue;
      const filled = path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => values[names.indexOf(name)] ?? whole);
      // What is named here by more than by its path there has no address that could be told.
      if (!filled.includes('{')) return filled + own.slice(found.length);
    }
    return address;
  }

  return (name, value) => {
    const plain = value.replaceAll(there, '');
    return ADDRESSES.has(name) && plain.startsWith('/') ? here(plain) : plain;
  };
}

const literal = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What the paths of a template look like, from their beginning to a query, and the names of its parameters in their order. */
function patternOf(template: string): { pattern: RegExp; names: string[] } {
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const parts = template.split(/\{\w+\}/).map(literal);
  return { pattern: new RegExp(`^${parts.join('([^/?#]+)')}(?=[?#]|$)`), names };
}

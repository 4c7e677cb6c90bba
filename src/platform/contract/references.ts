/** Whether a value has members: an object, or a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Whether it is an object, and no list. */
export const isPlain = (value: unknown): value is Record<string, unknown> => isObject(value) && !Array.isArray(value);

/** The keys that lead to a place of a document, from its root. */
export type Keys = readonly (string | number)[];

/** The same text for the same keys, and for no others. */
export const keyOf = (keys: Keys): string => JSON.stringify(keys.map(String));

/** The keys of a local reference, `#/components/schemas/User` (a JSON pointer as a URI fragment; RFC 6901 §6). */
export const keysOf = (reference: string): string[] =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));

/** The value at the end of some keys, or undefined when they lead nowhere. */
export const valueAt = (document: unknown, keys: readonly string[]): unknown =>
  keys.reduce((value, key) => (isObject(value) ? value[key] : undefined), document);

/** The target of a local JSON pointer (RFC 6901). Throws when there is none. */
export function resolveReference(document: unknown, reference: string): unknown {
  const target = valueAt(document, keysOf(reference));
  if (!reference.startsWith('#/') || target === undefined) throw new Error(`Unresolved reference: ${reference}`);
  return target;
}

/**
 * A copy of `node` in which the references that `follow` accepts are replaced by what they name. What stands in several
 * places of it, as the target of several references does, is copied once and stands in all of them.
 */
export function withReferences(document: unknown, node: unknown, follow: (reference: string) => boolean): unknown {
  const copies = new Map<object, unknown>();
  const visiting = new Set<string>();
  function copy(value: unknown): unknown {
    if (!isObject(value)) return value;
    if (!copies.has(value)) copies.set(value, copied(value));
    return copies.get(value);
  }
  function copied(value: Record<string, unknown>): unknown {
    if (Array.isArray(value)) return value.map(copy);
    const reference = value['$ref'];
    if (typeof reference === 'string' && follow(reference)) {
      if (visiting.has(reference)) throw new Error(`Circular reference: ${reference}`);
      visiting.add(reference);
      const target = copy(resolveReference(document, reference));
      visiting.delete(reference);
      return target;
    }
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member)]));
  }
  return copy(node);
}

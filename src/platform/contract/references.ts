export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

export const isPlain = (value: unknown): value is Record<string, unknown> => isObject(value) && !Array.isArray(value);

export type Keys = readonly (string | number)[];

export const keyOf = (keys: Keys): string => JSON.stringify(keys.map(String));

/** Splits a local reference into its keys (a JSON pointer as a URI fragment; RFC 6901 §6). */
export const keysOf = (reference: string): string[] =>
  reference
    .replace(/^#\//, '')
    .split('/')
    .map((key) => decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~'));

export const valueAt = (document: unknown, keys: readonly string[]): unknown =>
  keys.reduce((value, key) => (isObject(value) ? value[key] : undefined), document);

/** Returns the target of a local reference. @throws Error without one */
export function resolveReference(document: unknown, reference: string): unknown {
  const target = valueAt(document, keysOf(reference));
  if (!reference.startsWith('#/') || target === undefined) throw new Error(`Unresolved reference: ${reference}`);
  return target;
}

/** Copies a value, and replaces the references that `follow` accepts by their targets. Shared parts are copied once. */
export function dereference(document: unknown, node: unknown, follow: (reference: string) => boolean): unknown {
  const copies = new Map<object, unknown>();
  const visiting = new Set<string>();
  function copy(value: unknown): unknown {
    if (!isObject(value)) return value;
    if (!copies.has(value)) copies.set(value, copyMembers(value));
    return copies.get(value);
  }
  function copyMembers(value: Record<string, unknown>): unknown {
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

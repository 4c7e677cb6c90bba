import { isObject } from '@accord-api/platform/contract/references';
import { HOLDS, type Kind } from './places.js';

type Path = readonly (string | number)[];

/** An object of a document, by what it is. */
export interface Element {
  kind: Kind;
  path: Path;
  // biome-ignore lint/suspicious/noExplicitAny: the shape follows from the kind, and `struct` has checked it.
  object: any;
}

function children(object: Record<string, unknown>, key: string): [Path, unknown][] {
  if (key === '*') return Object.entries(object).map(([name, one]) => [[name], one]);
  const [name = '', all] = key.split('.');
  const held = object[name];
  if (all === undefined) return [[[name], held]];
  if (Array.isArray(held)) return held.map((one, index) => [[name, index], one]);
  return isObject(held) ? Object.entries(held).map(([member, one]) => [[name, member], one]) : [];
}

/** Of which kind the object is that is looked through, and which are met: what stands in any other is not. */
interface Within {
  kind?: Kind;
  met?: ReadonlySet<Kind>;
}

/**
 * All objects of a document, or of another object of a contract, each once, at the place where it is written, and before those that
 * it holds. References are not followed: what one names is met where it stands.
 */
export function elementsOf(whole: unknown, { kind: outer = 'document', met }: Within = {}): Element[] {
  const found: Element[] = [];
  const visit = (kind: Kind, path: Path, object: unknown): void => {
    if (met?.has(kind) === false || !isObject(object)) return;
    found.push({ kind, path, object });
    for (const [keys, held] of HOLDS[kind]) {
      for (const key of keys) for (const [below, one] of children(object, key)) visit(held, [...path, ...below], one);
    }
  };
  visit(outer, [], whole);
  return found;
}

import type { OpenApiDocument } from 'accord/contract/document';
import { HOLDS, type Kind } from 'accord/contract/places';
import { isObject } from 'accord/contract/references';
import type { Path } from '../model/yaml-source.js';

/** An object of the document that rules ask about. */
export interface Element {
  kind: Kind;
  path: Path;
  // biome-ignore lint/suspicious/noExplicitAny: the shape follows from the kind, and `struct` has checked it.
  object: any;
}

/** What rules ask about; what stands in any other is not met. */
const ASKED = new Set<Kind>([
  ...(['document', 'components', 'pathItem', 'operation', 'parameter', 'header'] as const),
  ...(['body', 'response', 'mediaType', 'schema'] as const),
]);

function children(object: Record<string, unknown>, key: string): [Path, unknown][] {
  const [name = '', all] = key.split('.');
  const held = object[name];
  if (all === undefined) return [[[name], held]];
  if (Array.isArray(held)) return held.map((one, index) => [[name, index], one]);
  return isObject(held) ? Object.entries(held).map(([member, one]) => [[name, member], one]) : [];
}

/**
 * All objects of a document whose references are not followed, each once, at the place where it is written: what a
 * reference names is met where it stands.
 */
export function elements(document: OpenApiDocument): Element[] {
  const found: Element[] = [];
  const visit = (kind: Kind, path: Path, object: unknown): void => {
    if (!ASKED.has(kind) || !isObject(object)) return;
    found.push({ kind, path, object });
    for (const [keys, held] of HOLDS[kind]) {
      for (const key of keys) for (const [below, one] of children(object, key)) visit(held, [...path, ...below], one);
    }
  };
  visit('document', [], document);
  return found;
}

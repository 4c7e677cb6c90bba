import type { Schema } from './document.js';
import { resolveReference } from './references.js';
import { subschemasOf } from './subschemas.js';

/** What a schema refers to, at any depth; with `inPlace` only what is held against the same value. */
export function* referencesIn(schema: Schema, onlyInPlace = false): Generator<string> {
  if (schema.$ref !== undefined) yield schema.$ref;
  for (const { schema: one, inPlace } of subschemasOf(schema)) {
    if (inPlace || !onlyInPlace) yield* referencesIn(one, onlyInPlace);
  }
}

/** All that a reference leads to, itself too where it leads back. */
function reachedFrom(document: unknown, reference: string, onlyInPlace = false): Set<string> {
  const reached = new Set<string>();
  const pending = [reference];
  for (let at = pending.pop(); at !== undefined; at = pending.pop()) {
    for (const next of referencesIn(resolveReference(document, at) as Schema, onlyInPlace)) {
      if (reached.has(next)) continue;
      reached.add(next);
      pending.push(next);
    }
  }
  return reached;
}

/** A question of references whose answer is remembered. */
function remembered(answer: (reference: string) => boolean): (reference: string) => boolean {
  const known = new Map<string, boolean>();
  return (reference) => {
    const found = known.get(reference) ?? answer(reference);
    known.set(reference, found);
    return found;
  };
}

/** @returns whether the schema at a reference holds itself, as a comment holds comments */
export const recursionIn = (document: unknown): ((reference: string) => boolean) =>
  remembered((reference) => reachedFrom(document, reference).has(reference));

/** @returns whether a value is held against the schema at a reference again and again, by nothing but that schema */
export const idlenessIn = (document: unknown): ((reference: string) => boolean) =>
  remembered((reference) => reachedFrom(document, reference, true).has(reference));

const takesOnly = ({ type }: Schema, wanted: string): boolean => [type].flat().join() === wanted;

/**
 * Which of some named schemas have a value that ends: what must hold another of itself, which must hold another, has none.
 * @param references those to the schemas
 * @returns the references to those that have none
 */
export function endless(document: unknown, references: readonly string[]): string[] {
  const ending = new Set<string>();
  const ends = (schema: unknown): boolean => {
    if (typeof schema !== 'object' || schema === null) return true;
    const { $ref, allOf = [], anyOf, oneOf, properties = {}, required = [], items, minItems } = schema as Schema;
    const isObject = takesOnly(schema as Schema, 'object');
    const holdsItems = takesOnly(schema as Schema, 'array') && Number(minItems) > 0;
    return (
      ($ref === undefined || ending.has($ref) || !references.includes($ref)) &&
      allOf.every(ends) &&
      [anyOf, oneOf].every((alternatives) => alternatives === undefined || alternatives.some(ends)) &&
      (!isObject || required.every((name) => ends(properties[name]))) &&
      (!holdsItems || ends(items))
    );
  };
  const missing = () => references.filter((one) => !ending.has(one) && ends(resolveReference(document, one)));
  for (let found = missing(); found.length > 0; found = missing()) for (const one of found) ending.add(one);
  return references.filter((one) => !ending.has(one));
}

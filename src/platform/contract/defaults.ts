import type { OpenApiDocument } from './document.js';
import { JsonPathError, type Keys, keyOf, select } from './json-path.js';
import { isObject, isPlain, keysOf, valueAt } from './references.js';

/** The member at the root of a contract that says what holds for many of its places. */
export const DEFAULTS = 'x-defaults';

/**
 * What holds wherever a place does not say otherwise: an action of an OpenAPI Overlay 1.0, but that what a place says itself goes
 * before.
 *
 * @see https://spec.openapis.org/overlay/v1.0.0.html#action-object
 */
interface Action {
  /** The places, by JSONPath (`select`). */
  target: string;
  description?: string;
  /** What is merged into each, as far as it is not there: objects member by member, of arrays what they lack. */
  update?: Record<string, unknown>;
  /** What each says under one name it says under another, too. */
  copy?: Record<string, string>;
}

/** What is wrong with a default, and the keys that lead there. */
interface Fault {
  path: Keys;
  message: string;
}

/** A contract in which everything stands at its place. */
interface Completed {
  document: OpenApiDocument;
  faults: Fault[];
  /** Where in the authored contract something stands that has these keys in the completed one. */
  originOf: (keys: Keys) => Keys;
}

/** Why an action cannot be carried out; undefined for a sound one. */
function flawOf(action: unknown): string | undefined {
  if (!isPlain(action) || typeof action['target'] !== 'string') return 'A default says by `target` where it holds.';
  const { target: _target, description: _description, update, copy, ...others } = action;
  const [surplus] = Object.keys(others);
  if (surplus !== undefined) return `A default has target, description, update and copy, and no \`${surplus}\`.`;
  const isUpdate = update === undefined || isPlain(update);
  const isCopy = copy === undefined || (isPlain(copy) && Object.values(copy).every((to) => typeof to === 'string'));
  if (isUpdate && isCopy && (update ?? copy) !== undefined) return undefined;
  return 'A default says by `update` what is to be there, as an object; or by `copy` under which other name.';
}

/** What tells an entry of a list from others: of a parameter its place and name, whether it is written out or not. */
function identityOf(document: unknown, entry: unknown): string {
  const reference = isPlain(entry) ? entry['$ref'] : undefined;
  const value = typeof reference === 'string' ? valueAt(document, keysOf(reference)) : entry;
  const isParameter = isPlain(value) && typeof value['in'] === 'string' && typeof value['name'] === 'string';
  return isParameter ? `${value['in']} ${value['name']}` : JSON.stringify(entry);
}

/** Where something refers to a component, by the reference. */
function referencesIn(value: unknown, at: Keys = [], found = new Map<string, Keys[]>()): Map<string, Keys[]> {
  if (!isObject(value)) return found;
  const reference = value['$ref'];
  if (typeof reference === 'string') found.set(reference, [...(found.get(reference) ?? []), at]);
  for (const [name, member] of Object.entries(value)) referencesIn(member, [...at, name], found);
  return found;
}

/** What a default has completed that operations share: the reference, and from where that was reached. */
interface Shared {
  path: Keys;
  reference: string;
  via: ReadonlySet<string>;
}

/**
 * The contract with what its `x-defaults` say put into each place that does not say it itself, and without them. References stay.
 * Defaults are carried out in their order, each on what those before it left; what a reference names is completed where it stands.
 * @param authored the parsed `openapi.yaml`, which is left as it is
 */
export function completed(authored: unknown): Completed {
  const actions = isPlain(authored) ? authored[DEFAULTS] : undefined;
  if (actions === undefined) return { document: authored as OpenApiDocument, faults: [], originOf: (keys) => keys };
  const { [DEFAULTS]: _stated, ...document } = structuredClone(authored) as Record<string, unknown>;
  const origins = new Map<string, Keys>();
  const faults: Fault[] = [];
  const shared: Shared[] = [];

  function originOf(keys: Keys): Keys {
    for (let length = keys.length; length > 0; length -= 1) {
      const origin = origins.get(keyOf(keys.slice(0, length)));
      if (origin !== undefined) return [...origin, ...keys.slice(length)];
    }
    return keys;
  }
  function append(list: unknown[], entries: readonly unknown[], at: Keys, from: Keys): void {
    const there = new Set(list.map((entry) => identityOf(document, entry)));
    for (const [index, entry] of entries.entries()) {
      if (there.has(identityOf(document, entry))) continue;
      origins.set(keyOf([...at, list.length]), [...from, index]);
      list.push(structuredClone(entry));
    }
  }
  function merge(target: Record<string, unknown>, update: Record<string, unknown>, at: Keys, from: Keys): void {
    for (const [name, value] of Object.entries(update)) {
      const own = target[name];
      const [place, origin] = [
        [...at, name],
        [...from, name],
      ];
      if (own === undefined) {
        target[name] = structuredClone(value);
        origins.set(keyOf(place), origin);
      } else if (Array.isArray(own) && Array.isArray(value)) append(own, value, place, origin);
      else if (isPlain(own) && isPlain(value) && !('$ref' in own) && !('$ref' in value)) {
        merge(own, value, place, origin);
      }
    }
  }
  function copyMembers(target: Record<string, unknown>, copy: Record<string, string>, at: Keys): void {
    for (const [from, to] of Object.entries(copy)) {
      if (target[from] === undefined || target[to] !== undefined) continue;
      target[to] = structuredClone(target[from]);
      origins.set(keyOf([...at, to]), originOf([...at, from]));
    }
  }
  function carryOut({ target, update = {}, copy = {} }: Action, path: Keys): void {
    const places = select(document, target);
    const objects = places.filter(({ value }) => isPlain(value));
    if (objects.length === 0)
      faults.push({ path: [...path, 'target'], message: 'This default holds for nothing here.' });
    for (const { keys, value, via } of objects) {
      const known = origins.size;
      merge(value as Record<string, unknown>, update, keys, [...path, 'update']);
      copyMembers(value as Record<string, unknown>, copy, keys);
      const isCompleted = origins.size > known;
      const reference = `#/${keys.slice(0, 3).join('/')}`;
      if (isCompleted && via.length > 0) shared.push({ path, reference, via: new Set(via.map(keyOf)) });
    }
  }

  if (!Array.isArray(actions)) faults.push({ path: [DEFAULTS], message: 'The defaults are a list.' });
  for (const [index, action] of (Array.isArray(actions) ? actions : []).entries()) {
    const path = [DEFAULTS, index];
    const flaw = flawOf(action);
    if (flaw !== undefined) {
      faults.push({ path, message: flaw });
      continue;
    }
    try {
      carryOut(action as Action, path);
    } catch (error) {
      if (!(error instanceof JsonPathError)) throw error;
      faults.push({ path: [...path, 'target'], message: error.message });
    }
  }
  // What a default adds to a component is there for all who use it, so it must hold for all of them.
  const references = shared.length > 0 ? referencesIn(document['paths'], ['paths']) : new Map<string, Keys[]>();
  for (const { path, reference, via } of shared) {
    const other = references.get(reference)?.find((use) => !via.has(keyOf(use)));
    if (other === undefined) continue;
    const message = `This default completes ${reference}, which is used where it does not hold, too: ${other.join(' ')}. Give that a component of its own.`;
    faults.push({ path: [...path, 'target'], message });
  }
  return { document: document as unknown as OpenApiDocument, faults, originOf };
}

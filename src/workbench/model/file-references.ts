import { dirname, join, relative } from 'node:path/posix';
import { isObject, isPlain, type Keys, keyOf, keysOf } from '@accord-api/platform/contract/references';
import type { YamlSource } from './yaml-source.js';

export interface Location {
  file: string;
  keys: Keys;
}

/** The files of a contract, by paths relative to the folder of the first file. */
export interface ContractFiles {
  first: string;
  /** Returns true for paths in the project's folder. */
  contains: (path: string) => boolean;
  read: (path: string) => YamlSource | undefined;
}

export interface Target {
  location: Location;
  value: unknown;
}

export class InvalidReference extends Error {}

const MAX_REDIRECTS = 50;

export const referenceIn = (value: unknown): string | undefined =>
  isPlain(value) && typeof value['$ref'] === 'string' ? value['$ref'] : undefined;

export const hasOneKey = (node: unknown): boolean => isPlain(node) && Object.keys(node).length === 1;

export const locationKey = ({ file, keys }: Location): string => `${file} ${keyOf(keys)}`;

function parseReference(reference: string, from: string): Location {
  const [address = '', ...rest] = reference.split('#');
  const fragment = rest.join('#');
  if (/^([a-z][a-z\d+.-]*:|\/\/)/i.test(address))
    throw new InvalidReference(
      `The reference ${reference} leads to the network or out of the project's folder, and is not followed.`,
    );
  if (/^[/\\]/.test(address))
    throw new InvalidReference(`The reference ${reference} leads out of the project's folder, and is not followed.`);
  if (fragment !== '' && !fragment.startsWith('/'))
    throw new InvalidReference(`The reference ${reference} has no JSON pointer after its #.`);
  try {
    const file = address === '' ? from : join(dirname(from), decodeURIComponent(address));
    return { file, keys: fragment === '' ? [] : keysOf(`#${fragment}`) };
  } catch {
    throw new InvalidReference(`The reference ${reference} is not the address of a file.`);
  }
}

/**
 * Returns a function that follows references between the files of a contract, also references on the way to the target. It returns
 * undefined if a file on the way has syntax errors, and throws InvalidReference.
 */
export function referenceFollower({ first, contains, read }: ContractFiles) {
  function open(path: string, reference: string): YamlSource {
    if (path !== first && !contains(path))
      throw new InvalidReference(`The reference ${reference} leads out of the project's folder, and is not followed.`);
    const source = read(path);
    if (source === undefined)
      throw new InvalidReference(`The reference ${reference} leads to no file: there is no ${path}.`);
    return source;
  }

  /** After a move into another file, local references often still mean the first file. */
  const hint = (file: string, from: string): string =>
    file === from && from !== first ? ` A # alone is this file; ${first} is ${relative(dirname(from), first)}#.` : '';

  return (reference: string, from: string): Target | undefined => {
    const visited = new Set<string>();
    let location = parseReference(reference, from);
    for (;;) {
      const { file, keys } = location;
      const source = open(file, reference);
      if (source.errors.length > 0) return undefined;
      if (visited.has(locationKey(location)) || visited.size > MAX_REDIRECTS)
        throw new InvalidReference(`The reference ${reference} leads to nothing but itself.`);
      visited.add(locationKey(location));
      const { value, rest } = walk(source.value, keys);
      const onward = referenceIn(value);
      if (onward !== undefined && (rest.length > 0 || hasOneKey(value))) {
        const next = parseReference(onward, file);
        location = { file: next.file, keys: [...next.keys, ...rest] };
      } else if (rest.length > 0) {
        throw new InvalidReference(`The reference ${reference} leads to nothing in ${file}.${hint(file, from)}`);
      } else return { location, value };
    }
  };
}

function walk(document: unknown, keys: Keys): { value: unknown; rest: Keys } {
  let value = document;
  for (const [index, key] of keys.entries()) {
    if (!isObject(value) || !Object.hasOwn(value, key)) return { value, rest: keys.slice(index) };
    value = value[key];
  }
  return { value, rest: [] };
}

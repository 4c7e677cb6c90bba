import { dirname, join, relative } from 'node:path/posix';
import { isObject, isPlain, type Keys, keyOf, keysOf } from '@accord-api/platform/contract/references';

/** Something in a file of a contract. */
export interface Spot {
  file: string;
  keys: Keys;
}

/** How a file is got, by its path from where the contract stands. */
export interface PartReader {
  /** Whether it would be the project's. */
  contains: (path: string) => boolean;
  /** What it says; undefined where there is none. `broken`: it does not parse, which its reader tells. */
  read: (path: string) => { value: unknown; broken?: boolean } | undefined;
}

/** What a reference leads to. */
export interface Target {
  spot: Spot;
  value: unknown;
  /** The same for the same spot. */
  identity: string;
}

/** References that lead to one another: more than anybody writes. */
const LONGEST = 50;

export const referenceIn = (value: unknown): string | undefined =>
  isPlain(value) && typeof value['$ref'] === 'string' ? value['$ref'] : undefined;

export const isAlone = (node: unknown): boolean => isPlain(node) && Object.keys(node).length === 1;

const identityOf = ({ file, keys }: Spot): string => `${file} ${keyOf(keys)}`;

/** A reference that cannot be followed. */
export class Unfollowable extends Error {}

/** How references between the files of a contract are followed, of which `first` says this `value`. */
export function partReferences(first: string, value: unknown, parts: PartReader) {
  const known = new Map<string, { value: unknown; broken?: boolean } | undefined>([[first, { value }]]);

  function fileAt(path: string, reference: string) {
    if (!known.has(path) && !parts.contains(path))
      throw new Unfollowable(`The reference ${reference} leads out of the project's folder, and is not followed.`);
    if (!known.has(path)) known.set(path, parts.read(path));
    const found = known.get(path);
    if (found === undefined)
      throw new Unfollowable(`The reference ${reference} leads to no file: there is no ${path}.`);
    return found;
  }

  /** The file that a reference names, and the keys in it. */
  function named(reference: string, from: string): Spot {
    const [address = '', ...rest] = reference.split('#');
    const fragment = rest.join('#');
    if (/^([a-z][a-z\d+.-]*:|\/\/)/i.test(address))
      throw new Unfollowable(
        `The reference ${reference} leads to the network or out of the project's folder, and is not followed.`,
      );
    if (/^[/\\]/.test(address))
      throw new Unfollowable(`The reference ${reference} leads out of the project's folder, and is not followed.`);
    if (fragment !== '' && !fragment.startsWith('/'))
      throw new Unfollowable(`The reference ${reference} has no JSON pointer after its #.`);
    try {
      const file = address === '' ? from : join(dirname(from), decodeURIComponent(address));
      return { file, keys: fragment === '' ? [] : keysOf(`#${fragment}`) };
    } catch {
      throw new Unfollowable(`The reference ${reference} is no address of a file.`);
    }
  }

  /** Whether a reference is of the first file to itself, and stays as it is. */
  const isWithinFirst = (reference: string, from: string): boolean => from === first && reference.startsWith('#');

  /**
   * What is at a spot in the end; undefined where a file does not parse. References on the way are followed, and one that is all that
   * stands there.
   */
  function reached(spot: Spot, reference: string, from: string, before: readonly string[] = []): Target | undefined {
    const { value: whole, broken } = fileAt(spot.file, reference);
    if (broken === true) return undefined;
    const identity = identityOf(spot);
    if (before.includes(identity) || before.length > LONGEST)
      throw new Unfollowable(`The reference ${reference} leads to nothing but itself.`);
    let at: unknown = whole;
    for (const [index, key] of [...spot.keys, undefined].entries()) {
      const onward = referenceIn(at);
      const isThere = key === undefined ? !isAlone(at) : isObject(at) && Object.hasOwn(at, key);
      if (onward !== undefined && !isThere) {
        const { file, keys } = named(onward, spot.file);
        return reached({ file, keys: [...keys, ...spot.keys.slice(index)] }, reference, from, [...before, identity]);
      }
      if (key === undefined) break;
      if (!isThere)
        throw new Unfollowable(`The reference ${reference} leads to nothing in ${spot.file}.${hint(spot.file, from)}`);
      at = (at as Record<string, unknown>)[key];
    }
    return { spot, value: at, identity };
  }

  /** What a reference in a file leads to; undefined where that does not parse. Throws Unfollowable. */
  const targetOf = (reference: string, from: string) => reached(named(reference, from), reference, from);

  /** Whoever moves a part into a file forgets that its references are to that file now. */
  const hint = (file: string, from: string): string =>
    file === from && from !== first ? ` A # alone is this file; ${first} is ${relative(dirname(from), first)}#.` : '';
  return { targetOf, isWithinFirst };
}

import { isPlain, type Keys, keyOf } from '@accord-api/platform/contract/references';
import {
  isAlone,
  type PartReader,
  partReferences,
  referenceIn,
  type Spot,
  type Target,
  Unfollowable,
} from './part-references.js';
import { COMPONENTS, HOLDS, type Kind } from './places.js';

/** A reference to another file that cannot be followed, and where it stands. */
interface JoinFault extends Spot {
  message: string;
}

/** A contract whose files have become one document, in which all references lead to a place of its own. */
interface Joined {
  document: unknown;
  faults: JoinFault[];
  /**
   * Where the files say what has these keys in the document.
   * @param onKey whether the key is meant, which for what a reference put there may stand with the reference
   */
  spotOf: (keys: Keys, onKey?: boolean) => Spot;
}

/** Places that references may fill in: far more than a contract has, and few enough to end. */
const MOST = 20_000;

const pointerTo = (keys: Keys): string =>
  `#/${keys
    .map((key) => encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%24', '$'))
    .join('/')}`;

interface Put {
  at: Keys;
  spot: Spot;
  /** The reference that put it there; undefined for a member beside one. */
  host: Spot | undefined;
}

type Copying = (node: unknown, spot: Spot, at: Keys, above: readonly string[]) => unknown;

interface Pending {
  node: Record<string, unknown>;
  /** The member of it that refers. */
  member: string;
  kind: Kind;
  target: Target;
}

/**
 * The files of a contract as one document. What stands in another file is put where the reference to it stands, if that is a place of
 * its own: a path, a component, a whole section. Elsewhere the reference stays, to the component that it is put as, or that it
 * becomes under its own name.
 * @param value what the first file says, which is left as it is
 */
export function joined(first: string, value: unknown, parts: PartReader): Joined {
  const { targetOf, isWithinFirst } = partReferences(first, value, parts);
  const faults: JoinFault[] = [];
  const puts = new Map<string, Put>();
  const pending: Pending[] = [];
  put([], { file: first, keys: [] });

  const attempt = <Result>(spot: Spot, run: () => Result): Result | undefined => {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof Unfollowable)) throw error;
      // A part that is put in several places has its faults once.
      const isKnown = faults.some(({ file, keys }) => file === spot.file && keyOf(keys) === keyOf(spot.keys));
      if (!isKnown) faults.push({ ...spot, message: error.message });
      return undefined;
    }
  };

  function put(at: Keys, spot: Spot, host?: Spot): void {
    if (!puts.has(keyOf(at))) puts.set(keyOf(at), { at, spot, host });
  }

  /** What stands where a reference puts it, and the members beside the reference. */
  function filledIn(
    read: Copying,
    node: Record<string, unknown>,
    spot: Spot,
    at: Keys,
    above: readonly string[],
  ): unknown {
    const { $ref: reference, ...own } = node;
    const found = attempt({ ...spot, keys: [...spot.keys, '$ref'] }, () => {
      if (puts.size > MOST) throw new Unfollowable(`The references of this contract fill more than ${MOST} places.`);
      const target = targetOf(reference as string, spot.file);
      if (target !== undefined && above.includes(target.identity))
        throw new Unfollowable(`The reference ${reference} leads in a circle, to what it stands in.`);
      return target;
    });
    if (found === undefined) return {};
    put(at, found.spot, spot);
    const whole = read(found.value, found.spot, at, [...above, found.identity]);
    if (isAlone(node) || !isPlain(whole)) return whole;
    for (const key of Object.keys(own)) put([...at, key], { ...spot, keys: [...spot.keys, key] });
    return { ...whole, ...(read(own, spot, at, above) as object) };
  }

  const isComponentAt = (kind: Kind, at: Keys): boolean =>
    at.length === 3 && at[0] === 'components' && at[1] === COMPONENTS[kind];

  /** What a member of a kind becomes. */
  function member(kind: Kind, node: unknown, spot: Spot, at: Keys, above: readonly string[]): unknown {
    const reference = referenceIn(node);
    const copy: Copying = (...args) => copied(kind, ...args);
    if (reference === undefined || isWithinFirst(reference, spot.file)) return copy(node, spot, at, above);
    const written = node as Record<string, unknown>;
    if (COMPONENTS[kind] === undefined) return filledIn(copy, written, spot, at, above);
    const target = attempt({ ...spot, keys: [...spot.keys, '$ref'] }, () => targetOf(reference, spot.file));
    if (target === undefined) return node;
    const isFirst = isComponentAt(kind, at) && isAlone(node) && placeIn(target.spot) === undefined;
    if (isFirst) return filledIn(copy, written, spot, at, above);
    const referring = copy(node, spot, at, above) as Record<string, unknown>;
    pending.push({ node: referring, member: '$ref', kind, target });
    return referring;
  }

  /** A section that holds members by names or in order, which may be a file of its own. */
  function section(kind: Kind, node: unknown, spot: Spot, at: Keys, above: readonly string[]): unknown {
    const reference = referenceIn(node);
    if (reference !== undefined && !isWithinFirst(reference, spot.file)) {
      return filledIn((...args) => section(kind, ...args), node as Record<string, unknown>, spot, at, above);
    }
    const one = (key: string | number, held: unknown) =>
      member(kind, held, { ...spot, keys: [...spot.keys, key] }, [...at, key], above);
    if (Array.isArray(node)) return node.map((held, index) => one(index, held));
    if (!isPlain(node)) return node;
    return Object.fromEntries(Object.entries(node).map(([key, held]) => [key, one(key, held)]));
  }

  function copied(kind: Kind, node: unknown, spot: Spot, at: Keys, above: readonly string[]): unknown {
    if (!isPlain(node)) return node;
    const result: Record<string, unknown> = { ...node };
    const step = (key: string): [Spot, Keys] => [{ ...spot, keys: [...spot.keys, key] }, [...at, key]];
    for (const [holdings, held] of HOLDS[kind]) {
      for (const holding of holdings) {
        const [key = '', all] = holding.split('.');
        if (key === '*') return section(held, node, spot, at, above);
        if (!Object.hasOwn(node, key)) continue;
        const enter = all === undefined ? member : section;
        result[key] = enter(held, node[key], ...step(key), above);
      }
    }
    if (kind === 'schema') discriminate(result, spot);
    return result;
  }

  /** The values of a discriminator are references as well, unless they are names. */
  function discriminate(schema: Record<string, unknown>, spot: Spot): void {
    const { discriminator } = schema;
    const mapping = isPlain(discriminator) ? discriminator['mapping'] : undefined;
    if (!isPlain(mapping)) return;
    const copy = { ...mapping };
    schema['discriminator'] = { ...(discriminator as object), mapping: copy };
    for (const [name, reference] of Object.entries(mapping)) {
      if (typeof reference !== 'string' || !/[#/]|\.(ya?ml|json)$/.test(reference)) continue;
      if (isWithinFirst(reference, spot.file)) continue;
      const keys = [...spot.keys, 'discriminator', 'mapping', name];
      const target = attempt({ ...spot, keys }, () => targetOf(reference, spot.file));
      if (target !== undefined) pending.push({ node: copy, member: name, kind: 'schema', target });
    }
  }

  /** Where in the document something of a file stands: as a component before other places. */
  function placeIn({ file, keys }: Spot): Keys | undefined {
    const places = [...puts.values()].flatMap(({ at, spot }) => {
      const isAround = spot.file === file && spot.keys.every((key, index) => String(key) === String(keys[index]));
      return isAround ? [[...at, ...keys.slice(spot.keys.length)]] : [];
    });
    return places.find(([root]) => root === 'components') ?? places[0];
  }

  const document = copied('document', value, { file: first, keys: [] }, [], []);

  /** A name under which a component is not there yet. */
  function nameFor(folder: Record<string, unknown>, { file, keys }: Spot): string {
    const last = String(
      keys.at(-1) ??
        file
          .split('/')
          .at(-1)
          ?.replace(/\.[^.]*$/, '') ??
        '',
    );
    const name = last.replaceAll(/[^\w.-]/g, '_') || 'part';
    let free = name;
    for (let number = 2; Object.hasOwn(folder, free); number += 1) free = `${name}-${number}`;
    return free;
  }

  function become(kind: Kind, target: Target): Keys {
    const whole = document as Record<string, Record<string, Record<string, unknown>>>;
    const folder = COMPONENTS[kind] as string;
    whole['components'] = { ...whole['components'] };
    const components = whole['components'];
    components[folder] = { ...components[folder] };
    const name = nameFor(components[folder], target.spot);
    const at = ['components', folder, name];
    put(at, target.spot);
    // Its name is taken before what it holds asks for one.
    components[folder][name] = {};
    const copy = copied(kind, target.value, target.spot, at, []);
    (whole['components'][folder] as Record<string, unknown>)[name] = copy;
    return at;
  }

  // The list grows, for what becomes a component may refer to others.
  for (const { node, member: name, kind, target } of pending) {
    node[name] = pointerTo(placeIn(target.spot) ?? become(kind, target));
  }

  function spotOf(keys: Keys, onKey = false): Spot {
    for (let length = keys.length; length > 0; length -= 1) {
      const found = puts.get(keyOf(keys.slice(0, length)));
      if (found === undefined) continue;
      const { spot, host } = found;
      const isItself = length === keys.length;
      // The name of a path stands with the reference; that of a component in a file of several is there, too.
      if (isItself && onKey && host !== undefined && spot.keys.at(-1) !== keys.at(-1)) return host;
      return { file: spot.file, keys: [...spot.keys, ...keys.slice(length)] };
    }
    return { file: first, keys };
  }
  return { document, faults, spotOf };
}

import { dirname, join, parse, relative } from 'node:path/posix';
import { isObject, isPlain, type Keys, keyOf, keysOf } from '@accord-api/platform/contract/document';
import { ERROR_CODE } from './codes.js';
import { DEFAULTS } from './defaults.js';
import { COMPONENTS, type ElementKind, kindsOfMembers, type Shape } from './elements.js';
import type { OpenApiNode } from './openapi-node.js';
import { additionsOf, documentOf, isOfPart, listedIn, partsIn, withValue } from './part-documents.js';
import type { YamlSource } from './yaml-source.js';

interface Location {
  file: string;
  keys: Keys;
}

/** The files of a contract, by paths relative to the folder of the first file. */
interface ContractFiles {
  first: string;
  /** Returns true for paths in the project's folder. */
  contains: (path: string) => boolean;
  read: (path: string) => YamlSource | undefined;
  /** Returns the roles that the other contract defines. */
  roles: () => readonly string[];
}

interface Target {
  location: Location;
  value: unknown;
}

class InvalidReference extends Error {}

const MAX_REDIRECTS = 50;

const referenceIn = (value: unknown): string | undefined =>
  isPlain(value) && typeof value['$ref'] === 'string' ? value['$ref'] : undefined;

const hasOneKey = (node: unknown): boolean => isPlain(node) && Object.keys(node).length === 1;

const locationKey = ({ file, keys }: Location): string => `${file} ${keyOf(keys)}`;

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
    const path = address === '' ? from : join(dirname(from), decodeURIComponent(address));
    // An installed package is found from the project's folder upwards.
    const file = path.replace(
      /^(?:(?:\.\.\/)+|.*\/)(?=node_modules\/@accord-api\/platform\/)|^(?:\.\.\/)+(?=node_modules\/)/,
      '',
    );
    return { file, keys: fragment === '' ? [] : keysOf(`#${fragment}`) };
  } catch {
    throw new InvalidReference(`The reference ${reference} is not the address of a file.`);
  }
}

/**
 * Returns a function that follows references between the files of a contract, also references on the way to the target. It returns
 * undefined if a file on the way has syntax errors, and throws InvalidReference.
 */
function referenceFollower({ first, contains, read }: ContractFiles) {
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

/** The files of a contract as one document. All its references point into the document. */
export interface Bundle {
  document: unknown;
  faults: (Location & { message: string })[];
  /** The number of defaults of the contract itself. Those of its parts follow. */
  ownDefaults: number;
  /** Returns the location in the files of the value with these keys, or with `onKey` of its key. */
  locationOf: (keys: Keys, onKey?: boolean) => Location;
}

/** Limits the memory for documents whose references expand exponentially. Real contracts have fewer. */
const MAX_INLINED = 20_000;

const pointerTo = (keys: Keys): string =>
  `#/${keys
    .map((key) => encodeURIComponent(String(key).replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%24', '$'))
    .join('/')}`;

interface Context {
  location: Location;
  at: Keys;
  inlined: readonly string[];
}

const nested = ({ location, at, inlined }: Context, key: string | number): Context => ({
  location: { ...location, keys: [...location.keys, key] },
  at: [...at, key],
  inlined,
});

/** The origin of a value of the document. `reference` is the location of the reference that the value replaces. */
interface Placement {
  at: Keys;
  location: Location;
  reference?: Location;
}

/**
 * Bundles the files of a contract. A path item or a section (`paths`, `components.schemas`) of another file replaces the reference.
 * Other references stay, and point to the component with the value, or to a new component with the name of the value.
 */
export function bundle(files: ContractFiles): Bundle {
  const { first, read, roles } = files;
  const follow = referenceFollower(files);
  const faults: Bundle['faults'] = [];
  const placements = new Map<string, Placement>();
  const pending: { node: Record<string, unknown>; member: string; kind: ElementKind; target: Target }[] = [];

  function addPlacement(at: Keys, location: Location, reference?: Location): void {
    const key = keyOf(at);
    if (!placements.has(key)) placements.set(key, { at, location, ...(reference && { reference }) });
  }

  function attempt<Result>(location: Location, run: () => Result): Result | undefined {
    try {
      return run();
    } catch (error) {
      if (!(error instanceof InvalidReference)) throw error;
      const isKnown = faults.some((fault) => locationKey(fault) === locationKey(location));
      if (!isKnown) faults.push({ ...location, message: error.message });
      return undefined;
    }
  }

  const isExternal = (reference: string, { file }: Location): boolean => file !== first || !reference.startsWith('#');

  function copy(shape: Shape, node: unknown, context: Context): unknown {
    const result = Array.isArray(node) ? [...node] : isPlain(node) ? { ...node } : node;
    for (const [key, inner] of kindsOfMembers(shape, node)) {
      const members = result as Record<string, unknown>;
      members[key] = visit(inner, members[key], nested(context, key));
    }
    if (shape === 'schema' && isPlain(result)) copyMapping(result, context.location);
    return result;
  }

  function visit(shape: Shape, node: unknown, context: Context): unknown {
    const { location, at } = context;
    const reference = referenceIn(node);
    if (reference === undefined || !isExternal(reference, location)) return copy(shape, node, context);
    const folder = typeof shape === 'string' ? COMPONENTS[shape] : undefined;
    const origin = nested(context, '$ref').location;
    const target = attempt(origin, () => follow(reference, location.file));
    if (target === undefined) return folder === undefined ? {} : node;
    const isComponent = at.length === 3 && at[0] === 'components' && at[1] === folder;
    const usesComponent = folder !== undefined && !(isComponent && hasOneKey(node) && !keysOfCopy(target.location));
    if (!usesComponent) {
      const inlined = attempt(origin, () => inline(shape, node as OpenApiNode, target, context));
      // The null of an empty file stays, so that the check reports it.
      return inlined === undefined ? {} : inlined;
    }
    const copied = copy(shape, node, context) as OpenApiNode;
    pending.push({ node: copied, member: '$ref', kind: shape as ElementKind, target });
    return copied;
  }

  /** Returns the target of a reference. Other members of the node take precedence. @throws InvalidReference */
  function inline(shape: Shape, node: OpenApiNode, { location, value }: Target, context: Context): unknown {
    const { at, inlined } = context;
    if (inlined.includes(locationKey(location)))
      throw new InvalidReference(`The reference ${node.$ref} is part of its own target: remove the cycle.`);
    if (placements.size > MAX_INLINED)
      throw new InvalidReference(`The references of this contract expand to more than ${MAX_INLINED} values.`);
    addPlacement(at, location, context.location);
    const result = copy(shape, value, { location, at, inlined: [...inlined, locationKey(location)] });
    if (hasOneKey(node) || !isPlain(result)) return result;
    const { $ref: _reference, ...siblings } = node;
    for (const key of Object.keys(siblings)) addPlacement([...at, key], nested(context, key).location);
    return { ...result, ...(copy(shape, siblings, context) as object) };
  }

  /** Copies the mapping of a discriminator, whose values are references or names of components. */
  function copyMapping(schema: Record<string, unknown>, { file, keys }: Location): void {
    const { discriminator } = schema;
    if (!isPlain(discriminator) || !isPlain(discriminator['mapping'])) return;
    const mapping = { ...discriminator['mapping'] };
    schema['discriminator'] = { ...discriminator, mapping };
    for (const [name, reference] of Object.entries(mapping)) {
      const isReference = typeof reference === 'string' && /[#/]|\.(ya?ml|json)$/.test(reference);
      if (!isReference || !isExternal(reference, { file, keys })) continue;
      const location = { file, keys: [...keys, 'discriminator', 'mapping', name] };
      const target = attempt(location, () => follow(reference, file));
      if (target !== undefined) pending.push({ node: mapping, member: name, kind: 'schema', target });
    }
  }

  /** Returns the keys in the document of a value of a file, preferably those of a component. */
  function keysOfCopy({ file, keys }: Location): Keys | undefined {
    const copies = [...placements.values()].flatMap(({ at, location }) => {
      const isAncestor =
        location.file === file && location.keys.every((key, index) => String(key) === String(keys[index]));
      return isAncestor ? [[...at, ...keys.slice(location.keys.length)]] : [];
    });
    return copies.find(([root]) => root === 'components') ?? copies[0];
  }

  addPlacement([], { file: first, keys: [] });
  let document = copy('document', read(first)?.value, { location: { file: first, keys: [] }, at: [], inlined: [] });
  const ownDefaults = listedIn(document, DEFAULTS).length;
  const ownCodes = walk(document, ['components', 'schemas', ERROR_CODE]).rest.length === 0;

  for (const { part, keys, message } of partsIn(document)) {
    if (message !== undefined) faults.push({ file: first, keys, message });
    const target = part && attempt({ file: first, keys }, () => follow(documentOf(part), first));
    if (!target) continue;
    const { file } = target.location;
    for (const { kind, value, from, at } of additionsOf(target.value, document, roles())) {
      addPlacement(at, { file, keys: from });
      document = withValue(document, at, visit(kind, value, { location: { file, keys: from }, at, inlined: [] }));
    }
  }

  function addComponent(kind: ElementKind, { location, value }: Target): Keys {
    const whole = document as { components?: Record<string, Record<string, unknown>> };
    const folder = COMPONENTS[kind] as string;
    const members = { ...whole.components?.[folder] };
    whole.components = { ...whole.components, [folder]: members };
    const base = String(location.keys.at(-1) ?? parse(location.file).name).replaceAll(/[^\w.-]/g, '_') || 'part';
    // The platform finds the codes by this name, and a contract adds its own.
    if (ownCodes && kind === 'schema' && base === ERROR_CODE && isOfPart(location.file))
      return ['components', folder, base];
    let name = base;
    for (let number = 2; Object.hasOwn(members, name); number += 1) name = `${base}-${number}`;
    const at = ['components', folder, name];
    addPlacement(at, location);
    members[name] = copy(kind, value, { location, at, inlined: [] });
    return at;
  }

  // `addComponent` appends to `pending` while the loop runs.
  for (const { node, member, kind, target } of pending)
    node[member] = pointerTo(keysOfCopy(target.location) ?? addComponent(kind, target));

  function locationOf(keys: Keys, onKey = false): Location {
    for (let length = keys.length; length > 0; length -= 1) {
      const found = placements.get(keyOf(keys.slice(0, length)));
      if (found === undefined) continue;
      const { location, reference } = found;
      // A path is a key of the file with the reference. A component may be a key of the other file.
      const isKeyHere = location.keys.at(-1) === keys.at(-1);
      if (length === keys.length && onKey && reference !== undefined && !isKeyHere) return reference;
      return { file: location.file, keys: [...location.keys, ...keys.slice(length)] };
    }
    return { file: first, keys };
  }
  return { document, faults, locationOf, ownDefaults };
}

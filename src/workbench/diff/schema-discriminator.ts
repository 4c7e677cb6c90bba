import { isPlain, keysOf } from 'accord/contract/references';
import type { Difference } from './differences.js';
import type { Part, Spot, Value } from './form.js';
import { listOf, type Node, partAt, type Said, type Stated } from './schema-part.js';
import type { Both } from './schema-place.js';
import { follow } from './spot.js';
import { told } from './told.js';

/** A discriminator, its mapping written out. */
export interface Discriminator {
  propertyName: string;
  mapping: Record<string, Target>;
}

/** What a value stands for, under its former name. */
interface Target {
  schema: string;
  /** Whether the value is the name of the component. */
  named: boolean;
  /** Whether that is an alternative beside the discriminator. */
  alternative: boolean;
}

/** A schema in a mapping, which may be named without the way to it. */
const referenceOf = (target: string): string =>
  /^[\w.-]+$/.test(target) && !/\.(?:json|ya?ml)$/.test(target) ? `#/components/schemas/${target}` : target;

const referencesIn = (list: unknown): string[] =>
  listOf(list).flatMap((one) => (isPlain(one) && typeof one['$ref'] === 'string' ? [one['$ref']] : []));

/** Who says by `allOf` that it is one of a kind, by the reference to that, of each document. */
const direct = new WeakMap<object, Map<string, string[]>>();

function directHeirs(document: unknown): ReadonlyMap<string, readonly string[]> {
  if (!isPlain(document)) return new Map();
  const known = direct.get(document);
  if (known !== undefined) return known;
  const found = new Map<string, string[]>();
  const components = isPlain(document['components']) ? document['components']['schemas'] : {};
  for (const [name, schema] of Object.entries(isPlain(components) ? components : {})) {
    for (const kind of isPlain(schema) ? referencesIn(schema['allOf']) : [])
      found.set(kind, [...(found.get(kind) ?? []), referenceOf(name)]);
  }
  direct.set(document, found);
  return found;
}

/** Who says by `allOf` that it is one of a kind, or one of a kind that is. */
function heirsOf(kind: string, document: unknown, heirs = new Set<string>()): ReadonlySet<string> {
  for (const heir of directHeirs(document).get(kind) ?? []) {
    if (heirs.has(heir)) continue;
    heirs.add(heir);
    heirsOf(heir, document, heirs);
  }
  return heirs;
}

const placeOf = ({ source }: Spot): string => `#/${source.join('/')}`;

/** The schemas that are told apart: the alternatives, or who says by `allOf` that it is one of the kind. */
const toldApart = (node: Node, spot: Spot): string[] =>
  node['oneOf'] !== undefined || node['anyOf'] !== undefined
    ? [...referencesIn(node['oneOf']), ...referencesIn(node['anyOf'])]
    : [...heirsOf(placeOf(spot), spot.document)];

/** What each value stands for: by the mapping, and of schemas that it leaves out by their names. */
function targetsOf(node: Node, spot: Spot): (readonly [value: string, schema: string])[] {
  const { discriminator } = node;
  if (!isPlain(discriminator)) return [];
  const stated = Object.entries(isPlain(discriminator['mapping']) ? discriminator['mapping'] : {}).map(
    ([value, target]) => [value, referenceOf(String(target))] as const,
  );
  const others = toldApart(node, spot).filter((schema) => !stated.some(([, one]) => one === schema));
  return [...stated, ...others.map((schema) => [nameOf(schema), schema] as const)];
}

const nameOf = (schema: string): string => String(keysOf(schema).at(-1));

/**
 * By which member, and which of its values, schemas are told apart (OpenAPI 3.1, 4.8.25): a schema that the mapping does not
 * name is meant by the name of its component.
 */
export function discriminatorOf(node: Node, spot: Spot): Discriminator | undefined {
  if (!isPlain(node['discriminator'])) return undefined;
  const targetOf = (value: string, schema: string): Target => ({
    schema: referenceOf(spot.formerNames?.get(nameOf(schema)) ?? nameOf(schema)),
    named: schema === referenceOf(value),
    alternative: node['oneOf'] !== undefined || node['anyOf'] !== undefined,
  });
  return {
    propertyName: String(node['discriminator']['propertyName']),
    mapping: Object.fromEntries(targetsOf(node, spot).map(([value, schema]) => [value, targetOf(value, schema)])),
  };
}

/** Each kind that is told apart from the others without being an alternative, and its schema. */
export const kindsAt = (node: Node, spot: Spot): (readonly [value: string, schema: string])[] =>
  node['oneOf'] === undefined && node['anyOf'] === undefined ? targetsOf(node, spot) : [];

/** What may stand in the place of a schema: each kind of it, by the value that says so; of one of the kinds its own. */
export function kindsIn(said: readonly Said[]): Map<string, Part> {
  const places = new Set(said.map(({ spot }) => placeOf(spot)));
  return new Map(
    said.flatMap(({ node, spot }) => {
      const kinds = kindsAt(node, spot).filter(([, schema]) => schema !== placeOf(spot));
      const own = kinds.filter(([, schema]) => places.has(schema)).map(([, schema]) => heirsOf(schema, spot.document));
      return kinds
        .filter(([, schema]) => own.every((heirs) => heirs.has(schema)))
        .map(([value, schema]): [string, Part] => {
          const kind = follow({ $ref: schema }, spot);
          return [value, partAt(kind.node, kind.spot)];
        });
    }),
  );
}

/** The kinds of two versions of a schema, those together that the same value stands for. */
export const kindsOfBoth = (before: ReadonlyMap<string, Part>, after: ReadonlyMap<string, Part>): Both[] =>
  [...before].flatMap(([value, old]) => {
    const now = after.get(value);
    const [was, is] = [old[0]?.spot, now?.[0]?.spot];
    return now && was && is ? [{ old, now, here: { old: was, now: is } }] : [];
  });

/** What differs between two discriminators, as `discriminatorOf` tells them. */
export function discriminators(was: Stated | undefined, is: Stated | undefined): Difference[] {
  const of = (one: Stated | undefined) => one?.value as Discriminator | undefined;
  const name = (one: Stated | undefined): Stated<Value> | undefined =>
    one && { value: (one.value as Discriminator).propertyName, spot: one.spot };
  const [before, after] = [name(was), name(is)];
  if (before?.value !== after?.value) return told('discriminator', before, after);
  const [old, now] = [of(was)?.mapping ?? {}, of(is)?.mapping ?? {}];
  const valuesOf = (mapping: typeof old, schema: string | undefined) =>
    Object.keys(mapping).filter((value) => mapping[value]?.schema === schema);
  // What was known by another value is known by it no more.
  const revalued = new Map(
    Object.entries(old).flatMap(([value, { schema }]) => {
      const left = valuesOf(now, schema);
      const [first] = left.filter((one) => old[one] === undefined);
      const lost = now[value] === undefined && left.every((one) => old[one] === undefined);
      return lost && first !== undefined ? [[value, first] as const] : [];
    }),
  );
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((value) => {
    if (old[value]?.schema === now[value]?.schema || [...revalued.values()].includes(value)) return [];
    // A component that came or went as an alternative is told as one.
    const alone = [
      [old, now],
      [now, old],
    ].some(([one, other]) => {
      const target = one?.[value];
      return (
        target?.named &&
        target.alternative &&
        other?.[value] === undefined &&
        valuesOf(other ?? {}, target.schema).length === 0
      );
    });
    if (alone) return [];
    const stated = (one: Stated | undefined, mapping: typeof old, text: string | undefined) => {
      if (one === undefined || mapping[value] === undefined) return undefined;
      const source = mapping[value].named ? one.spot.source : [...one.spot.source, 'mapping', value];
      return { value: text, spot: { ...one.spot, id: `${one.spot.id}.${value}`, source } };
    };
    const other = revalued.get(value);
    if (other !== undefined && was !== undefined && is !== undefined) {
      const spot = { ...is.spot, id: `${is.spot.id}.${value}` };
      return told('discriminatorValue', { value, spot: was.spot }, { value: other, spot });
    }
    return told('mapping', stated(was, old, old[value]?.schema), stated(is, now, now[value]?.schema), {
      path: [value],
    });
  });
}

import { pointerTo } from '@accord-api/platform/internals/calls/text';
import type { Schema } from '@accord-api/platform/internals/contract/document';
import { isObject, keysOf, valueAt } from '@accord-api/platform/internals/contract/references';

export type Path = readonly string[];

/** Follows references from a path. */
export function follow(document: unknown, path: Path): { value: unknown; path: Path } {
  const value = valueAt(document, path);
  const { $ref } = (value ?? {}) as Schema;
  return typeof $ref === 'string' ? follow(document, keysOf($ref)) : { value, path };
}

export const childrenOf = (document: unknown, path: Path): [name: string, at: Path][] => {
  const { value, path: at } = follow(document, path);
  return Object.keys(value ?? {}).map((name) => [name, [...at, name]]);
};

/** A value in a request or an answer, with its JSON pointer. */
export interface Found {
  value: unknown;
  pointer: string;
}

export interface Part {
  pointer: string;
  /** The pointer of the member that it is in; empty for the whole. */
  within: string;
  what: 'member' | 'value' | 'whole';
  at: Path;
  /** The values that stand there; none without an exchange. */
  found: readonly Found[];
}

/** Lists the alternatives of a schema, `or null` apart, each with a name of its own; the only one has none. */
function alternativesOf(document: unknown, all: Path): { name: string; at: Path }[] {
  const found = Object.keys(valueAt(document, all) ?? {}).map((index) => {
    const at = [...all, index];
    const { $ref, title, type } = (valueAt(document, at) ?? {}) as Schema;
    return { at, index, type, name: $ref === undefined ? String(title ?? type ?? '') : String(keysOf($ref).at(-1)) };
  });
  const real = found.filter(({ type }) => type !== 'null');
  if (real.length < 2) return real.map(({ at }) => ({ name: '', at }));
  return real.map(({ name, at, index }) => {
    const isOwn = name !== '' && real.filter((one) => one.name === name).length === 1;
    return { name: `<${isOwn ? name : Number(index) + 1}>`, at };
  });
}

/** Places of one body in which a schema is listed: where schemas contain one another several times, the places have no end. */
const MOST_PLACES = 64;

/** The values in which a walk finds parts, and how it decides which alternative a value is. */
export interface Given {
  found: readonly Found[];
  holds: (at: Path, value: unknown) => boolean;
}

interface Position extends Partial<Pick<Part, 'pointer' | 'within'>> {
  /** The schemas around it: a schema that contains itself is listed once. */
  around?: readonly string[];
  /** In how many places of the body each schema has been listed. */
  places?: Map<string, number>;
  /** The schema describes the same part as another one, whose bounds include its own. */
  isBeside?: boolean;
}

const membersOf = (found: readonly Found[], has: (name: string, whole: object) => boolean): Found[] =>
  found.flatMap(({ value, pointer }) =>
    isObject(value)
      ? Object.entries(value)
          .filter(([name]) => has(name, value))
          .map(([name, one]) => ({ value: one, pointer: pointer + pointerTo(name) }))
      : [],
  );

/**
 * Walks a schema: its members at any depth, and the values of its enumerations; and with them the values of an exchange, if there is
 * one. The pointer of a member is `/data[]/role`, where `[]` stands for the items of an array, `{}` for the values of a map, and
 * `<Page>` for one of several schemas.
 */
export function* partsOf(
  document: unknown,
  path: Path,
  given: Given | undefined,
  { pointer = '', within = '', around = [], places = new Map(), isBeside = false }: Position = {},
): Generator<Part> {
  const own = path.join('/');
  const count = (places.get(own) ?? 0) + 1;
  const found = given?.found ?? [];
  if (around.includes(own) || count > MOST_PLACES || (given && found.length === 0)) return;
  places.set(own, count);
  const position = { pointer, within, around: [...around, own], places };
  const to = (inner: readonly Found[]) => given && { ...given, found: inner };
  const schema = (valueAt(document, path) ?? {}) as Schema;
  if (!isBeside) yield { pointer, within, what: 'whole', at: path, found };
  const beside = { ...position, isBeside: true };
  if (schema.$ref !== undefined) yield* partsOf(document, keysOf(schema.$ref), given, beside);
  for (const index of Object.keys(schema.allOf ?? []))
    yield* partsOf(document, [...path, 'allOf', index], given, beside);
  for (const keyword of ['anyOf', 'oneOf'] as const)
    for (const { name, at } of alternativesOf(document, [...path, keyword])) {
      const chosen = name === '' ? found : found.filter(({ value }) => given?.holds(at, value));
      yield* partsOf(document, at, to(chosen), { ...position, pointer: `${pointer}${name}` });
    }
  const { properties = {} } = schema;
  for (const name of Object.keys(properties)) {
    const [member, at] = [`${pointer}/${name}`, [...path, 'properties', name]];
    const values = membersOf(found, (one, whole) => one === name && !Array.isArray(whole));
    yield { pointer: member, within, what: 'member', at, found: values };
    yield* partsOf(document, at, to(values), { ...position, pointer: member, within: member });
  }
  if (schema.items) {
    const items = membersOf(found, (_, whole) => Array.isArray(whole));
    yield* partsOf(document, [...path, 'items'], to(items), { ...position, pointer: `${pointer}[]` });
  }
  if (schema.additionalProperties) {
    const others = membersOf(found, (name, whole) => !Array.isArray(whole) && !(name in properties));
    const at = [...path, 'additionalProperties'];
    yield* partsOf(document, at, to(others), { ...position, pointer: `${pointer}{}` });
  }
  const constant = schema.const === undefined ? [] : [{ value: schema.const, at: [...path, 'const'] }];
  const values = (schema.enum ?? []).map((one, index) => ({ value: one, at: [...path, 'enum', String(index)] }));
  for (const { value, at } of [...constant, ...values]) {
    const same = found.filter((one) => !isObject(one.value) && `${one.value}` === `${value}`);
    yield { pointer: `${pointer} = ${value}`, within, what: 'value', at, found: same };
  }
}

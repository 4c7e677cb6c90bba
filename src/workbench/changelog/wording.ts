import { isPlain, METHODS, type Method } from '@accord-api/platform/contract/document';
import type { Contracts } from '../model/contracts.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import { definitionsIn } from '../model/sdl-definitions.js';
import type { SdlSource } from '../model/sdl-source.js';

/** A text for readers that changed: `description of \`getUser\``. */
export interface Wording {
  side: 'rest' | 'graphql';
  text: string;
}

type Path = (string | number)[];

const TEXTS = 'title summary description example examples externalDocs contact license'.split(' ');

/** Members that do not help to name a place. */
const UNNAMED = new Set('info paths components properties schema content parameters headers responses'.split(' '));

/** Returns the name that a document gives an item of a list: a parameter, a tag, a reference. */
function nameOf(item: unknown): string | undefined {
  if (!isPlain(item)) return undefined;
  const { name, in: place, $ref: reference, url } = item;
  const names = [reference, name === undefined ? undefined : [place, name].filter(Boolean).join(' '), url];
  return names.find((one) => typeof one === 'string');
}

/** Returns what both versions have: members by key, items by name or else by index. */
function* inBoth(before: unknown, after: unknown): Generator<[key: string | number, was: unknown, is: unknown]> {
  if (Array.isArray(before) && Array.isArray(after))
    for (const [index, item] of after.entries()) {
      const name = nameOf(item);
      const other = name === undefined ? before[index] : before.find((one) => nameOf(one) === name);
      if (other !== undefined) yield [index, other, item];
    }
  else if (isPlain(before) && isPlain(after))
    for (const [key, value] of Object.entries(after)) if (Object.hasOwn(before, key)) yield [key, before[key], value];
}

/** Replaces line breaks within a paragraph by blanks (CommonMark, 6.8). */
const unwrapped = (text: string): string =>
  text.includes('```') ? text.trim() : text.trim().replaceAll(/(?<=[^\n|])\n(?=[^\n\s|*\-+>#`\d])/g, ' ');

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? unwrapped(value) : JSON.stringify(value);

/** Returns the texts that differ. `names` are the names of the places around, the innermost first. */
function* textsIn(
  before: unknown,
  after: unknown,
  path: Path,
  names: string[],
): Generator<{ path: Path; was: string; names: string[] }> {
  // A property may be called as a text is.
  const isNode = path.at(-1) !== 'properties' && isPlain(before) && isPlain(after);
  const keys = isNode ? TEXTS : [];
  for (const key of keys) {
    const [was, is] = [before, after].map((node) => textOf((node as Record<string, unknown>)[key])) as [string, string];
    if (was !== is) yield { path: [...path, key], was, names };
  }
  for (const [key, was, is] of inBoth(before, after)) {
    const deeper = [...path, key];
    const name = Array.isArray(after)
      ? [nameOf(is)?.split('/').at(-1) ?? String(key), ...names]
      : namesAt(names, deeper, is);
    if (!keys.includes(String(key))) yield* textsIn(was, is, deeper, name);
  }
}

function namesAt(names: string[], path: Path, value: unknown): string[] {
  const [key = '', holder] = [path.at(-1), path.at(-2)];
  const isOperation = path.length === 3 && path[0] === 'paths' && METHODS.includes(key as Method) && isPlain(value);
  if (isOperation) return [String(value['operationId'] ?? `${key} ${names[0]}`)];
  if (holder === 'responses' && path[0] === 'paths') return [`the ${key} response`, ...names];
  if (holder !== 'properties' && (UNNAMED.has(String(key)) || holder === 'components')) return names;
  return [String(key), ...names];
}

/** Returns the changed texts of openapi.yaml; one that a default states is listed once. */
function restWording(before: OpenApiSource, after: OpenApiSource): Wording[] {
  const groups = new Map<string, string[]>();
  for (const { path, was, names } of textsIn(before.written, after.written, [], [])) {
    const key = JSON.stringify([after.originOf(path), was]);
    const where = names.length === 0 ? '' : names.join(' of ');
    groups.set(key, [...(groups.get(key) ?? []), where, String(path.at(-1))]);
  }
  return [...groups.values()].map((group): Wording => {
    const [where = '', keyword = ''] = group;
    const more = group.length > 2 ? ` and ${group.length / 2 - 1} more` : '';
    return { side: 'rest', text: `${keyword} of ${where === '' ? 'the contract' : `\`${where}${more}\``}` };
  });
}

const graphqlWording = (before: SdlSource, after: SdlSource): Wording[] => {
  const old = definitionsIn(before, before.schema);
  return [...definitionsIn(after, after.schema)].flatMap(([where, { description }]): Wording[] => {
    const was = old.get(where)?.description ?? description;
    return unwrapped(was) === unwrapped(description) ? [] : [{ side: 'graphql', text: `description of \`${where}\`` }];
  });
};

/** Returns the changed texts of values that both versions of valid contracts have, REST first. */
export function wordingBetween(before: Contracts, after: Contracts): Wording[] {
  const isSameRest = before.openapi.text === after.openapi.text && before.openapi.texts.size === 1;
  return [
    ...(isSameRest ? [] : restWording(before.openapi, after.openapi)),
    ...(before.schema.text === after.schema.text ? [] : graphqlWording(before.schema, after.schema)),
  ];
}

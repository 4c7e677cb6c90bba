import { METHODS, type Method } from 'accord/contract/document';
import { isPlain } from 'accord/contract/references';
import type { Contracts } from '../model/contracts.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import type { FilePlace } from '../model/problems.js';
import type { SdlSource } from '../model/sdl-source.js';
import type { Path } from '../model/yaml-source.js';
import { namedIn } from './graphql-places.js';
import { shapeOf } from './schema-part.js';

/** Words that were changed: no program sees them, whoever reads the contract does. */
export interface Wording {
  side: 'rest' | 'graphql';
  /** What they belong to: `getUser`, `name of User`; empty for the contract itself. */
  where: string;
  /** Which words they are: `description`, `summary`, `example`. */
  key: string;
  /** Empty where there were none, or are none now. */
  before: string;
  after: string;
  /** In the new version. */
  place: FilePlace;
}

/** What they are called, with the name in backticks. */
export const titleOf = ({ key, where }: Pick<Wording, 'key' | 'where'>): string =>
  `${key} of ${where === '' ? 'the contract' : `\`${where}\``}`;

/** What in OpenAPI is for readers. */
const WORDS = new Set(['title', 'summary', 'description', 'example', 'examples', 'externalDocs', 'contact', 'license']);

/** Members that only hold others, and say nothing of where one is. */
const HOLDERS = new Set([
  'info',
  'paths',
  'components',
  'properties',
  'schema',
  'content',
  'parameters',
  'headers',
  'responses',
]);

/** The name that the document gives an item of a list: of a parameter, a tag, a reference. */
function nameOf(item: unknown): string | undefined {
  if (!isPlain(item)) return undefined;
  const { name, in: place, $ref: reference, url } = item;
  const names = [reference, name === undefined ? undefined : [place, name].filter(Boolean).join(' '), url];
  return names.find((one) => typeof one === 'string');
}

/** What is in both versions, with its keys in each: members by their key, items by their name, or else by their place. */
function* shared(before: unknown, after: unknown): Generator<[key: string | number, was: unknown, is: unknown]> {
  if (Array.isArray(before) && Array.isArray(after)) {
    for (const [index, item] of after.entries()) {
      const name = nameOf(item);
      const other = name === undefined ? before[index] : before.find((one) => nameOf(one) === name);
      if (other !== undefined) yield [index, other, item];
    }
  } else if (isPlain(before) && isPlain(after)) {
    for (const [key, value] of Object.entries(after)) if (Object.hasOwn(before, key)) yield [key, before[key], value];
  }
}

/** A break within a paragraph is a blank (CommonMark, 6.8): another width is no other text. */
const unwrapped = (text: string): string =>
  text.includes('```') ? text.trim() : text.trim().replaceAll(/(?<=[^\n|])\n(?=[^\n\s|*\-+>#`\d])/g, ' ');

const textOf = (value: unknown): string => {
  if (value === undefined) return '';
  return typeof value === 'string' ? unwrapped(value) : shapeOf(value, 'data');
};

type Found = Pick<Wording, 'key' | 'before' | 'after'> & { path: Path; names: string[] };

/** The words of a node that differ, and those of what it holds. `names` says where it is, the innermost first. */
function* wordsIn(before: unknown, after: unknown, path: Path, names: string[]): Generator<Found> {
  if (isPlain(before) && isPlain(after)) {
    // A member may be called as the words are.
    const named = path.at(-1) === 'properties';
    for (const key of named ? [] : WORDS) {
      const [was, is] = [textOf(before[key]), textOf(after[key])];
      if (was !== is) yield { key, before: was, after: is, path: [...path, key], names };
    }
    for (const [key, was, is] of shared(before, after)) {
      if (!named && WORDS.has(String(key))) continue;
      yield* wordsIn(was, is, [...path, key], namesAt(names, [...path, key], is));
    }
  } else {
    for (const [key, was, is] of shared(before, after)) {
      yield* wordsIn(was, is, [...path, key], [nameOf(is)?.split('/').at(-1) ?? String(key), ...names]);
    }
  }
}

function namesAt(names: string[], path: Path, value: unknown): string[] {
  const [key = '', holder] = [path.at(-1), path.at(-2)];
  const isOperation = path.length === 3 && path[0] === 'paths' && METHODS.includes(key as Method) && isPlain(value);
  if (isOperation) return [String(value['operationId'] ?? `${key} ${names[0]}`)];
  if (holder === 'responses' && path[0] === 'paths') return [`the ${key} response`, ...names];
  if (holder !== 'properties' && (HOLDERS.has(String(key)) || holder === 'components')) return names;
  return [String(key), ...names];
}

/** The changed words of openapi.yaml, a default (`x-defaults`) once for all that it says them of. */
function restWording(before: OpenApiSource, after: OpenApiSource): Wording[] {
  const places = new Map<string, Wording>();
  const others = new Map<string, number>();
  for (const { path, names, ...words } of wordsIn(before.written, after.written, [], [])) {
    const place = after.placeOf(path, true);
    const key = `${place.file}:${place.line}:${place.column}:${words.before}`;
    if (places.has(key)) others.set(key, (others.get(key) ?? 0) + 1);
    else places.set(key, { side: 'rest', where: names.join(' of '), ...words, place });
  }
  return [...places].map(([key, one]) => {
    const more = others.get(key) ?? 0;
    return more === 0 ? one : { ...one, where: `${one.where} and ${more} more` };
  });
}

function graphqlWording(before: SdlSource, after: SdlSource): Wording[] {
  const old = namedIn(before);
  return [...namedIn(after)].flatMap(([where, { description, file, lines }]): Wording[] => {
    const [was, is] = [old.get(where)?.description ?? description, description].map(unwrapped) as [string, string];
    if (was === is) return [];
    const place = { file, line: lines.first, column: 1 };
    return [{ side: 'graphql', where, key: 'description', before: was, after: is, place }];
  });
}

/** The words that differ in what both versions of sound contracts have, in the order of the new one, REST first. */
export function wordingBetween(before: Contracts, after: Contracts): Wording[] {
  const rest = before.openapi.text === after.openapi.text && before.openapi.texts.size === 1;
  return [
    ...(rest ? [] : restWording(before.openapi, after.openapi)),
    ...(before.schema.text === after.schema.text ? [] : graphqlWording(before.schema, after.schema)),
  ];
}

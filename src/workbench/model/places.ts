import { METHODS } from '@accord-api/platform/contract/document';
import { isObject } from '@accord-api/platform/contract/references';
import { SCHEMAS_IN } from '@accord-api/platform/contract/schemas';

/** What an object of a contract is, by where it stands. */
export type Kind =
  | 'document'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'parameter'
  | 'header'
  | 'body'
  | 'response'
  | 'mediaType'
  | 'encoding'
  | 'example'
  | 'link'
  | 'callback'
  | 'securityScheme'
  | 'schema'
  | 'default'
  | 'update'
  | 'other';

type Holdings = readonly (readonly [keys: readonly string[], kind: Kind])[];

const VALUE: Holdings = [
  [['schema'], 'schema'],
  [['content.*'], 'mediaType'],
  [['examples.*'], 'example'],
];
const PATH_ITEM: Holdings = [
  [['parameters.*'], 'parameter'],
  [METHODS, 'operation'],
];
const OPERATION: Holdings = [
  [['parameters.*'], 'parameter'],
  [['requestBody'], 'body'],
  [['responses.*'], 'response'],
  [['callbacks.*'], 'callback'],
];
const RESPONSE: Holdings = [
  [['headers.*'], 'header'],
  [['content.*'], 'mediaType'],
  [['links.*'], 'link'],
];

/**
 * Where each kind holds others: under a key; with `*` under each key, or in each place, of what the key holds; with `*` alone under
 * each key. Everything else is data, in which no name means anything.
 *
 * @see https://spec.openapis.org/oas/v3.1.0#schema
 */
export const HOLDS: Readonly<Record<Kind, Holdings>> = {
  document: [
    [['paths.*', 'webhooks.*'], 'pathItem'],
    [['components'], 'components'],
    [['x-unmatched.*'], 'response'],
    [['x-defaults.*'], 'default'],
    [['info', 'tags.*', 'servers.*', 'x-bridge', 'x-coverage', 'x-severity', 'x-accepted-breaks.*'], 'other'],
  ],
  components: [
    [['schemas.*'], 'schema'],
    [['parameters.*'], 'parameter'],
    [['headers.*'], 'header'],
    [['responses.*'], 'response'],
    [['requestBodies.*'], 'body'],
    [['examples.*'], 'example'],
    [['links.*'], 'link'],
    [['callbacks.*'], 'callback'],
    [['securitySchemes.*'], 'securityScheme'],
    [['pathItems.*'], 'pathItem'],
  ],
  pathItem: PATH_ITEM,
  operation: OPERATION,
  parameter: VALUE,
  header: VALUE,
  body: [[['content.*'], 'mediaType']],
  response: RESPONSE,
  mediaType: [...VALUE, [['encoding.*'], 'encoding']],
  encoding: [[['headers.*'], 'header']],
  example: [],
  link: [],
  callback: [[['*'], 'pathItem']],
  securityScheme: [],
  schema: [
    [[...SCHEMAS_IN.named, ...SCHEMAS_IN.listed].map((keyword) => `${keyword}.*`), 'schema'],
    [SCHEMAS_IN.single, 'schema'],
    // An older draft's definitions, and the schema of what a text holds: no value is held against either, and references stand there.
    [['definitions.*', 'contentSchema'], 'schema'],
  ],
  // What a default adds may be any of these.
  default: [[['update'], 'update']],
  update: [...PATH_ITEM, ...OPERATION, ...RESPONSE, [['schema'], 'schema'], [['examples.*'], 'example']],
  other: [],
};

/** Where among the components a kind has its place; others are never referred to, but written out. */
export const COMPONENTS: { readonly [Key in Kind]?: string } = {
  schema: 'schemas',
  parameter: 'parameters',
  header: 'headers',
  response: 'responses',
  body: 'requestBodies',
  example: 'examples',
  link: 'links',
  callback: 'callbacks',
  securityScheme: 'securitySchemes',
};

type Path = readonly (string | number)[];

/** An object of a document, by what it is. */
export interface Element {
  kind: Kind;
  path: Path;
  // biome-ignore lint/suspicious/noExplicitAny: the shape follows from the kind, and `struct` has checked it.
  object: any;
}

function children(object: Record<string, unknown>, key: string): [Path, unknown][] {
  if (key === '*') return Object.entries(object).map(([name, one]) => [[name], one]);
  const [name = '', all] = key.split('.');
  const held = object[name];
  if (all === undefined) return [[[name], held]];
  if (Array.isArray(held)) return held.map((one, index) => [[name, index], one]);
  return isObject(held) ? Object.entries(held).map(([member, one]) => [[name, member], one]) : [];
}

/** Of which kind the object is that is looked through, and which are met: what stands in any other is not. */
interface Within {
  kind?: Kind;
  met?: ReadonlySet<Kind>;
}

/**
 * All objects of a document, or of another object of a contract, each once, at the place where it is written, and before those that
 * it holds. References are not followed: what one names is met where it stands.
 */
export function elementsOf(whole: unknown, { kind: outer = 'document', met }: Within = {}): Element[] {
  const found: Element[] = [];
  const visit = (kind: Kind, path: Path, object: unknown): void => {
    if (met?.has(kind) === false || !isObject(object)) return;
    found.push({ kind, path, object });
    for (const [keys, held] of HOLDS[kind]) {
      for (const key of keys) for (const [below, one] of children(object, key)) visit(held, [...path, ...below], one);
    }
  };
  visit(outer, [], whole);
  return found;
}

import { isObject, type Keys, METHODS } from '@accord-api/platform/contract/document';
import { SUBSCHEMA_KEYWORDS } from '@accord-api/platform/contract/schemas';

export type ElementKind =
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

type Members = readonly (readonly [keys: readonly string[], kind: ElementKind])[];

const VALUE: Members = [
  [['schema'], 'schema'],
  [['content.*'], 'mediaType'],
  [['examples.*'], 'example'],
];
const PATH_ITEM: Members = [
  [['parameters.*'], 'parameter'],
  [METHODS, 'operation'],
];
const OPERATION: Members = [
  [['parameters.*'], 'parameter'],
  [['requestBody'], 'body'],
  [['responses.*'], 'response'],
  [['callbacks.*'], 'callback'],
];
const RESPONSE: Members = [
  [['headers.*'], 'header'],
  [['content.*'], 'mediaType'],
  [['links.*'], 'link'],
];

/**
 * Maps each kind to its members with a kind: `key` for a member, `key.*` for all members or items of a member, `*` for all members.
 * Other members are plain data.
 * @see https://spec.openapis.org/oas/v3.1.0#schema
 */
export const MEMBERS: Readonly<Record<ElementKind, Members>> = {
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
    [[...SUBSCHEMA_KEYWORDS.named, ...SUBSCHEMA_KEYWORDS.listed].map((keyword) => `${keyword}.*`), 'schema'],
    [SUBSCHEMA_KEYWORDS.single, 'schema'],
    // `definitions` of older drafts and `contentSchema` restrict no value, but may contain references.
    [['definitions.*', 'contentSchema'], 'schema'],
  ],
  // A default may add members to objects of these kinds.
  default: [[['update'], 'update']],
  update: [...PATH_ITEM, ...OPERATION, ...RESPONSE, [['schema'], 'schema'], [['examples.*'], 'example']],
  other: [],
};

/** The section of `components` for each kind whose references stay. Path items replace theirs. */
export const COMPONENTS: { readonly [Key in ElementKind]?: string } = Object.fromEntries(
  MEMBERS.components
    .filter(([, kind]) => kind !== 'pathItem')
    .map(([[section], kind]) => [kind, section?.replace('.*', '')]),
);

/** A kind, or an object or list whose members all have one kind. */
export type Shape = ElementKind | { membersOf: ElementKind };

/** Returns the keys of the members that have a kind, each with its shape. */
export function kindsOfMembers(shape: Shape, value: unknown): [key: string | number, shape: Shape][] {
  if (!isObject(value)) return [];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  if (typeof shape === 'object') return keys.map((key) => [key, shape.membersOf]);
  return MEMBERS[shape].flatMap(([patterns, kind]) =>
    patterns.flatMap((pattern): [string | number, Shape][] => {
      if (pattern === '*') return keys.map((key) => [key, kind]);
      const [key = '', all] = pattern.split('.');
      return Object.hasOwn(value, key) ? [[key, all === undefined ? kind : { membersOf: kind }]] : [];
    }),
  );
}

export interface Element {
  kind: ElementKind;
  path: Keys;
  // biome-ignore lint/suspicious/noExplicitAny: the shape follows from the kind, and `struct` has checked it.
  object: any;
}

/** Returns the objects of a document, or of an object of another kind, parents first. Does not follow references. */
export function elementsOf(root: unknown, kind: ElementKind = 'document'): Element[] {
  const found: Element[] = [];
  const visit = (shape: Shape, path: Keys, value: unknown): void => {
    if (!isObject(value)) return;
    if (typeof shape === 'string') found.push({ kind: shape, path, object: value });
    for (const [key, inner] of kindsOfMembers(shape, value)) visit(inner, [...path, key], value[key]);
  };
  visit(kind, [], root);
  return found;
}

import { METHODS, type OpenApiDocument } from 'accord/contract/document';
import { isObject } from 'accord/contract/references';
import { SCHEMAS_IN } from 'accord/contract/subschemas';
import type { Path } from '../model/yaml-source.js';

type Kind =
  | 'document'
  | 'components'
  | 'pathItem'
  | 'operation'
  | 'body'
  | 'response'
  | 'mediaType'
  | 'value'
  | 'schema';

/** An object of the document that rules ask about; `value` is a parameter or a header. */
export interface Element {
  kind: Kind;
  path: Path;
  // biome-ignore lint/suspicious/noExplicitAny: the shape follows from the kind, and `struct` has checked it.
  object: any;
}

/** Where each kind holds others: under a key, or with `*` under each key (or in each place) of what the key holds. */
const HOLDS: Record<Kind, [keys: readonly string[], kind: Kind][]> = {
  document: [
    [['paths.*', 'webhooks.*'], 'pathItem'],
    [['components'], 'components'],
    [['x-unmatched.*'], 'response'],
  ],
  components: [
    [['schemas.*'], 'schema'],
    [['parameters.*', 'headers.*'], 'value'],
    [['responses.*'], 'response'],
    [['requestBodies.*'], 'body'],
    [['pathItems.*'], 'pathItem'],
  ],
  pathItem: [
    [['parameters.*'], 'value'],
    [METHODS, 'operation'],
  ],
  operation: [
    [['parameters.*'], 'value'],
    [['requestBody'], 'body'],
    [['responses.*'], 'response'],
  ],
  body: [[['content.*'], 'mediaType']],
  response: [
    [['headers.*'], 'value'],
    [['content.*'], 'mediaType'],
  ],
  mediaType: [[['schema'], 'schema']],
  value: [
    [['schema'], 'schema'],
    [['content.*'], 'mediaType'],
  ],
  schema: [
    [[...SCHEMAS_IN.named, ...SCHEMAS_IN.listed].map((keyword) => `${keyword}.*`), 'schema'],
    [SCHEMAS_IN.single, 'schema'],
  ],
};

function children(object: Record<string, unknown>, key: string): [Path, unknown][] {
  const [name = '', all] = key.split('.');
  const held = object[name];
  if (all === undefined) return [[[name], held]];
  if (Array.isArray(held)) return held.map((one, index) => [[name, index], one]);
  return isObject(held) ? Object.entries(held).map(([member, one]) => [[name, member], one]) : [];
}

/**
 * All objects of a document whose references are not followed, each once, at the place where it is written: what a
 * reference names is met where it stands.
 */
export function elements(document: OpenApiDocument): Element[] {
  const found: Element[] = [];
  const visit = (kind: Kind, path: Path, object: unknown): void => {
    if (!isObject(object)) return;
    found.push({ kind, path, object });
    for (const [keys, held] of HOLDS[kind]) {
      for (const key of keys) for (const [below, one] of children(object, key)) visit(held, [...path, ...below], one);
    }
  };
  visit('document', [], document);
  return found;
}

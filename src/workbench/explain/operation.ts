import type {
  MediaType,
  Parameter,
  Permission,
  RequestBody,
  Response,
  Schema,
} from '@accord-api/platform/contract/document';
import { type PlacedOperation, placedOperations } from '@accord-api/platform/contract/openapi';
import { isObject, keysOf, resolveReference, valueAt } from '@accord-api/platform/contract/references';
import { DEFAULTS } from '../model/defaults.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import type { Path } from '../model/yaml-source.js';
import type { Explanation, Part, Said } from './explanation.js';
import { permissionWords } from './permission-words.js';
import { schemaWords } from './schema-words.js';

/** Where the text says what has these keys, and by which default. */
function saidAt(source: OpenApiSource, path: Path): Said {
  const { file, line, column } = source.placeOf(path, true);
  const [root, index] = source.originOf(path);
  const action = root === DEFAULTS ? valueAt(source.authored, [DEFAULTS, String(index)]) : undefined;
  const told = isObject(action) ? (action['description'] ?? action['operations']) : undefined;
  return { file, line, column, ...(told !== undefined && { byDefault: String(told) }) };
}

/** What a reference names, or the value itself. */
function followed<Kind>(source: OpenApiSource, value: unknown): Kind {
  const reference = isObject(value) ? value['$ref'] : undefined;
  return (typeof reference === 'string' ? resolveReference(source.written, reference) : value) as Kind;
}

const firstLine = (text: string | undefined): string => (text ?? '').trim().split('\n')[0] ?? '';

function whoMay(source: OpenApiSource, { operation, at }: PlacedOperation): Part[] {
  const { 'x-permission': main, 'x-permission-also': further = [], security } = operation;
  const part = (permission: Permission, path: Path): Part => ({
    name: permission.action,
    says: permissionWords(permission),
    at: saidAt(source, path),
  });
  const requirements = security ?? source.written.security ?? [];
  const where = security === undefined ? ['security'] : [...at, 'security'];
  const schemes = requirements.map((one) => Object.keys(one).join(' with ') || 'nothing');
  return [
    main === undefined || main === 'public'
      ? { name: 'public', says: 'whoever calls', at: main && saidAt(source, [...at, 'x-permission']) }
      : part(main, [...at, 'x-permission']),
    ...further.map((one, index) => part(one, [...at, 'x-permission-also', index])),
    ...(schemes.length === 0 ? [] : [{ name: 'known by', says: schemes.join(', '), at: saidAt(source, where) }]),
  ];
}

function parameters(source: OpenApiSource, { operation, at }: PlacedOperation): Part[] {
  const ofPath = at.slice(0, -1);
  const item = valueAt(source.written, ofPath.map(String)) as { parameters?: unknown[] };
  const placed = [
    ...(item.parameters ?? []).map((value, index) => ({ value, path: [...ofPath, 'parameters', index] })),
    ...(operation.parameters ?? []).map((value, index) => ({ value, path: [...at, 'parameters', index] })),
  ];
  return placed.map(({ value, path }) => {
    const { name, in: place, required, schema } = followed<Parameter>(source, value);
    const says = `${schemaWords(schema)}${required === true ? ', required' : ''}`;
    return { name: `${place} ${name}`, says, at: saidAt(source, path) };
  });
}

const contents = (source: OpenApiSource, content: Record<string, MediaType> | undefined, path: Path): Part[] =>
  Object.entries(content ?? {}).map(([type, { schema }]) => ({
    name: type,
    says: schemaWords(schema),
    at: saidAt(source, [...path, 'content', type]),
  }));

function body(source: OpenApiSource, { operation, at }: PlacedOperation): Part[] {
  if (operation.requestBody === undefined) return [];
  const { required, content } = followed<RequestBody>(source, operation.requestBody);
  const path = [...at, 'requestBody'];
  return [
    {
      name: 'body',
      says: required === true ? 'required' : 'may be left out',
      at: saidAt(source, path),
      parts: contents(source, content, path),
    },
  ];
}

function answers(source: OpenApiSource, { operation, at }: PlacedOperation): Part[] {
  return Object.entries(operation.responses).map(([status, value]) => {
    const { description, headers = {}, content } = followed<Response>(source, value);
    const path = [...at, 'responses', status];
    const ofHeaders = Object.keys(headers).map((name) => ({
      name,
      says: 'header',
      at: saidAt(source, [...path, 'headers', name]),
    }));
    const parts = [...contents(source, content, path), ...ofHeaders];
    return { name: status, says: firstLine(description), at: saidAt(source, path), parts };
  });
}

/** The names of the schemas that something refers to, at any depth. */
function schemasIn(source: OpenApiSource, value: unknown, found = new Set<string>()): Set<string> {
  if (!isObject(value)) return found;
  const reference = value['$ref'];
  if (typeof reference === 'string') {
    const keys = keysOf(reference);
    const [, kind, name = ''] = keys;
    const isKnown = found.has(name);
    if (kind === 'schemas') found.add(name);
    if (kind !== 'schemas' || !isKnown) schemasIn(source, valueAt(source.written, keys), found);
  }
  for (const member of Object.values(value)) schemasIn(source, member, found);
  return found;
}

/** An operation as it is published; undefined where there is none of the name. */
export function explainOperation(source: OpenApiSource, operationId: string): Explanation | undefined {
  const placed = placedOperations(source.written).find(({ operation }) => operation.operationId === operationId);
  if (placed === undefined) return undefined;
  const { operation, method, path, at } = placed;
  return {
    name: operationId,
    what: `${method.toUpperCase()} ${path}`,
    at: saidAt(source, [...at, 'operationId']),
    description: [operation.summary, operation.description].filter(Boolean).join('\n').trim(),
    sections: [
      { title: 'Who may', parts: whoMay(source, placed) },
      { title: 'Takes', parts: [...parameters(source, placed), ...body(source, placed)] },
      { title: 'Answers', parts: answers(source, placed) },
    ],
  };
}

/** The names of the schemas that an operation takes or answers with. */
export function schemasOf(source: OpenApiSource, operationId: string): string[] {
  const placed = placedOperations(source.written).find(({ operation }) => operation.operationId === operationId);
  return [...schemasIn(source, placed?.operation as unknown as Schema)];
}

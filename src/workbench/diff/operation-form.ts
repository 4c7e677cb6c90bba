import { isPlain, keysOf, valueAt } from 'accord/contract/references';
import { covering, mediaKey, mediaNames } from './covering.js';
import type { Part, Spot } from './form.js';
import { normal } from './schema-normal.js';
import { isWord, partAt, shapeOf } from './schema-part.js';
import { down, follow, note } from './spot.js';

export type Node = Record<string, unknown>;

export const nodesIn = (value: unknown): [string, unknown][] => (isPlain(value) ? Object.entries(value) : []);
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Enters what a node says that no rule looks at, so that a change of it is told at least. */
export function enterRest(node: Node, spot: Spot, known: readonly string[]): void {
  for (const [keyword, value] of Object.entries(node)) {
    if (known.includes(keyword) || isWord(keyword) || keyword === '$ref') continue;
    const at = down(spot, { key: ['rest', keyword], id: keyword, source: keyword, name: keyword });
    note({ ...at, where: spot.where }, keyword.startsWith('x-') ? 'extension' : 'unjudged', shapeOf(value));
  }
}

/** From when something deprecated may go: of a parameter, a header or an operation. Others call it `x-sunset`. */
export function enterSunset(node: Node, spot: Spot): void {
  const stated = node['x-deprecation'];
  const own = isPlain(stated) ? stated['sunset'] : undefined;
  const [sunset, source] = own === undefined ? [node['x-sunset'], 'x-sunset'] : [own, 'x-deprecation'];
  if (sunset === undefined) return;
  note(down(spot, { key: 'sunset', id: ':sunset', source }), 'sunset', String(sunset));
}

/** Enters a schema as a whole: schemas are compared by what they allow. One that is not stated allows anything. */
function enterSchema(value: unknown, spot: Spot): void {
  note(spot, 'schema', shapeOf(value), { part: value === undefined ? [] : partAt(value, spot) });
}

/** The media type of a part of a form that states none (OpenAPI 3.1, 4.8.15.1.1). */
function usualMedia(part: Part): string {
  const { types, parts, keywords } = normal(part);
  if (types.has('object')) return types.size === 1 ? 'application/json' : 'application/octet-stream';
  const items = parts.get('items')?.part;
  if (types.has('array')) return items === undefined ? 'application/octet-stream' : usualMedia(items);
  return keywords.has('contentEncoding') ? 'application/octet-stream' : 'text/plain';
}

/** How the parts of a form are written: each in a media type, with headers, or as a parameter is (OpenAPI 3.1, 4.8.15). */
function enterEncoding(node: Node, spot: Spot): void {
  const form = spot.source.at(-1);
  if (typeof form !== 'string' || !/^multipart\/|urlencoded$/i.test(form)) return;
  const { members } = normal(partAt(node['schema'], spot));
  const encoding = isPlain(node['encoding']) ? node['encoding'] : {};
  for (const [name, { part }] of members) {
    const stated = encoding[name];
    const own = isPlain(stated) ? stated : {};
    const label = spot.name === '' ? name : `${name} of ${spot.name}`;
    const at = down(spot, {
      key: ['encoding', name],
      id: `.encoding.${name}`,
      name: label,
      source: ['encoding', name],
    });
    note(at, 'part');
    const media = String(own['contentType'] ?? usualMedia(part))
      .split(',')
      .map(mediaKey)
      .sort()
      .join(', ');
    note(down(at, { key: 'media', id: ':contentType', source: 'contentType' }), 'partMedia', media);
    const types = normal(part).types;
    for (const [keyword, value] of writing(own, 'query', types))
      note(down(at, { key: keyword, id: `:${keyword}`, source: keyword }), keyword, value);
    enterHeaders(own['headers'], at);
    enterRest(own, { ...at, id: `${at.id}:` }, ['contentType', 'headers', ...WRITING]);
  }
}

/** Those of an answer, or of a part of a form. */
function enterHeaders(headers: unknown, spot: Spot): void {
  for (const [header, value] of nodesIn(headers)) {
    const name = header.toLowerCase();
    // Its media type says so (OpenAPI 3.1, 4.8.17.1).
    if (name === 'content-type') continue;
    const at = down(spot, { key: ['headers', name], id: `.header.${name}`, source: ['headers', header], name });
    note(at, 'header');
    const field = follow(value, at);
    enterField({ node: field.node, spot: { ...field.spot, name } }, 'header');
  }
}

/** `others` are the media types of the other version: one that a range covers is compared with what the range says. */
function enterContent(content: unknown, spot: Spot, others: readonly string[]): void {
  const own = new Map(nodesIn(content).map(([type, media]) => [mediaKey(type), { type, media }]));
  for (const key of new Set([...own.keys(), ...others])) {
    const found = own.get(key) ?? own.get(covering(key, [...own.keys()]) ?? '');
    if (found === undefined) continue;
    const { type, media } = found;
    const at = down(spot, { key: ['content', key], id: `.media.${key}`, source: ['content', type], name: type });
    note(at, 'media');
    const { node, spot: whole } = follow(media, at);
    enterRest(node, { ...whole, id: `${whole.id}:`, where: spot.where }, ['schema', 'encoding']);
    enterEncoding(node, { ...whole, where: spot.where });
    // Without the media type: the same body in two renditions is one body.
    enterSchema(node['schema'], {
      ...down(spot, { key: ['content', key, 'schema'], id: '.body', source: ['content', type, 'schema'] }),
    });
  }
}

const WRITING = ['style', 'explode', 'allowReserved', 'allowEmptyValue'];

/** How a value is written, where it is not as one that says nothing of it (OpenAPI 3.1, 4.8.12.2). */
function writing(node: Node, place: string, types: ReadonlySet<string>): [string, string][] {
  const common = place === 'query' || place === 'cookie' ? 'form' : 'simple';
  const style = node['style'] ?? common;
  const usual: Record<string, unknown> = {
    style: common,
    explode: style === 'form',
    allowReserved: false,
    allowEmptyValue: false,
  };
  return WRITING.filter((keyword) => (node[keyword] ?? usual[keyword]) !== usual[keyword])
    .filter((keyword) => keyword !== 'explode' || isSpread(types, String(style)))
    .map((keyword) => [keyword, String(node[keyword])]);
}

/** Whether it makes a difference to spread a value: not to a single one, nor to a list that has commas anyway (4.8.12.4). */
const isSpread = (types: ReadonlySet<string>, style: string): boolean =>
  types.has('object') || (types.has('array') && style !== 'simple');

/** What a header of a response, or a parameter, says of itself: whether it must be there, how it is written, its schema. */
function enterField({ node, spot }: { node: Node; spot: Spot }, place: string): void {
  note(down(spot, { key: 'required', id: ':required', source: 'required' }), 'required', node['required'] === true);
  if (node['deprecated'] === true)
    note(down(spot, { key: 'deprecated', id: ':deprecated', source: 'deprecated' }), 'deprecated', true);
  enterSunset(node, spot);
  const [content] = nodesIn(node['content']);
  // A value in a media type is written as that says.
  const types = () => normal(partAt(node['schema'], spot)).types;
  const written = content === undefined ? writing(node, place, types()) : [['content', mediaKey(content[0])] as const];
  for (const [keyword, value] of written) {
    note(down(spot, { key: keyword, id: `:${keyword}`, source: keyword }), keyword, value);
  }
  enterRest(node, { ...spot, id: `${spot.id}:` }, [
    ...['name', 'in', 'required', 'deprecated', 'x-deprecation', 'x-sunset', 'schema', 'content'],
    ...WRITING,
  ]);
  const source = content === undefined ? ['schema'] : ['content', content[0], 'schema'];
  const schema = content === undefined ? node['schema'] : isPlain(content[1]) ? content[1]['schema'] : undefined;
  const at = down(spot, { key: 'schema', source });
  enterSchema(schema, content === undefined && spot.direction === 'request' ? { ...at, text: true } : at);
}

/** A parameter with the keys that lead to it: some are the operation's, some its path's. */
export interface Placed {
  value: unknown;
  source: (string | number)[];
}

/** Enters parameters; those of the path are known by their place in it, whatever they are called. */
export function enterParameters(parameters: readonly Placed[], operation: Spot, path: string): void {
  const inPath = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
  for (const { value, source } of parameters) {
    const { node } = follow(value, operation);
    const place = String(node['in']);
    const name = place === 'header' ? String(node['name']).toLowerCase() : String(node['name']);
    // Those are what content negotiation and authentication say (OpenAPI 3.1, 4.8.12.1).
    if (place === 'header' && ['accept', 'content-type', 'authorization'].includes(name)) continue;
    const key = place === 'path' && inPath.includes(name) ? `path.#${inPath.indexOf(name)}` : `${place}.${name}`;
    const where = `the ${place} parameters of ${operation.where}`;
    const step = { key: ['parameters', key], id: `parameter.${place}.${name}`, name, where };
    const spot = { ...down(operation, step), source };
    note(spot, 'parameter');
    if (place === 'path') note(down(spot, { key: 'name', id: ':name', source: 'name' }), 'parameterName', name);
    const own = follow(value, spot);
    enterField({ node: own.node, spot: { ...own.spot, name } }, place);
  }
}

/** A link with the operationId of the operation that it names by its place. */
function byId({ operationRef, ...link }: Node, document: unknown): Node {
  const target = typeof operationRef === 'string' ? valueAt(document, keysOf(operationRef)) : undefined;
  const id = isPlain(target) ? target['operationId'] : undefined;
  return id === undefined
    ? { ...link, ...(operationRef !== undefined && { operationRef }) }
    : { ...link, operationId: id };
}

export function enterBody(body: unknown, operation: Spot, other?: unknown): void {
  if (body === undefined) return;
  const where = `the request body of ${operation.where}`;
  const here = down(operation, { key: 'body', id: 'request', source: 'requestBody', where });
  note(here, 'body');
  const { node, spot } = follow(body, here);
  note(down(spot, { key: 'required', id: ':required', source: 'required' }), 'required', node['required'] === true);
  enterRest(node, { ...spot, id: `${spot.id}:` }, ['required', 'content']);
  enterContent(node['content'], spot, mediaNames(other));
}

/** @param others the responses of the other version, followed: a status that a range covers is compared with the range */
export function enterResponses(
  responses: unknown,
  operation: Spot,
  others: ReadonlyMap<string, unknown>,
  key = 'responses',
): void {
  const own = new Map(
    nodesIn(responses)
      .filter(([status]) => !status.startsWith('x-'))
      .map(([status, response]) => [status.toUpperCase(), { status, response }]),
  );
  for (const name of new Set([...own.keys(), ...others.keys()])) {
    const found = own.get(name) ?? own.get(covering(name, [...own.keys()]) ?? '');
    if (found === undefined) continue;
    const { status, response } = found;
    const label = name === 'DEFAULT' ? 'default' : name;
    const where = `the ${label} response of ${operation.where}`;
    const direction = operation.direction === 'request' ? ('response' as const) : ('request' as const);
    const here = down(operation, {
      key: ['responses', name],
      id: `response.${label}`,
      source: [key, status],
      where,
      direction,
    });
    note({ ...here, name: label, where: operation.where }, 'status');
    const { node, spot } = follow(response, here);
    enterHeaders(node['headers'], spot);
    for (const [link, value] of nodesIn(node['links'])) {
      const at = down(spot, { key: ['links', link], id: `.link.${link}`, source: ['links', link], name: link });
      note(at, 'link', shapeOf(byId(follow(value, at).node, at.document)));
    }
    enterRest(node, { ...spot, id: `${spot.id}:` }, ['headers', 'content', 'links']);
    enterContent(node['content'], spot, mediaNames(others.get(name)));
  }
}

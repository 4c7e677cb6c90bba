import { isPlain } from 'accord/contract/references';
import { covering, mediaKey, mediaNames } from './covering.js';
import type { Spot } from './form.js';
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

/** From when something deprecated may go: of a parameter, a header or an operation. */
export function enterSunset(node: Node, spot: Spot): void {
  const stated = node['x-deprecation'];
  const sunset = isPlain(stated) ? stated['sunset'] : undefined;
  if (sunset === undefined) return;
  note(down(spot, { key: 'sunset', id: ':sunset', source: 'x-deprecation' }), 'sunset', String(sunset));
}

/** Enters a schema as a whole: schemas are compared by what they allow. One that is not stated allows anything. */
function enterSchema(value: unknown, spot: Spot): void {
  note(spot, 'schema', shapeOf(value), { part: value === undefined ? [] : partAt(value, spot) });
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
    enterRest(node, { ...whole, id: `${whole.id}:`, where: spot.where }, ['schema']);
    // Without the media type: the same body in two renditions is one body.
    enterSchema(node['schema'], {
      ...down(spot, { key: ['content', key, 'schema'], id: '.body', source: ['content', type, 'schema'] }),
    });
  }
}

const WRITING = ['style', 'explode', 'allowReserved', 'allowEmptyValue'];

/** How a value is written, where it is not as one that says nothing of it (OpenAPI 3.1, 4.8.12.2). */
function writing(node: Node, place: string): [string, string][] {
  const common = place === 'query' || place === 'cookie' ? 'form' : 'simple';
  const style = node['style'] ?? common;
  const usual: Record<string, unknown> = {
    style: common,
    explode: style === 'form',
    allowReserved: false,
    allowEmptyValue: false,
  };
  return WRITING.filter((keyword) => (node[keyword] ?? usual[keyword]) !== usual[keyword]).map((keyword) => [
    keyword,
    String(node[keyword]),
  ]);
}

/** What a header of a response, or a parameter, says of itself: whether it must be there, how it is written, its schema. */
function enterField({ node, spot }: { node: Node; spot: Spot }, place: string): void {
  note(down(spot, { key: 'required', id: ':required', source: 'required' }), 'required', node['required'] === true);
  if (node['deprecated'] === true)
    note(down(spot, { key: 'deprecated', id: ':deprecated', source: 'deprecated' }), 'deprecated', true);
  enterSunset(node, spot);
  const [content] = nodesIn(node['content']);
  // A value in a media type is written as that says.
  const written = content === undefined ? writing(node, place) : [['style', mediaKey(content[0])] as const];
  for (const [keyword, value] of written) {
    note(down(spot, { key: keyword, id: `:${keyword}`, source: keyword }), keyword, value);
  }
  enterRest(node, { ...spot, id: `${spot.id}:` }, [
    ...['name', 'in', 'required', 'deprecated', 'x-deprecation', 'schema', 'content'],
    ...WRITING,
  ]);
  const source = content === undefined ? ['schema'] : ['content', content[0], 'schema'];
  const schema = content === undefined ? node['schema'] : isPlain(content[1]) ? content[1]['schema'] : undefined;
  enterSchema(schema, down(spot, { key: 'schema', source }));
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
    for (const [header, value] of nodesIn(node['headers'])) {
      const called = header.toLowerCase();
      // Its media type says so (OpenAPI 3.1, 4.8.17.1).
      if (called === 'content-type') continue;
      const at = down(spot, {
        key: ['headers', called],
        id: `.header.${called}`,
        source: ['headers', header],
        name: called,
      });
      note(at, 'header');
      const field = follow(value, at);
      enterField({ node: field.node, spot: { ...field.spot, name: called } }, 'header');
    }
    for (const [link, value] of nodesIn(node['links'])) {
      const at = down(spot, { key: ['links', link], id: `.link.${link}`, source: ['links', link], name: link });
      note(at, 'link', shapeOf(follow(value, at).node));
    }
    enterRest(node, { ...spot, id: `${spot.id}:` }, ['headers', 'content', 'links']);
    enterContent(node['content'], spot, mediaNames(others.get(name)));
  }
}

import { enterSchema, enterSunset } from './schema-form.js';
import { down, follow, isNode, note, type Spot } from './spot.js';

type Node = Record<string, unknown>;

export const nodesIn = (value: unknown): [string, unknown][] => (isNode(value) ? Object.entries(value) : []);

function enterContent(content: unknown, spot: Spot): void {
  for (const [type, media] of nodesIn(content)) {
    const key = ['content', type];
    note(down(spot, { key, id: `.media.${type}`, source: ['content', type], name: type }), 'media');
    const schema = isNode(media) ? media['schema'] : undefined;
    // Without the media type: the same body in two renditions is one body.
    if (schema !== undefined) {
      enterSchema(schema, down(spot, { key: [...key, 'schema'], id: '.body', source: ['content', type, 'schema'] }));
    }
  }
}

/** What a header of a response, or a parameter, says of itself: whether it must be there, how it is written, its schema. */
function enterField({ node, spot }: { node: Node; spot: Spot }, required: boolean): void {
  note(down(spot, { key: 'required', id: ':required', source: 'required' }), 'required', required);
  for (const keyword of ['deprecated', 'style', 'explode', 'allowReserved']) {
    if (node[keyword] === undefined) continue;
    note(down(spot, { key: keyword, id: `:${keyword}`, source: keyword }), keyword, String(node[keyword]));
  }
  enterSunset(node, spot);
  if (node['schema'] !== undefined) enterSchema(node['schema'], down(spot, { key: 'schema', source: 'schema' }));
}

/** A parameter with the keys that lead to it: some are the operation's, some its path's. */
export interface Placed {
  value: unknown;
  source: (string | number)[];
}

export function enterParameters(parameters: readonly Placed[], operation: Spot): void {
  for (const { value, source } of parameters) {
    const { node } = follow(value, operation);
    const place = String(node['in']);
    const name = place === 'header' ? String(node['name']).toLowerCase() : String(node['name']);
    const id = `parameter.${place}.${name}`;
    const where = `the ${place} parameters of ${operation.where}`;
    const spot = { ...down(operation, { key: ['parameters', `${place}.${name}`], id, name, where }), source };
    note(spot, 'parameter');
    const own = follow(value, spot);
    enterField({ node: own.node, spot: { ...own.spot, name } }, own.node['required'] === true);
  }
}

export function enterBody(body: unknown, operation: Spot): void {
  if (body === undefined) return;
  const where = `the request body of ${operation.where}`;
  const here = down(operation, { key: 'body', id: 'request', source: 'requestBody', where });
  note(here, 'body');
  const { node, spot } = follow(body, here);
  note(down(spot, { key: 'required', id: ':required', source: 'required' }), 'required', node['required'] === true);
  enterContent(node['content'], spot);
}

export function enterResponses(responses: unknown, operation: Spot, key = 'responses'): void {
  for (const [status, response] of nodesIn(responses)) {
    const where = `the ${status} response of ${operation.where}`;
    const source = [key, status];
    const step = {
      key: ['responses', status],
      id: `response.${status}`,
      source,
      where,
      direction: 'response' as const,
    };
    const here = down(operation, step);
    note({ ...here, name: status, where: operation.where }, 'status');
    const { node, spot } = follow(response, here);
    for (const [header, value] of nodesIn(node['headers'])) {
      const name = header.toLowerCase();
      const at = down(spot, { key: ['headers', name], id: `.header.${name}`, source: ['headers', header], name });
      note(at, 'header');
      const own = follow(value, at);
      enterField({ node: own.node, spot: { ...own.spot, name } }, own.node['required'] === true);
    }
    enterContent(node['content'], spot);
  }
}

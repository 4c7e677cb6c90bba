import { METHODS } from '../document.js';
import { emptyForm, type Form } from './form.js';
import { enterBody, enterParameters, enterResponses, nodesIn, type Placed } from './operation-form.js';
import { permissionText } from './permission-rules.js';
import { down, follow, isNode, note, type Spot } from './spot.js';

type Node = Record<string, unknown>;

/** One operation as it is written, with what of its path counts for it. */
interface Written {
  method: string;
  path: string;
  node: Node;
  parameters: Placed[];
}

/** A document of sound structure, parsed and with its references in it. */
export type RestDocument = Node;

/** A request line whose path parameters have no name: the same address whatever they are called. */
const addressOf = ({ method, path }: Written) => `${method.toUpperCase()} ${path.replaceAll(/\{[^}]*\}/g, '{}')}`;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function written(document: RestDocument): Written[] {
  return nodesIn(document['paths']).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const node = isNode(item) ? item[method] : undefined;
      if (!isNode(item) || !isNode(node)) return [];
      const placed = (list: unknown, source: (string | number)[]): Placed[] =>
        listOf(list).map((value, index) => ({ value, source: [...source, 'parameters', index] }));
      // The operation's own come last, and so replace its path's.
      const parameters = [
        ...placed(item['parameters'], ['paths', path]),
        ...placed(node['parameters'], ['paths', path, method]),
      ];
      return { method, path, node, parameters };
    }),
  );
}

const idOf = ({ node }: Written) => String(node['operationId']);

/** The operations of a document with their addresses. */
export const operationsIn = (document: RestDocument): { id: string; address: string }[] =>
  written(document).map((operation) => ({ id: idOf(operation), address: addressOf(operation) }));

/**
 * Under which operationId each operation of the new document is compared: its own, or that of the operation which had its
 * address and whose id is gone.
 */
function keysIn(document: RestDocument, old: RestDocument | undefined): (operation: Written) => string {
  const before = old === undefined ? [] : operationsIn(old);
  const now = new Set(operationsIn(document).map(({ id }) => id));
  const known = new Set(before.map(({ id }) => id));
  const gone = new Map(before.filter(({ id }) => !now.has(id)).map(({ id, address }) => [address, id]));
  return (operation) => {
    const id = idOf(operation);
    return known.has(id) ? id : (gone.get(addressOf(operation)) ?? id);
  };
}

/** `{ basicAuth: [] }` as `basicAuth`; schemes that must be met together with `+`; `{}` as `anonymous`. */
const alternativeOf = (requirement: unknown): string =>
  nodesIn(requirement)
    .map(([scheme, scopes]) => [scheme, ...listOf(scopes)].join(':'))
    .sort()
    .join('+') || 'anonymous';

function enterSecurity(node: Node, document: RestDocument, spot: Spot): void {
  const own = node['security'] !== undefined;
  const security = listOf(own ? node['security'] : document['security']);
  const source = own ? [...spot.source, 'security'] : ['security'];
  for (const [index, requirement] of (security.length > 0 ? security : [{}]).entries()) {
    const alternative = alternativeOf(requirement);
    const at = down(spot, { key: ['security', alternative], id: `security.${alternative}`, name: alternative });
    note({ ...at, source: [...source, index] }, 'security');
  }
}

function enterPermissions(node: Node, spot: Spot): void {
  const at = down(spot, { key: 'permission', id: 'permission', source: 'x-permission' });
  note(at, 'permission', permissionText(node['x-permission']));
  for (const [index, further] of listOf(node['x-permission-also']).entries()) {
    const name = String(isNode(further) ? further['action'] : index);
    const source = ['x-permission-also', index];
    note(
      down(spot, { key: ['also', name], id: `permission.${name}`, source, name }),
      'furtherPermission',
      permissionText(further),
    );
  }
}

function enterOperation(operation: Written, document: RestDocument, spot: Spot): void {
  const { node } = operation;
  const deprecation = isNode(node['x-deprecation']) ? node['x-deprecation'] : {};
  const leaves: Record<string, unknown> = {
    operationId: node['operationId'],
    address: addressOf(operation),
    tag: listOf(node['tags'])[0],
    deprecated: node['deprecated'] === true,
    sunset: deprecation['sunset'],
    counted: node['x-rate-limit'] !== false,
  };
  const sources: Record<string, string> = { tag: 'tags', sunset: 'x-deprecation', counted: 'x-rate-limit' };
  note(spot, 'operation');
  for (const [name, value] of Object.entries(leaves)) {
    if (value === undefined) continue;
    note(down(spot, { key: name, id: name, source: sources[name] ?? name, name }), name, value as string | boolean);
  }
  enterPermissions(node, spot);
  enterSecurity(node, document, spot);
  enterParameters(operation.parameters, spot);
  enterBody(node['requestBody'], spot);
  enterResponses(node['responses'], spot);
}

/** The normal form of an OpenAPI document. With the `old` one, operations that only changed their operationId are paired. */
export function restForm(document: RestDocument, old?: RestDocument): Form {
  const form = emptyForm();
  const keyOf = keysIn(document, old);
  const root: Spot = {
    form,
    document,
    path: [],
    id: '',
    source: [],
    name: '',
    where: '',
    direction: 'request',
    element: '',
  };
  for (const operation of written(document)) {
    const key = keyOf(operation);
    const source = ['paths', operation.path, operation.method];
    const element = idOf(operation);
    enterOperation(operation, document, {
      ...root,
      path: ['operations', key],
      id: `${key}:`,
      source,
      where: key,
      element,
    });
  }
  for (const [index, server] of listOf(document['servers']).entries()) {
    const url = String(isNode(server) ? server['url'] : '');
    note(down(root, { key: ['servers', url], id: `servers:${url}`, source: ['servers', index], name: url }), 'server');
  }
  const components = isNode(document['components']) ? document['components'] : {};
  for (const [name, scheme] of nodesIn(components['securitySchemes'])) {
    const source = ['components', 'securitySchemes', name];
    const at = down(root, { key: ['schemes', name], id: `security:${name}`, source, name });
    note(at, 'scheme');
    const { description: _, ...definition } = follow(scheme, at).node;
    note(down(at, { key: 'definition' }), 'schemeDefinition', JSON.stringify(definition));
  }
  for (const [name, schema] of nodesIn(components['schemas'])) {
    const source = ['components', 'schemas', name];
    const at = down(root, { key: ['schemas', name], id: `${name}:schema`, source, name });
    note(at, 'schemaName', JSON.stringify(schema));
  }
  const unmatched = { ...root, path: ['unmatched'], id: 'unmatched:', where: 'a request that matches no path' };
  enterResponses(document['x-unmatched'], unmatched, 'x-unmatched');
  return form;
}

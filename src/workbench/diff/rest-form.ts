import { emptyForm, type Form } from './form.js';
import { enterBody, enterParameters, enterResponses, nodesIn } from './operation-form.js';
import { permissionText } from './permission-rules.js';
import {
  addressOf,
  formerNames,
  idOf,
  keysIn,
  listOf,
  type Node,
  type RestDocument,
  type Written,
  written,
} from './rest-operations.js';
import { enterSunset } from './schema-form.js';
import { down, follow, isNode, note, rootSpot, type Spot } from './spot.js';

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
  const leaves: Record<string, unknown> = {
    operationId: node['operationId'],
    address: addressOf(operation),
    tag: listOf(node['tags'])[0],
    deprecated: node['deprecated'] === true,
    counted: node['x-rate-limit'] !== false,
  };
  const sources: Record<string, string> = { tag: 'tags', counted: 'x-rate-limit' };
  note(spot, 'operation');
  for (const [name, value] of Object.entries(leaves)) {
    if (value === undefined) continue;
    note(down(spot, { key: name, id: name, source: sources[name] ?? name }), name, value as string | boolean);
  }
  enterSunset(node, { ...spot, id: spot.id.replace(/:$/, '') });
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
  const root: Spot = { ...rootSpot(form, document), formerNames: formerNames(document, old) };
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

import { isPlain } from 'accord/contract/references';
import { emptyForm, type Form, type Requirement, type Spot } from './form.js';
import {
  enterBody,
  enterParameters,
  enterResponses,
  enterRest,
  enterSunset,
  listOf,
  type Node,
  nodesIn,
} from './operation-form.js';
import { permissionText } from './permission-rules.js';
import {
  addressOf,
  formerNames,
  idOf,
  operationsOf,
  type Pair,
  type RestDocument,
  resolved,
  type Written,
} from './rest-operations.js';
import { kindsAt } from './schema-discriminator.js';
import { shapeOf } from './schema-part.js';
import { askedBy, enterSchemes, enterServers, isAnywhere } from './service-form.js';
import { down, note, rootSpot } from './spot.js';

function enterSecurity(node: Node, document: RestDocument, schemes: ReadonlyMap<string, string>, spot: Spot): void {
  const own = node['security'] !== undefined;
  const security = listOf(own ? node['security'] : document['security']);
  // Where neither says anything, nothing is asked for, and that stands nowhere.
  const source = own ? [...spot.source, 'security'] : document['security'] === undefined ? [] : ['security'];
  const requirements = (security.length > 0 ? security : [{}]).map((one, index): Requirement => {
    const named = nodesIn(one).map(
      ([scheme, scopes]) => [schemes.get(scheme) ?? scheme, listOf(scopes).map(String)] as const,
    );
    return { schemes: new Map(named), source: security.length > 0 ? [...source, index] : source };
  });
  const value = JSON.stringify(requirements.map((one) => [...one.schemes]));
  note({ ...down(spot, { key: 'security', id: 'security' }), source }, 'requirements', value, { requirements });
}

function enterPermissions(node: Node, spot: Spot): void {
  const at = down(spot, { key: 'permission', id: 'permission', source: 'x-permission' });
  note(at, 'permission', permissionText(node['x-permission']));
  for (const [index, further] of listOf(node['x-permission-also']).entries()) {
    const name = String(isPlain(further) ? further['action'] : index);
    const source = ['x-permission-also', index];
    note(
      down(spot, { key: ['also', name], id: `permission.${name}`, source, name }),
      'furtherPermission',
      permissionText(further),
    );
  }
}

const KNOWN = [
  ...[
    'operationId',
    'tags',
    'parameters',
    'requestBody',
    'responses',
    'callbacks',
    'deprecated',
    'security',
    'servers',
  ],
  ...['x-permission', 'x-permission-also', 'x-rate-limit', 'x-deprecation', 'x-sunset'],
];

/** What the other version says of the same operation, its references followed. */
interface Other {
  body: unknown;
  responses: Map<string, unknown>;
}

function otherOf(document: RestDocument, operation: Written | undefined): Other {
  const { node } = operation ?? { node: {} as Node };
  const responses = nodesIn(node['responses']).filter(([status]) => !status.startsWith('x-'));
  return {
    body: resolved(document, node['requestBody'], [])[0],
    responses: new Map(responses.map(([status, one]) => [status.toUpperCase(), resolved(document, one, [])[0]])),
  };
}

/** What an operation asks for and answers: all that a webhook and a callback have too. */
function enterMessages(operation: Written, other: Other, spot: Spot): void {
  const { node, parameters, path } = operation;
  if (node['deprecated'] === true)
    note(down(spot, { key: 'deprecated', id: 'deprecated', source: 'deprecated' }), 'deprecated', true);
  enterSunset(node, { ...spot, id: spot.id.replace(/[:.]$/, '') });
  enterParameters(parameters, spot, path);
  enterBody(node['requestBody'], spot, other.body);
  enterResponses(node['responses'], spot, other.responses);
  enterRest(node, spot, KNOWN);
}

/** Requests that the service sends: what it sends is an answer to those who take it, and what they answer it is sent. */
function enterSent(
  kind: 'webhook' | 'callback',
  items: unknown,
  others: unknown,
  spot: Spot,
  documents: Documents,
  at: string[],
): void {
  const theirs = operationsOf(documents.other, others, []);
  for (const operation of operationsOf(documents.own, items, [...spot.source, ...at])) {
    const name = `${operation.path} ${operation.method.toUpperCase()}`;
    const id = `${kind}.${operation.path}.${operation.method}.`;
    const where = `${kind} ${name}${spot.where === '' ? '' : ` of ${spot.where}`}`;
    const own: Spot = {
      ...down(spot, { key: [kind, ...at, name], id, name, where, direction: 'response' }),
      source: operation.source,
    };
    note(own, kind);
    const other = theirs.find(({ path, method }) => path === operation.path && method === operation.method);
    enterMessages(operation, otherOf(documents.other, other), {
      ...own,
      name: '',
      element: spot.element || operation.path,
    });
  }
}

interface Documents {
  own: RestDocument;
  other: RestDocument;
  /** What of the addresses of its servers counts as the beginning of its paths. */
  base: string;
}

function enterOperation(
  operation: Written,
  counterpart: Written | undefined,
  documents: Documents,
  schemes: ReadonlyMap<string, string>,
  spot: Spot,
): void {
  const { node, item, source } = operation;
  const path = { ...spot, source: source.slice(0, -1) };
  const leaves: [string, unknown, Spot][] = [
    ['operationId', node['operationId'], down(spot, { key: 'operationId', id: 'operationId', source: 'operationId' })],
    // The path is edited in its own line, the method in its.
    [
      'address',
      addressOf(operation),
      down(counterpart?.path === operation.path ? spot : path, { key: 'address', id: 'address' }),
    ],
    ['tag', listOf(node['tags'])[0], down(spot, { key: 'tag', id: 'tag', source: ['tags', 0] })],
    ['counted', node['x-rate-limit'] !== false, down(spot, { key: 'counted', id: 'counted', source: 'x-rate-limit' })],
  ];
  note({ ...spot, ...(counterpart === undefined && { source: source.slice(0, -1) }) }, 'operation');
  for (const [rule, value, at] of leaves)
    if (value !== undefined) note({ ...at, path: [...spot.path, rule] }, rule, value as string | boolean);
  enterPermissions(node, spot);
  enterSecurity(node, documents.own, schemes, spot);
  const other = otherOf(documents.other, counterpart);
  enterMessages(operation, other, spot);
  for (const [name, callback] of nodesIn(node['callbacks'])) {
    const [items] = resolved(documents.own, callback, []);
    const theirs = isPlain(counterpart?.node['callbacks']) ? counterpart.node['callbacks'][name] : undefined;
    enterSent('callback', items, resolved(documents.other, theirs, [])[0], spot, documents, ['callbacks', name]);
  }
  const servers = serversOf(operation);
  const theirs = counterpart && serversOf(counterpart);
  // Where one version has servers for it, the other has those of all.
  if (servers !== undefined || theirs !== undefined) {
    const all = servers === undefined ? [] : node['servers'] === undefined ? path.source : spot.source;
    enterServers(servers ?? documents.own['servers'], theirs ?? documents.other['servers'], { ...spot, source: all });
  }
  enterRest(item, { ...path, path: [...spot.path, 'item'] }, [...METHOD_KEYS, 'parameters', 'servers']);
}

const serversOf = ({ node, item }: Written): unknown => node['servers'] ?? item['servers'];

const REFERENCES = /#\/components\/schemas\/[^"/]+/g;

const METHOD_KEYS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'];

const DOCUMENT = [
  ...['openapi', 'info', 'servers', 'paths', 'webhooks', 'components', 'security', 'tags'],
  ...['x-unmatched', 'x-accepted-breaks', 'x-severity'],
];

/**
 * The normal form of one of two OpenAPI documents that are compared: what one covers by a range, the other names.
 * @param version which of the two it is
 */
export function restForm(documents: Documents, pairs: readonly Pair[], version: 'old' | 'now'): Form {
  const form = emptyForm();
  const { own: document, other } = documents;
  const [old, now] = version === 'old' ? [document, other] : [other, document];
  const former = (kind: string, shape = (one: unknown) => shapeOf(one)) =>
    version === 'old' ? new Map<string, string>() : formerNames(now, old, kind, shape);
  const schemes = former('securitySchemes', askedBy);
  const root: Spot = { ...rootSpot(form, document), formerNames: former('schemas') };
  for (const pair of pairs) {
    const operation = pair[version];
    if (operation === undefined) continue;
    const spot = {
      ...root,
      path: ['operations', pair.key],
      id: `${pair.key}:`,
      source: operation.source,
      where: pair.key,
    };
    enterOperation(operation, pair[version === 'old' ? 'now' : 'old'], documents, schemes, {
      ...spot,
      element: idOf(operation),
    });
  }
  enterSent('webhook', document['webhooks'], other['webhooks'], root, documents, ['webhooks']);
  // Without any it is `/` (OpenAPI 3.1, 4.8.1.1).
  const stated = listOf(document['servers']);
  const usual = other['servers'] === undefined && stated.length === 1 && isAnywhere(stated[0], documents.base);
  if (!usual) enterServers(stated, other['servers'], root, documents.base);
  enterSchemes(document, root, schemes);
  const components = isPlain(document['components']) ? document['components'] : {};
  const schemas = nodesIn(components['schemas']);
  const kinds = schemas.flatMap(([name, schema]) =>
    isPlain(schema) ? kindsAt(schema, { ...root, source: ['components', 'schemas', name] }) : [],
  );
  const used = new Set<string>([
    ...(JSON.stringify([document['paths'], document['webhooks'], components]).match(REFERENCES) ?? []),
    ...kinds.map(([, schema]) => schema),
  ]);
  for (const [name, schema] of schemas) {
    const source = ['components', 'schemas', name];
    const at = down(root, { key: ['schemas', name], id: `${name}:schema`, source, name });
    note(at, used.has(`#/${source.join('/')}`) ? 'schemaName' : 'unusedSchema', shapeOf(schema));
  }
  const unmatched = { ...root, path: ['unmatched'], id: 'unmatched:', where: 'a request that matches no path' };
  const theirs = nodesIn(other['x-unmatched']).map(
    ([status, one]) => [status.toUpperCase(), resolved(other, one, [])[0]] as const,
  );
  enterResponses(document['x-unmatched'], unmatched, new Map(theirs), 'x-unmatched');
  for (const [rule, verdict] of nodesIn(document['x-severity'])) {
    const at = { key: ['severity', rule], id: `severity:${rule}`, source: ['x-severity', rule], name: rule };
    note(down(root, at), 'severity', String(verdict));
  }
  enterRest(document, { ...root, id: 'document:' }, DOCUMENT);
  return form;
}

import { isPlain } from 'accord/contract/references';
import type { Spot } from './form.js';
import { enterRest, listOf, type Node, nodesIn } from './operation-form.js';
import type { RestDocument } from './rest-operations.js';
import { isWord, shapeOf } from './schema-part.js';
import { down, follow, note } from './spot.js';

/**
 * What two addresses of one server share: a host is the same in any case, and with the port that its scheme has anyway.
 * @param base what of its end is the beginning of the paths
 */
const addressed = (url: string, base: string): string => {
  const end = url.indexOf('://');
  const length = end < 0 ? 0 : end + 3;
  const scheme = url.slice(0, length).toLowerCase();
  const [host = '', ...path] = length === 0 ? ['', url] : url.slice(length).split(/(?=\/)/);
  // A variable's name, which is in braces, is none of the host.
  const plain = host.split('{').map((part) => {
    const name = part.indexOf('}') + 1;
    return part.slice(0, name) + part.slice(name).toLowerCase();
  });
  const port = { 'http://': ':80', 'https://': ':443' }[scheme];
  const known = plain.join('{');
  const bare = port !== undefined && known.endsWith(port) ? known.slice(0, -port.length) : known;
  const whole = `${scheme}${bare}${path.join('')}`.replace(/(?<=.)\/$/, '');
  return (base === '' ? whole : whole.slice(0, -base.length)) || '/';
};

/** Stands among the values of a variable that has no list of them, and is no text that one could have. */
export const ANY = '\0';

/** Whether a server is where the document is, as it is where there is none (OpenAPI 3.1, 4.8.1.1). */
export const isAnywhere = (server: unknown, base: string): boolean =>
  isPlain(server) && addressed(String(server['url']), base) === '/';

/**
 * Enters where the service is found: of the document, or of one operation.
 * @param others those of the other version
 * @param base as of `addressed`
 */
export function enterServers(servers: unknown, others: unknown, spot: Spot, base = ''): void {
  for (const [index, server] of listOf(servers).entries()) {
    if (!isPlain(server)) continue;
    const url = String(server['url']);
    const variables = nodesIn(server['variables']);
    const isKnown = listOf(others).some(
      (other) => isPlain(other) && addressed(String(other['url']), '') === addressed(url, ''),
    );
    const only = (isKnown ? [] : variables).flatMap(([name, one]) => {
      const values = isPlain(one) ? listOf(one['enum']) : [];
      return values.length === 1 ? [[name, String(values[0])] as const] : [];
    });
    // What has one value alone is as good as written out, where the other version does not have it.
    const key = addressed(
      only.reduce((whole, [name, value]) => whole.replaceAll(`{${name}}`, value), url),
      base,
    );
    const id = spot.id === '' ? `servers:${url}` : `servers.${url}`;
    const at = down(spot, { key: ['servers', key], id, source: ['servers', index], name: url });
    note(at, 'server');
    for (const [name, variable] of variables) {
      if (!isPlain(variable) || only.some(([one]) => one === name)) continue;
      const own = down(at, {
        key: ['variables', name],
        id: `.${name}`,
        source: ['variables', name],
        name: `${name} of ${url}`,
      });
      note(own, 'serverVariable');
      note(
        down(own, { key: 'default', id: ':default', source: 'default' }),
        'serverDefault',
        String(variable['default']),
      );
      if (variable['enum'] === undefined)
        note(down(own, { key: ['enum', ANY], id: ':enum', name: own.name }), 'serverAny');
      for (const [place, value] of listOf(variable['enum']).entries()) {
        const listed = {
          key: ['enum', String(value)],
          id: `:enum.${value}`,
          source: ['enum', place],
          name: String(value),
          where: own.name,
        };
        note(down(own, listed), 'serverValue');
      }
      enterRest(variable, { ...own, id: `${own.id}:` }, ['default', 'enum']);
    }
    enterRest(server, { ...at, id: `${at.id}:` }, ['url', 'variables', 'name']);
  }
}

/** What a client is not asked for: how the bearer's token looks inside is a hint (OpenAPI 3.1, 4.8.27). */
const HINTS = ['bearerFormat', 'flows', 'type', 'x-'];

function enterFlows(flows: unknown, spot: Spot): void {
  for (const [flow, one] of nodesIn(flows)) {
    if (!isPlain(one)) continue;
    const own = down(spot, {
      key: ['flows', flow],
      id: `.${flow}`,
      source: ['flows', flow],
      name: `${spot.name} (${flow})`,
    });
    note(own, 'flow');
    for (const keyword of ['authorizationUrl', 'tokenUrl', 'refreshUrl', 'deviceAuthorizationUrl']) {
      if (one[keyword] === undefined) continue;
      note(down(own, { key: keyword, id: `:${keyword}`, source: keyword }), 'flowUrl', String(one[keyword]));
    }
    for (const [scope] of nodesIn(one['scopes'])) {
      note(
        down(own, { key: ['scopes', scope], id: `.${scope}`, source: ['scopes', scope], name: scope, where: own.name }),
        'scope',
      );
    }
    enterRest(one, { ...own, id: `${own.id}:` }, [
      'authorizationUrl',
      'tokenUrl',
      'refreshUrl',
      'deviceAuthorizationUrl',
      'scopes',
    ]);
  }
}

/** What a client is asked for by a security scheme, in which the names of headers and of schemes are the same in any case. */
export function askedBy(scheme: unknown): string {
  const node: Node = isPlain(scheme) ? scheme : {};
  const definition: Node = {
    ...node,
    ...(typeof node['scheme'] === 'string' && { scheme: node['scheme'].toLowerCase() }),
    ...(node['in'] === 'header' && { name: String(node['name']).toLowerCase() }),
  };
  const asked = Object.entries(definition).filter(
    ([key]) => !isWord(key) && !HINTS.some((hint) => key === hint || (hint === 'x-' && key.startsWith(hint))),
  );
  return shapeOf(Object.fromEntries([['type', node['type']], ...asked]));
}

/** Enters how callers may prove who they are. One that only has another name now is the same. */
export function enterSchemes(document: RestDocument, root: Spot, formerNames: ReadonlyMap<string, string>): void {
  const components = isPlain(document['components']) ? document['components'] : {};
  for (const [name, scheme] of nodesIn(components['securitySchemes'])) {
    const source = ['components', 'securitySchemes', name];
    const known = formerNames.get(name) ?? name;
    const at = down(root, { key: ['schemes', known], id: `security:${known}`, source, name: known });
    note(at, 'scheme');
    note(down(at, { key: 'name', id: '.name' }), 'schemeName', name);
    const { node } = follow(scheme, at);
    note(down(at, { key: 'definition' }), 'schemeDefinition', askedBy(node));
    const extensions = Object.entries(node).filter(([key]) => key.startsWith('x-'));
    enterRest(Object.fromEntries(extensions), { ...at, id: `${at.id}:` }, []);
    enterFlows(node['flows'], at);
    if (node['bearerFormat'] !== undefined)
      note(
        down(at, { key: 'hint', id: ':bearerFormat', source: 'bearerFormat' }),
        'hint',
        String(node['bearerFormat']),
      );
  }
}

import { METHODS } from '@accord-api/platform/contract/document';
import { isPlain, keysOf } from '@accord-api/platform/contract/references';
import { entriesOf, listOf, type Node, nodeOf, resolved, type Version, versionAt } from './openapi-node.js';
import { viewOf } from './schema-view.js';

/** Returns the name under which two media types are the same: lower case, sorted parameters, no charset of JSON (RFC 8259, 8.1). */
export function mediaKey(type: string): string {
  const [name = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return [name, ...parameters.filter((one) => !(one === 'charset=utf-8' && /[/+]json$/.test(name))).sort()].join(';');
}

/** Returns the parameters of an operation by position (in the path) or by name. Those of the operation replace those of the path. */
export function parametersOf(operation: Version | undefined, path: string): Map<string, Version> {
  const positions = [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name);
  const found = new Map<string, Version>();
  const item = operation && {
    ...operation,
    path: operation.path.slice(0, -1),
    value: { parameters: nodeOf(operation)['x-item'] },
  };
  for (const owner of [item, operation])
    for (const index of listOf(nodeOf(owner)['parameters']).keys()) {
      const version = versionAt(owner, 'parameters', index) as Version;
      const { in: place, name } = nodeOf(resolved(version));
      const key = place === 'header' ? String(name).toLowerCase() : String(name);
      // Content negotiation and authentication state those (OpenAPI 3.1, 4.8.12.1).
      if (place === 'header' && ['accept', 'content-type', 'authorization'].includes(key)) continue;
      const position = place === 'path' ? positions.indexOf(key) : -1;
      found.set(position < 0 ? `${place}.${key}` : `path.#${position}`, version);
    }
  return found;
}

/** Returns how a parameter is written, with the defaults of the specification (OpenAPI 3.1, 4.8.12.2). */
export function writingOf(version: Version | undefined, place: string): Node {
  const { style: stated, explode, content, allowReserved = false, allowEmptyValue = false } = nodeOf(version);
  const [type] = isPlain(content) ? Object.keys(content) : [];
  if (type !== undefined) return { content: mediaKey(type), allowReserved, allowEmptyValue };
  const style = stated ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple');
  const types = [...(viewOf(versionAt(version, 'schema')).types ?? ['object'])];
  // Only lists and objects are spread; a list in `simple` style has commas anyway.
  const isSpread = types.some((one) => one === 'object' || (one === 'array' && style !== 'simple'));
  return { allowReserved, allowEmptyValue, style, explode: isSpread ? (explode ?? style === 'form') : undefined };
}

/** An operation as it is written. */
export interface Operation {
  method: string;
  path: string;
  version: Version;
  id: string;
  /** With unnamed path parameters: `GET /users/{}`. */
  address: string;
}

/** Returns the operations of path items: of `paths`, of `webhooks`, or of a callback. The parameters of the path are `x-item`. */
export function operationsOf(items: Version | undefined): Operation[] {
  return Object.keys(nodeOf(items)).flatMap((path) => {
    const item = resolved(versionAt(items, path));
    const { parameters, servers } = nodeOf(item);
    return METHODS.flatMap((method): Operation[] => {
      const version = versionAt(item, method);
      if (!isPlain(version?.value)) return [];
      const value = { ...(servers !== undefined && { servers }), ...version.value, 'x-item': parameters };
      const address = `${method.toUpperCase()} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;
      return [
        {
          method,
          path,
          version: { ...version, value },
          id: String(nodeOf(version)['operationId'] ?? address),
          address,
        },
      ];
    });
  });
}

/** Returns true for a status of a failure; `DEFAULT` is one where successes are listed. */
export const isFailure = (status: string): boolean => status === 'DEFAULT' || /^[45]/.test(status);

/** Returns the range, `4XX` or default that covers a status, or the range that covers a media type (RFC 9110, 12.5.1). */
export function covering(name: string, names: readonly string[]): string | undefined {
  const [bare = ''] = name.split(';');
  if (name.includes('/'))
    return [bare, `${bare.split('/')[0]}/*`, '*/*'].find((one) => one !== name && names.includes(one));
  const range = `${name.charAt(0)}XX`;
  if (/^\dXX$|^DEFAULT$/.test(name)) return undefined;
  if (names.includes(range)) return range;
  const isDefault = isFailure(name) || !names.some((one) => one.startsWith('2'));
  return names.includes('DEFAULT') && isDefault ? 'DEFAULT' : undefined;
}

/** Returns an address in which the case of the host, its usual port and a slash at the end make no difference. */
export function addressed(url: string): string {
  const end = url.indexOf('://');
  const [scheme, rest] = end < 0 ? ['', url] : [url.slice(0, end + 3), url.slice(end + 3)];
  const slash = `${rest}/`.indexOf('/');
  const [host, path] = [rest.slice(0, slash), rest.slice(slash)];
  const port = { 'http://': /:80$/, 'https://': /:443$/ }[scheme.toLowerCase()];
  const name = host.includes('{')
    ? host.replaceAll(/(?<=^|\})[^{}]*/g, (part) => part.toLowerCase())
    : host.toLowerCase();
  return `${scheme.toLowerCase()}${port ? name.replace(port, '') : name}${path}`.replace(/(?<=.)\/$/, '') || '/';
}

/** Returns the names of the schemas that anything refers to. */
export function usedIn(version: Version | undefined): Set<string> {
  const { paths, webhooks, components } = nodeOf(version);
  const text = JSON.stringify([paths, webhooks, components]);
  const references = [...text.matchAll(/#\/components\/schemas\/([^"/]+)/g)].map(
    ([, name = '']) => keysOf(`#/${name}`)[0],
  );
  const mapped = [...text.matchAll(/"mapping":\{([^{}]*)\}/g)].flatMap(([, list = '']) => [
    ...list.matchAll(/:"([^"/]+)"/g),
  ]);
  // A subtype may stand in the place of its base.
  const schemas = entriesOf((components as Record<string, unknown> | undefined)?.['schemas']);
  const subtypes = schemas.filter(([, schema]) => isPlain(schema) && 'allOf' in schema).map(([name]) => name);
  return new Set([...references, ...mapped.map(([, name]) => name), ...subtypes].map(String));
}

/** Schemes that must all be met, each with its scopes. */
export interface Requirement {
  schemes: Map<string, string[]>;
  /** `basicAuth`; `key+oauth:read` for several; `anonymous` for none. */
  label: string;
  at: Version | undefined;
}

/** Returns the ways to authenticate for an operation: its own, or those of the document. */
export function requirementsOf(
  operation: Version | undefined,
  formerNames: ReadonlyMap<string, string>,
): Requirement[] {
  const { document } = operation ?? {};
  const stated = versionAt(operation, 'security') ?? versionAt({ value: document, path: [], document }, 'security');
  const all = listOf(stated?.value);
  return (all.length > 0 ? all : [{}]).map((one, index) => {
    const entries = Object.entries(one as object).map(([name, scopes]) => [name, listOf(scopes).map(String)] as const);
    const schemes = new Map(entries.map(([name, scopes]) => [formerNames.get(name) ?? name, scopes]));
    const names = [...schemes].map(([name, scopes]) => [name, ...[...scopes].sort()].join(':')).sort();
    return { schemes, label: names.join('+') || 'anonymous', at: versionAt(stated, index) ?? stated ?? operation };
  });
}

/** Returns what a scheme asks of a client, in which the names of headers and schemes are case-insensitive. */
export function askedBy(version: Version | undefined): Version | undefined {
  const { type, scheme, in: place, name, openIdConnectUrl: url } = nodeOf(version);
  const header = place === 'header' ? String(name).toLowerCase() : name;
  const value = [type, scheme && String(scheme).toLowerCase(), place, header, url].filter(Boolean).join(' ');
  return version && { ...version, value };
}

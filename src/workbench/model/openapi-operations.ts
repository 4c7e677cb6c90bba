import { isPlain, keysOf, METHODS } from '@accord-api/platform/contract/document';
import { entriesOf, listOf, type Node, nodeOf, resolved, type Version, versionAt } from './openapi-node.js';
import { viewOf } from './schema-view.js';

/** The base of relative server URLs (RFC 3986, 5.1). */
export const BASE_URL = 'relative://service';

/** Normalises a media type: lower case, sorted parameters, no charset of JSON (RFC 8259, 8.1). */
export function mediaKey(type: string): string {
  const [name = '', ...parameters] = type
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  return [name, ...parameters.filter((one) => !(one === 'charset=utf-8' && /[/+]json$/.test(name))).sort()].join(';');
}

/** Returns the parameters of an operation and its path item, by position in the path or by name. The operation takes precedence. */
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
      // OpenAPI 3.1, 4.8.12.1: other members describe these headers.
      if (place === 'header' && ['accept', 'content-type', 'authorization'].includes(key)) continue;
      const position = place === 'path' ? positions.indexOf(key) : -1;
      found.set(position < 0 ? `${place}.${key}` : `path.#${position}`, version);
    }
  return found;
}

/** Returns the serialization of a parameter, with the defaults of OpenAPI 3.1, 4.8.12.2. */
export function serializationOf(version: Version | undefined, place: string): Node {
  const { style: stated, explode, content, allowReserved = false, allowEmptyValue = false } = nodeOf(version);
  const [type] = isPlain(content) ? Object.keys(content) : [];
  if (type !== undefined) return { content: mediaKey(type), allowReserved, allowEmptyValue };
  const style = stated ?? (place === 'query' || place === 'cookie' ? 'form' : 'simple');
  const types = [...(viewOf(versionAt(version, 'schema')).types ?? ['object'])];
  // `explode` has no effect on other types, nor on lists in `simple` style.
  const canExplode = types.some((one) => one === 'object' || (one === 'array' && style !== 'simple'));
  return { allowReserved, allowEmptyValue, style, explode: canExplode ? (explode ?? style === 'form') : undefined };
}

/** An operation of one version of a contract, as `accord diff` compares it. */
export interface Operation {
  method: string;
  path: string;
  version: Version;
  id: string;
  /** `GET /users/{}`, without the names of path parameters. */
  address: string;
}

/** Returns the operations of `paths`, `webhooks` or a callback. `x-item` has the parameters of the path item. */
export function operationsOf(items: Version | undefined): Operation[] {
  return Object.keys(nodeOf(items)).flatMap((path) => {
    const item = resolved(versionAt(items, path));
    const { parameters, servers } = nodeOf(item);
    return METHODS.flatMap((method): Operation[] => {
      const version = versionAt(item, method);
      if (!isPlain(version?.value)) return [];
      const value = { ...(servers !== undefined && { servers }), ...version.value, 'x-item': parameters };
      const address = `${method.toUpperCase()} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;
      const id = String(nodeOf(version)['operationId'] ?? address);
      return [{ method, path, version: { ...version, value }, id, address }];
    });
  });
}

/** Returns true for 4XX, 5XX and `DEFAULT`. */
export const isFailure = (status: string): boolean => status === 'DEFAULT' || /^[45]/.test(status);

/** Returns the range, `4XX` or default that covers a status, or the range that covers a media type (RFC 9110, 12.5.1). */
export function rangeFor(name: string, names: readonly string[]): string | undefined {
  const [type = ''] = name.split(';');
  if (name.includes('/'))
    return [type, `${type.split('/')[0]}/*`, '*/*'].find((one) => one !== name && names.includes(one));
  const range = `${name.charAt(0)}XX`;
  if (/^\dXX$|^DEFAULT$/.test(name)) return undefined;
  if (names.includes(range)) return range;
  const isDefault = isFailure(name) || !names.some((one) => one.startsWith('2'));
  return names.includes('DEFAULT') && isDefault ? 'DEFAULT' : undefined;
}

/** Returns the normalised address of a server (RFC 3986, 6.2), relative to the address of the contract. Keeps its variables. */
export function normalizeAddress(url: string): string {
  const text = url.replaceAll(/[{}]/g, '--');
  return URL.canParse(text, BASE_URL) ? new URL(text, BASE_URL).href.replace(/\/$/, '') : url;
}

/** Returns the names of the component schemas that are referenced, mapped by a discriminator, or composed by `allOf`. */
export function usedSchemas(version: Version | undefined): Set<string> {
  const { paths, webhooks, components } = nodeOf(version);
  const text = JSON.stringify([paths, webhooks, components]);
  const references = [...text.matchAll(/#\/components\/schemas\/([^"/]+)/g)].map(
    ([, name = '']) => keysOf(`#/${name}`)[0],
  );
  const mapped = [...text.matchAll(/"mapping":\{([^{}]*)\}/g)].flatMap(([, list = '']) => [
    ...list.matchAll(/:"([^"/]+)"/g),
  ]);
  const schemas = entriesOf((components as Record<string, unknown> | undefined)?.['schemas']);
  const subtypes = schemas.filter(([, schema]) => isPlain(schema) && 'allOf' in schema).map(([name]) => name);
  return new Set([...references, ...mapped.map(([, name]) => name), ...subtypes].map(String));
}

/** Security schemes that must all be satisfied, each with its scopes. */
export interface Requirement {
  schemes: Map<string, string[]>;
  /** `basicAuth`; `key+oauth:read` for several; `anonymous` for none. */
  label: string;
  at: Version | undefined;
}

/** Returns the security requirements of an operation, by default those of the document. */
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

/** Replaces a security scheme by a text that identifies the required credentials. */
export function credentialsOf(version: Version | undefined): Version | undefined {
  const { type, scheme, in: place, name, openIdConnectUrl: url } = nodeOf(version);
  const header = place === 'header' ? String(name).toLowerCase() : name;
  const value = [type, scheme && String(scheme).toLowerCase(), place, header, url].filter(Boolean).join(' ');
  return version && { ...version, value };
}

import { listOf, nodeOf, type Version, versionAt } from './openapi-node.js';

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

import { isPlain, keysOf, METHODS } from '@accord-api/platform/contract/document';
import { DEFAULTS } from '../model/defaults.js';
import { entriesOf, listOf, nodeOf, resolved, type Version, versionAt } from '../model/openapi-node.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import { comparePermissions, compareSchemes, compareSecurity } from './access.js';
import { at, type Change, keywordOf, type Label, labelled, locatedIn, membersOf, type Pair, whatOf } from './change.js';
import { messageComparison } from './operation.js';
import { type Locate, type Recorder, recorderOf } from './recorder.js';
import { schemaComparison } from './schema.js';

/** An operation of one version of a contract, as `accord diff` compares it. */
interface DiffOperation {
  method: string;
  path: string;
  version: Version;
  id: string;
  /** `GET /users/{}`, without the names of path parameters. */
  address: string;
}

/** Returns the operations of `paths`, `webhooks` or a callback. `x-item` has the parameters of the path item. */
function operationsOf(items: Version | undefined): DiffOperation[] {
  return Object.keys(nodeOf(items)).flatMap((path) => {
    const item = resolved(versionAt(items, path));
    const { parameters, servers } = nodeOf(item);
    return METHODS.flatMap((method): DiffOperation[] => {
      const version = versionAt(item, method);
      if (!isPlain(version?.value)) return [];
      const value = { ...(servers !== undefined && { servers }), ...version.value, 'x-item': parameters };
      const address = `${method.toUpperCase()} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;
      const id = String(nodeOf(version)['operationId'] ?? address);
      return [{ method, path, version: { ...version, value }, id, address }];
    });
  });
}

const documentOf = (source: OpenApiSource): Version => {
  const value = { ...source.current };
  return { value, path: [], document: value };
};

export const requestsIn = (source: OpenApiSource): { id: string; address: string; method: string; path: string }[] =>
  operationsOf(versionAt(documentOf(source), 'paths')).map(({ id, address, method, path }) => ({
    ...{ id, address, path, method: method.toUpperCase() },
  }));

/** Pairs operations by operationId, or else by address if the old id is gone. */
function pairsOf(before: DiffOperation[], after: DiffOperation[]) {
  const gone = before.filter(({ id }) => !after.some((operation) => operation.id === id));
  const find = (now: DiffOperation) =>
    before.find(({ id }) => id === now.id) ?? gone.find(({ address }) => address === now.address);
  const pairs = after.map((now) => [find(now), now] as const);
  const others = before.filter((operation) => !pairs.some(([old]) => old === operation));
  return [...others.map((old) => [old, undefined] as const), ...pairs];
}

const locator =
  ({ placeOf, originOf }: OpenApiSource): Locate =>
  (keys) => {
    const { file, line, column } = placeOf(keys, true);
    const origin = originOf(keys);
    return { file, line, column, ...(origin[0] === DEFAULTS && { shared: origin.join('.') }) };
  };

const LABEL: Label = { id: '', name: '', where: '', direction: 'request', owner: '' };

const requestOf = ({ method, path }: Pick<DiffOperation, 'method' | 'path'>) => `${method.toUpperCase()} ${path}`;

/** Places an operation at its path instead of its method. */
const atPath = (pair: Pair): Pair => {
  const up = (version: Version | undefined) => version && { ...version, path: version.path.slice(0, -1) };
  return { ...pair, old: up(pair.old), now: up(pair.now) };
};

/** Returns the unsorted changes between two valid versions of openapi.yaml. `now` decides which sunsets have passed. */
export function restChanges(before: OpenApiSource, after: OpenApiSource, now: Date): Change[] {
  const record = recorderOf('rest', { old: locator(before), now: locator(after) }, now);
  const messages = messageComparison(record, schemaComparison(record));
  const document: Pair = { old: documentOf(before), now: documentOf(after), label: LABEL };

  function compareOperation(pair: Pair, old: DiffOperation, current: DiffOperation): void {
    const { id, where } = pair.label;
    const operationId = at(pair, 'operationId', { id: `${id}operationId` });
    record.changed(operationId, 'operationId', operationId.old ? 'breaking' : 'safe', 'operationId');
    const place = labelled(old.path === current.path ? pair : atPath(pair), { id: `${id}address` });
    const moved = `address of ${where}: ${requestOf(old)} → ${requestOf(current)}`;
    if (old.address !== current.address) record.report(place, 'address', 'breaking', 'changed', moved);
    const tag = at(pair, ['tags', 0], { id: `${id}tag` });
    record.changed(tag, 'tag', 'risky', `tag of ${where}, by which generated clients group`, 'changed');
    const rate = at(pair, 'x-rate-limit', { id: `${id}counted` });
    const [was, is] = [pair.old, pair.now].map((version) => nodeOf(version)['x-rate-limit'] !== false);
    const message = `${where} is ${is ? '' : 'not '}counted by the rate limit now`;
    if (was !== is) record.report(locatedIn(rate, pair), 'counted', is ? 'risky' : 'safe', is ? 'on' : 'off', message);
    else record.changed(rate, 'extension', 'safe', `x-rate-limit of ${where}`);
    comparePermissions(record, pair);
    compareSecurity(record, pair);
    messages.compareMessages(pair, [old.path, current.path]);
    for (const [, callback] of membersOf(at(pair, 'callbacks'))) compareSent('callback', callback, pair.label);
    const servers = at(pair, 'servers', { id: `${id}servers.` });
    if (servers.old || servers.now) compareServers(record, locatedIn(servers, at(document, 'servers')));
  }

  /** Compares webhooks or callbacks, whose bodies the client receives. */
  function compareSent(kind: 'webhook' | 'callback', items: Pair, { id, where, owner: outer }: Label): void {
    for (const [old, current] of pairsOf(operationsOf(resolved(items.old)), operationsOf(resolved(items.now)))) {
      const { path, method } = (current ?? old) as DiffOperation;
      const [name, owner] = [`${path} ${method.toUpperCase()}`, outer || `@${path}`];
      const label: Label = { id: `${id}${kind}.${path}.${method}.`, name, where, direction: 'response', owner };
      const pair = { old: old?.version, now: current?.version, label };
      record.presence(pair, kind, kind);
      const inside = labelled(pair, { name: '', where: `${kind} ${name}${where === '' ? '' : ` of ${where}`}` });
      if (old && current) messages.compareMessages(inside, [old.path, current.path]);
    }
  }

  const paths = at(document, 'paths', { id: 'paths' });
  for (const [, item] of membersOf(paths))
    if (item.old && item.now) record.others(item, `${METHODS.join(' ')} parameters servers`);
  for (const [old, current] of pairsOf(operationsOf(paths.old), operationsOf(paths.now))) {
    const { id, method, path } = (old ?? current) as DiffOperation;
    const label: Label = { ...LABEL, id: `${id}:`, where: id, owner: `@${(current ?? old)?.id}` };
    const pair = { old: old?.version, now: current?.version, label };
    const message = `operation ${id} (${requestOf({ method, path })}) is ${old ? 'gone' : 'new'}`;
    const place = versionAt(paths.old, path) && versionAt(paths.now, path) ? pair : atPath(pair);
    if (old && current) compareOperation(pair, old, current);
    else record.report(place, 'operation', old ? 'breaking' : 'safe', whatOf(pair.old, pair.now), message);
  }
  compareSent('webhook', at(document, 'webhooks'), LABEL);
  messages.compareResponses(at(document, 'x-unmatched', { id: 'unmatched:', where: 'a request that matches no path' }));
  compareServers(record, at(document, 'servers', { id: 'servers:' }));
  compareSchemes(record, document);
  compareNames(record, document);
  for (const [rule, line] of membersOf(at(document, 'x-severity', { id: 'severity' }), ':'))
    record.changed(line, 'severity', 'risky', `severity of \`${rule}\``);
  const known = 'openapi info servers paths webhooks components security tags x-unmatched x-accepted-breaks x-severity';
  record.others(labelled(document, { id: 'document' }), known);
  return withScheme(record.changes());
}

/** Merges the removal of requirements into the removal of their scheme. */
function withScheme(changes: readonly Change[]): Change[] {
  const gone = changes.filter(({ id }) => /^rest:security:[^:]+:removed$/.test(id));
  const schemeOf = (change: Change) =>
    gone.find(({ id }) => change.id.endsWith(`:security.${id.split(':')[2]}:removed`));
  const others = changes.filter((change) => schemeOf(change) === undefined);
  return others.map((change) => {
    const elements = changes.filter((other) => schemeOf(other) === change).flatMap((other) => other.elements);
    return gone.includes(change) ? { ...change, elements } : change;
  });
}

/** The base of relative server URLs (RFC 3986, 5.1). */
const BASE_URL = 'relative://service';

/** Returns the normalised address of a server (RFC 3986, 6.2), relative to the address of the contract. Keeps its variables. */
function normalizeAddress(url: string): string {
  const text = url.replaceAll(/[{}]/g, '--');
  return URL.canParse(text, BASE_URL) ? new URL(text, BASE_URL).href.replace(/\/$/, '') : url;
}

/** Compares the addresses of the service, whose default is `/` (OpenAPI 3.1, 4.8.1.1), and their variables. */
function compareServers(record: Recorder, servers: Pair): void {
  const [old, now] = [servers.old, servers.now].map((version) => {
    const urls = listOf(version?.value).map((server) => normalizeAddress(String((server as { url: string }).url)));
    return new Map(urls.map((url, index) => [url, versionAt(version, index)]));
  }) as [Map<string, Version>, Map<string, Version>];
  const isOnlyHere = (all: typeof old) => [...all.keys()].every((url) => url === BASE_URL) && all.size < 2;
  if (isOnlyHere(old) && isOnlyHere(now)) return;
  for (const key of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(key), now.get(key)];
    const url = String(nodeOf(is ?? was)['url']);
    const server = labelled({ ...servers, old: was, now: is }, { id: `${servers.label.id}${url}`, name: url });
    if (!record.presence(server, 'server', 'server')) continue;
    record.others(server, 'url variables name');
    for (const [name, variable] of membersOf(at(server, 'variables'))) {
      if (!record.presence(variable, 'serverVariable', 'server variable')) continue;
      record.changed(keywordOf(variable, 'default'), 'serverDefault', 'risky', `default of ${name} of ${url}`);
      const list = keywordOf(variable, 'enum');
      const [before, after] = [list.old, list.now].map((version) => version && listOf(version.value));
      const isLess = after !== undefined && (before ?? [{}]).some((value) => !after.includes(value));
      const [verdict, what] = isLess ? (['breaking', 'removed'] as const) : (['safe', 'added'] as const);
      record.changed(locatedIn(list, variable), 'serverValue', verdict, `values of ${name} of ${url}`, what);
      record.others(variable, 'default enum');
    }
  }
}

/** Returns the names of the component schemas that are referenced, mapped by a discriminator, or composed by `allOf`. */
function usedSchemas(version: Version | undefined): Set<string> {
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

function compareNames(record: Recorder, document: Pair): void {
  const [before, after] = [usedSchemas(document.old), usedSchemas(document.now)];
  for (const [name, pair] of membersOf(at(document, ['components', 'schemas']))) {
    const member = labelled(pair, { id: `${name}:schema` });
    const isUsed = before.has(name) || after.has(name);
    const note = isUsed ? ': generated clients lose the type of that name' : ', which nothing used';
    const [rule, removed] = isUsed ? (['schemaName', 'risky'] as const) : (['unusedSchema', 'safe'] as const);
    if (record.presence(member, rule, 'schema', removed, 'safe', member.old ? note : '') && !isUsed)
      record.changed(member, rule, 'safe', `schema ${name}, which nothing uses`);
  }
}

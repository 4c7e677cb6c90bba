import { METHODS } from 'accord/contract/document';
import { isPlain, keysOf, valueAt } from 'accord/contract/references';
import { listOf, type Node, nodesIn, type Placed } from './operation-form.js';

/** One operation as it is written, with what of its path counts for it. */
export interface Written {
  method: string;
  path: string;
  item: Node;
  node: Node;
  /** Where it stands. */
  source: (string | number)[];
  parameters: Placed[];
}

/** A document of sound structure, parsed and with its references in it. */
export type RestDocument = Node;

/** What a node is, its references followed; with the keys that lead there. */
export function resolved(
  document: RestDocument,
  node: unknown,
  source: (string | number)[],
): [Node, (string | number)[]] {
  const reference = isPlain(node) ? node['$ref'] : undefined;
  if (typeof reference !== 'string') return [isPlain(node) ? node : {}, source];
  const keys = keysOf(reference);
  const target = valueAt(document, keys);
  return isPlain(target) && target !== node ? [{ ...target, ...(node as Node), $ref: undefined }, keys] : [{}, source];
}

/** A request line whose path parameters have no name: the same address whatever they are called. */
export const addressOf = ({ method, path }: Pick<Written, 'method' | 'path'>) =>
  `${method.toUpperCase()} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;

/**
 * The operations of some path items: of `paths`, of `webhooks`, of a callback.
 * @param base what their paths have before them
 */
export function operationsOf(document: RestDocument, items: unknown, at: (string | number)[], base = ''): Written[] {
  return nodesIn(items).flatMap(([key, written]) => {
    const path = base + key;
    const [item, source] = resolved(document, written, [...at, key]);
    return METHODS.flatMap((method) => {
      const node = item[method];
      if (!isPlain(node)) return [];
      const placed = (list: unknown, own: (string | number)[]): Placed[] =>
        listOf(list).map((value, index) => ({ value, source: [...own, 'parameters', index] }));
      // The operation's own come last, and so replace its path's.
      const parameters = [...placed(item['parameters'], source), ...placed(node['parameters'], [...source, method])];
      return { method, path, item, node, source: [...source, method], parameters };
    });
  });
}

/** The operations of a document. @param base as of `operationsOf` */
export const operationsAt = (document: RestDocument, base = ''): Written[] =>
  operationsOf(document, document['paths'], ['paths'], base);

/** The operationId; of an operation that has none, its address. */
export const idOf = (operation: Written) => String(operation.node['operationId'] ?? addressOf(operation));

/** The operations of a document by their id, with their request lines. */
export const operationsIn = (document: RestDocument): { id: string; address: string; method: string; path: string }[] =>
  operationsAt(document).map((operation) => {
    const { method, path } = operation;
    return { id: idOf(operation), address: addressOf(operation), method: method.toUpperCase(), path };
  });

/** What each of two documents that are compared has before its paths. */
export interface BasePaths {
  old: string;
  now: string;
}

/** One operation in both versions, under the id by which it is compared. */
export interface Pair {
  key: string;
  old?: Written;
  now?: Written;
}

/**
 * The operations of two documents in pairs: an operation is compared with the one that had its operationId, or else with the
 * one that had its address and whose id is gone.
 */
export function pairsOf(old: RestDocument, now: RestDocument, bases: BasePaths): Pair[] {
  const [before, after] = [operationsAt(old, bases.old), operationsAt(now, bases.now)];
  const ids = new Set(after.map(idOf));
  const known = new Map(before.map((operation) => [idOf(operation), operation]));
  const gone = new Map(before.filter((one) => !ids.has(idOf(one))).map((one) => [addressOf(one), one]));
  const pairs = after.map((operation): Pair => {
    const id = idOf(operation);
    const found = known.get(id) ?? gone.get(addressOf(operation));
    return { key: found === undefined ? id : idOf(found), now: operation, ...(found !== undefined && { old: found }) };
  });
  const paired = new Set(pairs.map((pair) => pair.old));
  return [...before.filter((one) => !paired.has(one)).map((one) => ({ key: idOf(one), old: one })), ...pairs];
}

type Named = [name: string, shape: string][];

/** What has another name in the new version and is the same: new name to old name. */
function renamed(before: Named, now: Named): Map<string, string> {
  const has = (all: Named, wanted: string) => all.some(([name]) => name === wanted);
  const gone = new Map(before.filter(([name]) => !has(now, name)).map(([name, shape]) => [shape, name]));
  const fresh = now.filter(([name, shape]) => !has(before, name) && gone.has(shape));
  return new Map(fresh.map(([name, shape]) => [name, gone.get(shape) as string]));
}

/**
 * The components of one kind that the old document has too, under a name that is gone: new name to old name.
 * @param shape by which two of them are the same
 */
export function formerNames(
  document: RestDocument,
  old: RestDocument,
  kind: string,
  shape: (node: unknown) => string,
): Map<string, string> {
  const namesOf = (one: RestDocument): Named => {
    const components = isPlain(one['components']) ? one['components'] : {};
    return nodesIn(components[kind]).map(([name, node]) => [name, shape(node)]);
  };
  return renamed(namesOf(old), namesOf(document));
}

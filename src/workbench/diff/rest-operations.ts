import { METHODS } from 'accord/contract/document';
import { nodesIn, type Placed } from './operation-form.js';
import { isNode } from './spot.js';

export type Node = Record<string, unknown>;

/** One operation as it is written, with what of its path counts for it. */
export interface Written {
  method: string;
  path: string;
  node: Node;
  parameters: Placed[];
}

/** A document of sound structure, parsed and with its references in it. */
export type RestDocument = Node;

/** A request line whose path parameters have no name: the same address whatever they are called. */
export const addressOf = ({ method, path }: Written) =>
  `${method.toUpperCase()} ${path.replaceAll(/\{[^{}]*\}/g, '{}')}`;

export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export function written(document: RestDocument): Written[] {
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

/** The operationId; of an operation that has none, its address. */
export const idOf = (operation: Written) => String(operation.node['operationId'] ?? addressOf(operation));

/** The operations of a document with their addresses. */
export const operationsIn = (document: RestDocument): { id: string; address: string }[] =>
  written(document).map((operation) => ({ id: idOf(operation), address: addressOf(operation) }));

/** The schemas of a document that the old one has too, under a name that is gone: new name to old name. */
export function formerNames(document: RestDocument, old: RestDocument | undefined): Map<string, string> {
  const schemasOf = (one: RestDocument | undefined) => {
    const components = one?.['components'];
    return nodesIn(isNode(components) ? components['schemas'] : undefined).map(
      ([name, schema]) => [name, JSON.stringify(schema)] as const,
    );
  };
  const [before, now] = [schemasOf(old), schemasOf(document)];
  const has = (all: typeof now, wanted: string) => all.some(([name]) => name === wanted);
  const gone = new Map(before.filter(([name]) => !has(now, name)).map(([name, schema]) => [schema, name]));
  const fresh = now.filter(([name, schema]) => !has(before, name) && gone.has(schema));
  return new Map(fresh.map(([name, schema]) => [name, gone.get(schema) as string]));
}

/**
 * Under which operationId each operation of the new document is compared: its own, or that of the operation which had its
 * address and whose id is gone.
 */
export function keysIn(document: RestDocument, old: RestDocument | undefined): (operation: Written) => string {
  const before = old === undefined ? [] : operationsIn(old);
  const now = new Set(operationsIn(document).map(({ id }) => id));
  const known = new Set(before.map(({ id }) => id));
  const gone = new Map(before.filter(({ id }) => !now.has(id)).map(({ id, address }) => [address, id]));
  return (operation) => {
    const id = idOf(operation);
    return known.has(id) ? id : (gone.get(addressOf(operation)) ?? id);
  };
}

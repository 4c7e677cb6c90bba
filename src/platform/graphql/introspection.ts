import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  OperationTypeNode,
  type SelectionSetNode,
} from 'graphql';

const FIELDS = new Set(['__schema', '__type', '__typename']);

const known = new WeakMap<DocumentNode, boolean>();

/**
 * Whether a document asks for nothing but the schema: all its operations are queries, and all their root fields introspection.
 * It is found out once for each document.
 */
export function isIntrospection(document: DocumentNode): boolean {
  const found = known.get(document) ?? asksForSchemaAlone(document);
  known.set(document, found);
  return found;
}

function asksForSchemaAlone({ definitions }: DocumentNode): boolean {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const one of definitions) if (one.kind === Kind.FRAGMENT_DEFINITION) fragments.set(one.name.value, one);
  const seen = new Set<string>();

  const asksForSchema = ({ selections }: SelectionSetNode): boolean =>
    selections.every((node) => {
      if (node.kind === Kind.FIELD) return FIELDS.has(node.name.value);
      if (node.kind === Kind.INLINE_FRAGMENT) return asksForSchema(node.selectionSet);
      const fragment = fragments.get(node.name.value);
      if (!fragment || seen.has(node.name.value)) return fragment !== undefined;
      seen.add(node.name.value);
      return asksForSchema(fragment.selectionSet);
    });

  const operations = definitions.flatMap((one) => (one.kind === Kind.OPERATION_DEFINITION ? [one] : []));
  return (
    operations.length > 0 &&
    operations.every(
      ({ operation, selectionSet }) => operation === OperationTypeNode.QUERY && asksForSchema(selectionSet),
    )
  );
}

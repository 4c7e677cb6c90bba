import { type DocumentNode, type FieldNode, type FragmentDefinitionNode, Kind, type SelectionSetNode } from 'graphql';

/** Pairs of fields that are merged into one; those that ask for the schema apart. */
interface Repeats {
  fields: number;
  introspection: number;
}

/** The pairs that `times` fields of one name make. */
export const pairsOf = (times: number): number => (times * (times - 1)) / 2;

/**
 * Counts the pairs of fields that stand beside themselves under one name once the fragments of a document are unfolded:
 * validation compares each with each, and all that is selected below them as well. The fields of one name are one group,
 * which is counted once wherever fragments lead to it; what is below a group is merged and counted likewise.
 * @param most where counting stops, so that it is over soon whatever the document
 */
export function countRepeats(document: DocumentNode, most: number): Repeats {
  const fragments = new Map(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : [])),
  );
  const used = new Set<FragmentDefinitionNode>();
  const seen = new Set<FieldNode | string>();
  const numbers = new Map<FieldNode, number>();
  const count: Repeats = { fields: 0, introspection: 0 };

  /** The fields of selections that stand beside each other, by the name under which they are answered. */
  function unfold(sets: readonly SelectionSetNode[]): Iterable<FieldNode[]> {
    const groups = new Map<string, FieldNode[]>();
    const here = new Set<FragmentDefinitionNode>();
    const rest = [...sets];
    for (let set = rest.pop(); set; set = rest.pop()) {
      for (const node of set.selections) {
        if (node.kind === Kind.FIELD) {
          const name = (node.alias ?? node.name).value;
          const group = groups.get(name);
          if (group) group.push(node);
          else groups.set(name, [node]);
          continue;
        }
        const fragment = node.kind === Kind.FRAGMENT_SPREAD ? fragments.get(node.name.value) : undefined;
        if (node.kind === Kind.INLINE_FRAGMENT) rest.push(node.selectionSet);
        else if (fragment && !here.has(fragment)) {
          here.add(fragment);
          used.add(fragment);
          rest.push(fragment.selectionSet);
        }
      }
    }
    return groups.values();
  }

  /** A name for a group; a field that stands alone is its own. */
  function keyOf(group: readonly FieldNode[]): FieldNode | string {
    if (group.length === 1) return group[0] as FieldNode;
    for (const node of group) if (!numbers.has(node)) numbers.set(node, numbers.size);
    return group
      .map((node) => numbers.get(node) as number)
      .sort((a, b) => a - b)
      .join();
  }

  /** @returns whether there is room for more */
  function visit(root: SelectionSetNode): boolean {
    const rest: { sets: readonly SelectionSetNode[]; within: boolean }[] = [{ sets: [root], within: false }];
    for (let next = rest.pop(); next; next = rest.pop()) {
      for (const group of unfold(next.sets)) {
        const within = next.within || isIntrospection(group[0] as FieldNode);
        const kind = within ? 'introspection' : 'fields';
        const pairs = pairsOf(group.length);
        if (pairs <= most) {
          const key = keyOf(group);
          if (seen.has(key)) continue;
          seen.add(key);
        }
        count[kind] += pairs;
        if (count[kind] > most) return false;
        const sets = group.flatMap(({ selectionSet }) => selectionSet ?? []);
        if (sets.length > 0) rest.push({ sets, within });
      }
    }
    return true;
  }

  for (const one of document.definitions) {
    if (one.kind === Kind.OPERATION_DEFINITION && !visit(one.selectionSet)) return count;
  }
  // Nothing uses the rest, which validation tells only after it has compared them, too.
  for (const fragment of fragments.values()) if (!used.has(fragment) && !visit(fragment.selectionSet)) return count;
  return count;
}

const isIntrospection = ({ name }: FieldNode): boolean => name.value.startsWith('__');

interface Group<Item> {
  /** Items of the group and its parts. */
  size: number;
  /** In the order of service. */
  readonly parts: Map<string, Group<Item>>;
  /** Empty for a group with parts. */
  readonly items: Item[];
}

const emptyGroup = <Item>(): Group<Item> => ({ size: 0, parts: new Map(), items: [] });

/** Returns the largest part; the one that is served last if several are as large. */
function largestPart<Item>({ parts }: Group<Item>): Group<Item> | undefined {
  let largest: Group<Item> | undefined;
  for (const part of parts.values()) if (part.size >= (largest?.size ?? 0)) largest = part;
  return largest;
}

/**
 * Returns a queue that takes turns between groups, and within a group between its parts, so that a group delays only itself.
 * @typeParam Item with the names of its groups, the widest first
 */
export function fairQueue<Item extends { readonly path: readonly string[] }>(capacity: number) {
  const root = emptyGroup<Item>();

  /** Returns the last item of the largest group, beginning with the widest groups; undefined if the new item is in it. */
  function itemToDisplace(path: readonly string[]): Item | undefined {
    let own: Group<Item> | undefined = root;
    for (const name of path) {
      let largest: Group<Item> | undefined = largestPart(own);
      own = own.parts.get(name);
      // A group does not give way to one that would be as large.
      if (largest && largest.size > (own?.size ?? 0) + 1) {
        for (let part = largestPart(largest); part; part = largestPart(part)) largest = part;
        return largest.items.at(-1);
      }
      if (!own) break;
    }
    return undefined;
  }

  function remove(item: Item): void {
    const groups = [root];
    for (const name of item.path) groups.push(groups.at(-1)?.parts.get(name) ?? emptyGroup());
    const { items } = groups.at(-1) as Group<Item>;
    const place = items.indexOf(item);
    if (place < 0) return;
    items.splice(place, 1);
    for (const [level, group] of groups.entries()) {
      group.size -= 1;
      if (group.size === 0) groups[level - 1]?.parts.delete(item.path[level - 1] as string);
    }
  }

  return {
    size: () => root.size,

    /** @returns the item that a full queue has no place for: the new one, or one that it displaced */
    add(item: Item): Item | undefined {
      const displaced = root.size < capacity ? undefined : itemToDisplace(item.path);
      if (displaced) remove(displaced);
      if (root.size >= capacity) return item;
      let at = root;
      at.size += 1;
      for (const name of item.path) {
        const part: Group<Item> = at.parts.get(name) ?? emptyGroup();
        at.parts.set(name, part);
        part.size += 1;
        at = part;
      }
      at.items.push(item);
      return displaced;
    },

    /** Removes the next item. Each group on its path waits for the others from then on. */
    take(): Item | undefined {
      if (root.size === 0) return undefined;
      let at = root;
      at.size -= 1;
      for (let [next] = at.parts; next; [next] = at.parts) {
        const [name, part] = next;
        at.parts.delete(name);
        part.size -= 1;
        if (part.size > 0) at.parts.set(name, part);
        at = part;
      }
      return at.items.shift();
    },

    remove,
  };
}

/** Returns the groups of a network in a fair queue: the prefixes /48, /56 and /64, or /24 and the IPv4 address. */
export function prefixesOf(network: string): string[] {
  const [a, b, c, last = '0'] = network.split(':');
  if (c === undefined) return [network.replace(/\.\d+$/, ''), network];
  return [`${a}:${b}:${c}`, `${a}:${b}:${c}:${last.padStart(4, '0').slice(0, 2)}`, network];
}

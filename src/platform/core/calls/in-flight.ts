/** A place in a list, for its removal. */
export interface Place<Item> {
  readonly item: Item;
  before: Place<Item> | undefined;
  after: Place<Item> | undefined;
}

export type InFlight<Item> = ReturnType<typeof inFlight<Item>>;

/**
 * Returns a list of running items, oldest first. A Map or a Set would keep requests alive until the next full garbage collection: when
 * V8 replaces the table of a Map, the old table, which may be in old space, points to the new one. The list clears the links of
 * removed items.
 */
export function inFlight<Item>() {
  let first: Place<Item> | undefined;
  let last: Place<Item> | undefined;
  let size = 0;
  return {
    size: () => size,
    first: () => first?.item,
    last: () => last?.item,
    items(): Item[] {
      const found: Item[] = [];
      for (let place = first; place; place = place.after) found.push(place.item);
      return found;
    },
    add(item: Item): Place<Item> {
      const place: Place<Item> = { item, before: last, after: undefined };
      if (last) last.after = place;
      else first = place;
      last = place;
      size += 1;
      return place;
    },
    /** Does nothing for a place that was removed. */
    remove(place: Place<Item>): void {
      const { before, after } = place;
      if (!before && first !== place) return;
      if (before) before.after = after;
      else first = after;
      if (after) after.before = before;
      else last = before;
      place.before = undefined;
      place.after = undefined;
      size -= 1;
    },
  };
}

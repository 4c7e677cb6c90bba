import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { BOUNDS } from '../bounds.js';

import { inFlight } from './in-flight.js';

const RETRY_MS = 1000;

/** Returns a promise that begins the work when it is awaited, as Prisma's promises do. */
export function lazily(begin: () => Promise<unknown>): Promise<unknown> {
  let running: Promise<unknown> | undefined;
  const run = () => (running ??= begin());
  return {
    [Symbol.toStringTag]: 'PrismaPromise',
    // biome-ignore lint/suspicious/noThenProperty: awaiting it begins the work
    then: (onFulfilled, onRejected) => run().then(onFulfilled, onRejected),
    catch: (onRejected) => run().catch(onRejected),
    finally: (onFinally) => run().finally(onFinally),
  };
}

/** Returns a function whose concurrent calls share one run of `work`. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Returns a function whose waiting calls share one run. Each call gets the result of a run that began after the call. */
export function coalesce<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= running.then(() => {
      const run = work();
      next = undefined;
      running = run.catch(() => {});
      return run;
    });
    return next;
  };
}

/** Schedules reads of tables into memory. Reads never overlap, so an older result cannot overwrite a newer one. */
export function refresher(read: () => Promise<void>, onFault: (error: unknown) => void) {
  let isClosed = false;
  const coalescedRead = coalesce(async () => {
    try {
      await read();
    } catch (error) {
      if (!isClosed) {
        onFault(error);
        setTimeout(request, RETRY_MS).unref();
      }
      throw error;
    }
  });
  function request(): void {
    if (!isClosed) coalescedRead().catch(() => {});
  }
  return {
    /** Requests a read. Requests during a read cause one more. */
    request,
    /** Resolves after a read that began after this call. */
    read: coalescedRead,
    close(): void {
      isClosed = true;
    },
  };
}

/** Runs work with the same key serially, so that waiting for its lock occupies one connection. */
export function serialByKey() {
  const runs = inFlight<{ key: string; end: Promise<unknown> }>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const previous = runs.items().findLast((one) => one.key === key)?.end ?? Promise.resolve();
    const end = previous.then(work, work);
    const place = runs.add({ key, end });
    try {
      return await end;
    } finally {
      runs.remove(place);
    }
  };
}

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
    for (const [level, one] of groups.entries()) {
      one.size -= 1;
      if (one.size === 0) groups[level - 1]?.parts.delete(item.path[level - 1] as string);
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

/** Milliseconds for which a page waits while requests run. It waits as long as requests wait for a place. */
const PATIENCE_MS = 25;
const CHECK_MS = 2;
/** Milliseconds of a turn of the event loop in which pages send entries. */
const TURN_MS = 0.5;

interface Places {
  readonly figures: () => { underWay: number; waiting: number };
  readonly runOn: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Runs few pages of subscriptions at a time, for each caller and in total, after requests. Callers take turns. */
export function background({ figures, runOn }: Places) {
  const callers = new Map<string, { begun: number; readonly waiting: (() => void)[] }>();
  let begun = 0;
  let running = 0;
  let lastTurn: Promise<unknown> = Promise.resolve();
  let turnEnds = 0;

  function beginNext(): void {
    for (const [key, caller] of callers) {
      if (begun >= BOUNDS.pages.value) return;
      const begin = caller.begun < BOUNDS.pagesOfCaller.value ? caller.waiting.shift() : undefined;
      if (!begin) continue;
      callers.delete(key);
      callers.set(key, caller);
      caller.begun += 1;
      begun += 1;
      begin();
    }
  }

  async function giveWay(): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    const isBusy = ({ underWay, waiting }: ReturnType<typeof figures>) =>
      waiting > 0 || (underWay > running && performance.now() < until);
    while (isBusy(figures())) await delay(CHECK_MS, undefined, { ref: false });
  }

  async function run(key: string, page: () => Promise<void>): Promise<void> {
    const caller = callers.get(key) ?? { begun: 0, waiting: [] };
    callers.set(key, caller);
    await new Promise<void>((begin) => {
      caller.waiting.push(begin);
      beginNext();
    });
    try {
      await giveWay();
      running += 1;
      await runOn(page).finally(() => {
        running -= 1;
      });
    } finally {
      begun -= 1;
      caller.begun -= 1;
      if (caller.begun === 0 && caller.waiting.length === 0) callers.delete(key);
      beginNext();
    }
  }

  /** Resolves when a page may send an entry: after other input, unless the turn of the event loop has just begun. */
  function turn(): Promise<unknown> {
    if (performance.now() < turnEnds) return Promise.resolve();
    lastTurn = lastTurn.then(() => nextTurn());
    return lastTurn.then(() => {
      turnEnds = performance.now() + TURN_MS;
    });
  }

  return (key: string) => ({ schedule: (page: () => Promise<void>) => run(key, page), turn });
}

export function listeners<T>() {
  const all = new Set<(news: T) => void>();
  return {
    emit(news: T): void {
      for (const listener of all) listener(news);
    },
    /** Returns a function that removes the listener. */
    add(listener: (news: T) => void): () => void {
      all.add(listener);
      return () => all.delete(listener);
    },
  };
}

/** A value or its promise. A promise for each step of a request would cost more than most steps. */
export type MaybePromise<T> = T | Promise<T>;

export const andThen = <T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> =>
  value instanceof Promise ? value.then(next) : next(value);

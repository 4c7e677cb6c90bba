import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Entry } from './streams.js';

/** Entries of one read, and the limit of entries buffered for a follower that still reads the table. */
const PAGE_SIZE = 100;
/** Followers that are served before other work gets a turn. */
const FOLLOWERS_PER_TURN = 500;
const RETRY_MS = 500;

/** An entry as JSON in UTF-8, encoded once for all followers. */
export type EntryJson = Buffer;

export interface Sink {
  send: (rendered: EntryJson) => void;
  /** Resolves when few sent bytes are queued. Stored entries must not flood a slow client. */
  drained: () => Promise<void>;
}

export interface FeedSubscription {
  /** Rejects if the database cannot be read. */
  started: Promise<void>;
  leave: () => void;
}

interface FeedOptions {
  head: () => Promise<number>;
  after: (id: number, limit: number) => Promise<readonly Entry[]>;
  render: (entry: Entry) => Promise<EntryJson>;
  /** Gets the error of each failed read. Reads are repeated. */
  onFault: (error: unknown) => void;
}

export type Feed = ReturnType<typeof feedOf>;
type Follower = ReturnType<typeof followerOf>;
/** Repeats a read until it succeeds; returns undefined when `isWanted` returns false. */
type Read = (id: number, isWanted: () => boolean) => Promise<readonly Entry[] | undefined>;

const lastIdOf = (page: readonly Entry[], newestId: number): number =>
  page.length === PAGE_SIZE ? (page.at(-1) as Entry).id : Math.max(page.at(-1)?.id ?? 0, newestId);

/**
 * Renders each entry of a key once, and delivers it to each follower once, in the order of the ids. A follower with an
 * earlier position first gets the stored entries. Ids are in the order of commits, so lost signals only delay delivery.
 */
export function feedOf({ head, after, render, onFault }: FeedOptions) {
  const followers = new Set<Follower>();
  /** `start` is the first position, `position` the last delivered id; both are undefined before the first read. */
  let start: number | undefined;
  let position: number | undefined;
  let newestId = 0;
  let running = false;

  const read: Read = async (id, isWanted) => {
    while (isWanted()) {
      try {
        return await after(id, PAGE_SIZE);
      } catch (error) {
        onFault(error);
        await delay(RETRY_MS, undefined, { ref: false });
      }
    }
    return undefined;
  };

  async function deliverNew(): Promise<void> {
    if (running) return;
    running = true;
    try {
      while (position !== undefined && position < newestId) {
        const target = newestId;
        const page = await read(position, () => followers.size > 0);
        if (!page) return;
        for (const entry of page) await deliver(entry);
        position = lastIdOf(page, target);
      }
    } finally {
      running = false;
    }
  }

  async function deliver(entry: Entry): Promise<void> {
    // A follower that joins now reads this entry from the table.
    position = entry.id;
    const current = [...followers];
    const rendered = await render(entry);
    for (const [index, follower] of current.entries()) {
      follower.deliver(entry.id, rendered);
      if (index % FOLLOWERS_PER_TURN === FOLLOWERS_PER_TURN - 1) await nextTurn();
    }
  }

  function wake(id: number): void {
    newestId = Math.max(newestId, id);
    void deliverNew().catch(onFault);
  }

  async function join(follower: Follower, since: number | undefined): Promise<void> {
    const newest = since === undefined || position === undefined ? await head() : 0;
    start ??= newest;
    position ??= newest;
    void follower.catchUp(since ?? newest, start).catch(onFault);
    wake(newest);
  }

  return {
    wake,
    /** @param since the id after which the follower begins; undefined for new entries only */
    follow(sink: Sink, since: number | undefined): FeedSubscription {
      const follower = followerOf(sink, position, read, render);
      followers.add(follower);
      const leave = () => {
        follower.leave();
        followers.delete(follower);
      };
      return { started: join(follower, since), leave };
    },
    isEmpty: () => followers.size === 0,
  };
}

/**
 * Buffers delivered entries while it sends the stored ones, then sends the buffer, then sends live. It sends only ids
 * above its position, so that nothing is sent twice.
 * @param delivered the last id that the feed delivered; undefined before its first read
 */
function followerOf(sink: Sink, delivered: number | undefined, read: Read, render: FeedOptions['render']) {
  let position = 0;
  /** Entries after `storedUntil` are in `buffer`. `buffer` is undefined for a live follower. */
  let storedUntil = delivered;
  let buffer: { id: number; rendered: EntryJson }[] | undefined = [];
  let hasLeft = false;

  async function send(id: number, rendered: EntryJson): Promise<void> {
    if (hasLeft || id <= position) return;
    position = id;
    sink.send(rendered);
    await sink.drained();
  }

  return {
    deliver(id: number, rendered: EntryJson): void {
      if (hasLeft) return;
      if (buffer && buffer.length === PAGE_SIZE) {
        buffer = [];
        storedUntil = id;
      } else if (buffer) {
        buffer.push({ id, rendered });
      } else if (id > position) {
        position = id;
        sink.send(rendered);
      }
    },

    /** Resolves when the follower is live. @param start the first position of the feed */
    async catchUp(since: number, start: number): Promise<void> {
      position = since;
      storedUntil ??= start;
      while (!hasLeft && buffer) {
        const target = storedUntil;
        if (position < target) {
          const page = await read(position, () => !hasLeft);
          if (!page) return;
          for (const entry of page) await send(entry.id, await render(entry));
          position = Math.max(position, lastIdOf(page, target));
        } else {
          const next = buffer.shift();
          if (next) await send(next.id, next.rendered);
          else buffer = undefined;
        }
      }
    },

    leave(): void {
      hasLeft = true;
    },
  };
}

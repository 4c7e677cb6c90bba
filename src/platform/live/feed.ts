import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Entry } from './streams.js';

/** Entries of one read, and rendered entries that wait for a follower that still reads the stored ones. */
const PAGE_SIZE = 100;
/** Followers that get an entry before other work gets its turn. */
const FOLLOWERS_PER_TURN = 500;
/** Milliseconds until the database is asked again after an error. */
const RETRY_MS = 500;

/** An entry as JSON in UTF-8, encoded once for all followers. */
export type Rendered = Buffer;

/** Receives rendered entries. */
export interface Sink {
  send: (rendered: Rendered) => void;
  /** Resolves when little of what was sent is still queued, so that stored entries do not flood a slow client. */
  drained: () => Promise<void>;
}

interface FeedOptions {
  /** Returns the id of the newest entry, or 0. */
  head: () => Promise<number>;
  /** Returns at most `limit` entries after an id. */
  after: (id: number, limit: number) => Promise<readonly Entry[]>;
  /** Never rejects: an entry that cannot be rendered is an error. */
  render: (entry: Entry) => Promise<Rendered>;
  /** Gets the error when entries cannot be read; reading is retried. */
  onFault: (error: unknown) => void;
}

export type Feed = ReturnType<typeof feedOf>;
type Follower = ReturnType<typeof followerOf>;
/** Reads entries after an id until it succeeds; undefined when `isWanted` returns false. */
type Read = (id: number, isWanted: () => boolean) => Promise<readonly Entry[] | undefined>;

/** Returns the id up to which a page is complete. @param known id up to which there may be entries */
const endOf = (page: readonly Entry[], known: number): number =>
  page.length === PAGE_SIZE ? (page.at(-1) as Entry).id : Math.max(page.at(-1)?.id ?? 0, known);

/**
 * Renders each entry under one key of a stream once, and hands it to every follower once, in the order of the ids. A follower that
 * begins at an earlier id first gets the stored entries. The order of ids is the order of commits, so that a position is enough and
 * nothing depends on signals being complete.
 */
export function feedOf({ head, after, render, onFault }: FeedOptions) {
  const followers = new Set<Follower>();
  /** The id at which the feed began, and the id up to which it has delivered; undefined until the first read. */
  let start: number | undefined;
  let position: number | undefined;
  let known = 0;
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
      while (position !== undefined && position < known) {
        const seen = known;
        const page = await read(position, () => followers.size > 0);
        if (!page) return;
        for (const entry of page) await deliver(entry);
        position = endOf(page, seen);
      }
    } finally {
      running = false;
    }
  }

  async function deliver(entry: Entry): Promise<void> {
    // A follower that joins from here on reads this entry in the table.
    position = entry.id;
    const present = [...followers];
    const rendered = await render(entry);
    for (const [index, follower] of present.entries()) {
      follower.deliver(entry.id, rendered);
      if (index % FOLLOWERS_PER_TURN === FOLLOWERS_PER_TURN - 1) await nextTurn();
    }
  }

  /** @param id up to which there are entries */
  function wake(id: number): void {
    known = Math.max(known, id);
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
    /**
     * @param since the id after which the follower begins; without one it gets what is added from now on
     * @returns `joined` rejects if the database cannot be read
     */
    follow(sink: Sink, since: number | undefined): { joined: Promise<void>; leave: () => void } {
      const follower = followerOf(sink, position, read, render);
      followers.add(follower);
      const leave = () => {
        follower.leave();
        followers.delete(follower);
      };
      return { joined: join(follower, since), leave };
    },
    isEmpty: () => followers.size === 0,
  };
}

/**
 * A follower of a feed. It keeps what is delivered while it gets the stored entries, then gets what it kept, and is live then. Only
 * ids above its position are sent, so that nothing is sent twice.
 * @param delivered the id up to which the feed has delivered; undefined before the first read of the feed
 */
function followerOf(sink: Sink, delivered: number | undefined, read: Read, render: FeedOptions['render']) {
  let position = 0;
  /** Entries after `stored` are in `kept`, and those up to it in the table; `kept` is undefined when the follower is live. */
  let stored = delivered;
  let kept: { id: number; rendered: Rendered }[] | undefined = [];
  let hasLeft = false;

  async function show(id: number, rendered: Rendered): Promise<void> {
    if (hasLeft || id <= position) return;
    position = id;
    sink.send(rendered);
    await sink.drained();
  }

  return {
    deliver(id: number, rendered: Rendered): void {
      if (hasLeft) return;
      if (kept && kept.length === PAGE_SIZE) {
        // Too many to keep: they are in the table.
        kept = [];
        stored = id;
      } else if (kept) {
        kept.push({ id, rendered });
      } else if (id > position) {
        position = id;
        sink.send(rendered);
      }
    },

    /**
     * Resolves when the follower is live.
     * @param since the id after which it begins
     * @param start the id after which the feed has delivered everything
     */
    async catchUp(since: number, start: number): Promise<void> {
      position = since;
      stored ??= start;
      while (!hasLeft && kept) {
        const target = stored;
        if (position < target) {
          const page = await read(position, () => !hasLeft);
          if (!page) return;
          for (const entry of page) await show(entry.id, await render(entry));
          position = Math.max(position, endOf(page, target));
        } else {
          const next = kept.shift();
          if (next) await show(next.id, next.rendered);
          else kept = undefined;
        }
      }
    },

    leave(): void {
      hasLeft = true;
    },
  };
}

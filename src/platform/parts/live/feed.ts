import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { BOUNDS } from '../../core/bounds.js';
import { Failure } from '../../core/calls/errors.js';
import type { Entry } from './streams.js';

/** Entries of one read, and the limit of entries buffered for a follower that still reads the table. */
const PAGE_SIZE = BOUNDS.pageRows.value;
/** Followers that are served before other work gets a turn. */
const FOLLOWERS_PER_TURN = 500;
const RETRY_MS = 500;

/** An entry as JSON in UTF-8, encoded once for all followers. */
export type EntryJson = Buffer;

/** When pages of entries are read and sent. */
export interface Schedule {
  /** Runs the read and the delivery of a page. */
  schedule: (page: () => Promise<void>) => Promise<void>;
  /** Resolves before each entry of a page, so that requests do not wait for the whole page. */
  turn: () => Promise<unknown>;
}

export interface Sink extends Schedule {
  send: (rendered: EntryJson) => void;
  /** Returns true if few sent bytes are queued. Stored entries must not flood a slow client. */
  isDrained: () => boolean;
  drained: () => Promise<void>;
}

export interface FeedSubscription {
  /** Rejects if the database cannot be read. */
  started: Promise<void>;
  leave: () => void;
}

/** Its schedule is that of new entries. */
interface FeedOptions extends Schedule {
  head: () => Promise<number>;
  /** Returns the highest id that was ever given, including ids of deleted entries. */
  lastGiven: () => Promise<number>;
  after: (id: number, limit: number) => Promise<readonly Entry[]>;
  render: (entry: Entry) => Promise<EntryJson>;
  /** Gets the error of each failed read. Reads are repeated. */
  onFault: (error: unknown) => void;
}

export type Feed = ReturnType<typeof feedOf>;
type Follower = ReturnType<typeof followerOf>;

/**
 * Returns a function that reads a page after a position, delivers it, and returns the position after it.
 * @param isWanted returns false if nobody waits for entries any more
 */
function pageReader({ after, onFault }: FeedOptions, { schedule, turn }: Schedule, isWanted: () => boolean) {
  let size = PAGE_SIZE;
  /** @param deliver returns false if the rest of the page cannot be delivered now; the next page is smaller */
  return async (from: number, newestId: number, deliver: (entry: Entry) => Promise<boolean>): Promise<number> => {
    let position = from;
    const readAndDeliver = async () => {
      if (!isWanted()) return;
      const page = await after(from, size);
      let count = 0;
      for (const entry of page) {
        await turn();
        if (!(await deliver(entry))) break;
        position = entry.id;
        count += 1;
      }
      const isWhole = count === page.length;
      if (isWhole && count < size) position = Math.max(position, newestId);
      size = isWhole ? Math.min(PAGE_SIZE, 2 * size) : Math.max(1, count);
    };
    try {
      await schedule(readAndDeliver);
    } catch (error) {
      onFault(error);
      await delay(RETRY_MS, undefined, { ref: false });
    }
    return position;
  };
}

/**
 * Renders each entry of a key once, and delivers it to each follower once, in the order of the ids. A follower with an
 * earlier position first gets the stored entries. Ids are in the order of commits, so lost signals only delay delivery.
 */
export function feedOf(options: FeedOptions) {
  const { head, lastGiven, render, onFault } = options;
  const followers = new Set<Follower>();
  const readPage = pageReader(options, options, () => followers.size > 0);
  /** `start` is the first position, `position` the last delivered id; both are undefined before the first read. */
  let start: number | undefined;
  let position: number | undefined;
  let newestId = 0;
  let running = false;

  async function deliverNew(): Promise<void> {
    if (running) return;
    running = true;
    try {
      while (followers.size > 0 && position !== undefined && position < newestId) {
        position = Math.max(position, await readPage(position, newestId, deliver));
      }
    } finally {
      running = false;
    }
  }

  async function deliver(entry: Entry): Promise<boolean> {
    // A follower that joins now reads this entry from the table.
    position = entry.id;
    const current = [...followers];
    const rendered = await render(entry);
    for (const [index, follower] of current.entries()) {
      follower.deliver(entry.id, rendered);
      if (index % FOLLOWERS_PER_TURN === FOLLOWERS_PER_TURN - 1) await nextTurn();
    }
    return true;
  }

  function wake(id: number): void {
    newestId = Math.max(newestId, id);
    void deliverNew().catch(onFault);
  }

  async function join(follower: Follower, since: number | undefined): Promise<void> {
    const newest = since === undefined || position === undefined ? await head() : 0;
    if (since !== undefined && since > Math.max(newest, position ?? 0) && since > (await lastGiven()))
      throw new Failure('BAD_REQUEST', '`since` is not the id of an entry: it is greater than the last id.');
    start ??= newest;
    position ??= newest;
    void follower.catchUp(since ?? newest, start).catch(onFault);
    wake(newest);
  }

  return {
    wake,
    /** @param since the id after which the follower begins; undefined for new entries only */
    follow(sink: Sink, since: number | undefined): FeedSubscription {
      const follower = followerOf(sink, position, options);
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
function followerOf(sink: Sink, delivered: number | undefined, options: FeedOptions) {
  let position = 0;
  /** Entries after `storedUntil` are in `buffer`. `buffer` is undefined for a live follower. */
  let storedUntil = delivered;
  let buffer: { id: number; rendered: EntryJson }[] | undefined = [];
  let hasLeft = false;
  const readPage = pageReader(options, sink, () => !hasLeft);

  function send(id: number, rendered: EntryJson): void {
    if (hasLeft || id <= position) return;
    position = id;
    sink.send(rendered);
  }

  async function sendStored(entry: Entry): Promise<boolean> {
    if (hasLeft || !sink.isDrained()) return false;
    send(entry.id, await options.render(entry));
    return true;
  }

  return {
    deliver(id: number, rendered: EntryJson): void {
      if (hasLeft) return;
      if (buffer && buffer.length === PAGE_SIZE) {
        buffer = [];
        storedUntil = id;
      } else if (buffer) {
        buffer.push({ id, rendered });
      } else {
        send(id, rendered);
      }
    },

    /** Resolves when the follower is live. @param start the first position of the feed */
    async catchUp(since: number, start: number): Promise<void> {
      position = since;
      storedUntil ??= start;
      while (!hasLeft && buffer) {
        await sink.drained();
        if (position < storedUntil) {
          position = Math.max(position, await readPage(position, storedUntil, sendStored));
        } else {
          const next = buffer.shift();
          if (next) send(next.id, next.rendered);
          else buffer = undefined;
        }
      }
    },

    leave(): void {
      hasLeft = true;
    },
  };
}

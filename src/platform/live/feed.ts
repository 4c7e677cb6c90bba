import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { type Follower, feedFollower, PAGE, type Rendered, type Sink } from './feed-follower.js';
import type { Stored, StoredPage } from './stream-source.js';

/** Followers written to before other work gets its turn. */
const BURST = 500;
/** Milliseconds until a lost database is asked again. */
const RETRY = 500;

interface FeedOptions<Entry extends Stored> {
  /** The id of the newest entry, 0 for none. */
  head: () => Promise<number>;
  /** See `after` of a stream. */
  after: (id: number, limit: number) => Promise<StoredPage<Entry>>;
  /** Never rejects: an entry that cannot be shown is shown as an error, not left out. */
  render: (entry: Entry) => Promise<Rendered>;
  /** Told when the entries could not be read; that is tried again. */
  onFault: (error: unknown) => void;
}

export type Feed = ReturnType<typeof feedOf>;

/**
 * What is under one key of a stream, rendered in one way, for any number of followers. Each entry is rendered once and handed
 * to every follower once, in the order of the ids; a follower that begins at an earlier id first gets what is stored, without
 * gap or repeat.
 * The order of ids is the order of commits, so a position is enough: nothing depends on signals being complete.
 */
export function feedOf<Entry extends Stored>({ head, after, render, onFault }: FeedOptions<Entry>) {
  const followers = new Set<Follower>();
  /** Where the feed began, and the id up to which everything was handed out since; undefined until that is known. */
  let start: number | undefined;
  let position: number | undefined;
  let known = 0;
  let running = false;

  /** Reads on as long as it is wanted, whatever happens to the database. */
  async function read(id: number, wanted: () => boolean): Promise<StoredPage<Entry> | undefined> {
    while (wanted()) {
      try {
        return await after(id, PAGE);
      } catch (error) {
        onFault(error);
        await delay(RETRY, undefined, { ref: false });
      }
    }
    return undefined;
  }

  async function handOut(): Promise<void> {
    if (running) return;
    running = true;
    try {
      while (position !== undefined && position < known) {
        const seen = known;
        const page = await read(position, () => followers.size > 0);
        if (!page) return;
        for (const entry of page.entries) await handOne(entry);
        position = Math.max(page.last, page.more ? 0 : seen);
      }
    } finally {
      running = false;
    }
  }

  async function handOne(entry: Entry): Promise<void> {
    // Who joins from here on finds this entry in the table.
    position = entry.id;
    const present = [...followers];
    const rendered = await render(entry);
    for (const [index, follower] of present.entries()) {
      follower.deliver(entry.id, rendered);
      if (index % BURST === BURST - 1) await nextTurn();
    }
  }

  /** There are entries up to this id. */
  function wake(id: number): void {
    known = Math.max(known, id);
    void handOut().catch(onFault);
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
     * @param since the id after which it begins; without one it begins with what is added from now on
     * @returns `joined` rejects when the database cannot be read
     */
    follow(sink: Sink, since: number | undefined): { joined: Promise<void>; leave: () => void } {
      const follower = feedFollower({ sink, handedOut: position, read, render });
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

import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { Message } from '../../application/services/messages.js';
import { type Follower, feedFollower, PAGE, type Sink, type StoredPage } from './feed-follower.js';

/** Followers written to before other work gets its turn. */
const BURST = 500;
/** Milliseconds until a lost database is asked again. */
const RETRY = 500;

export interface FeedOptions {
  /** The id of the channel's newest message, 0 for none. */
  head: () => Promise<number>;
  /** See `after` of the messages service. */
  after: (id: number, limit: number) => Promise<StoredPage>;
  /** Never rejects: a message that cannot be shown is shown as an error, not left out. */
  render: (message: Message) => Promise<string>;
  /** Told when the messages could not be read; that is tried again. */
  onFault: (error: unknown) => void;
}

export type MessageFeed = ReturnType<typeof messageFeed>;

/**
 * One channel, rendered in one way, for any number of followers. Each message is rendered once and handed to every follower
 * once, in the order of the ids; a follower that begins at an earlier id first gets what is stored, without gap or repeat.
 * The order of ids is the order of commits, so a position is enough: nothing depends on signals being complete.
 */
export function messageFeed({ head, after, render, onFault }: FeedOptions) {
  const followers = new Set<Follower>();
  /** Where the feed began, and the id up to which everything was handed out since; undefined until that is known. */
  let start: number | undefined;
  let position: number | undefined;
  let known = 0;
  let running = false;

  /** Reads on as long as it is wanted, whatever happens to the database. */
  async function read(id: number, wanted: () => boolean): Promise<StoredPage | undefined> {
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
        for (const message of page.messages) await handOne(message);
        position = Math.max(page.last, page.more ? 0 : seen);
      }
    } finally {
      running = false;
    }
  }

  async function handOne(message: Message): Promise<void> {
    // Who joins from here on finds this message in the table.
    position = message.id;
    const present = [...followers];
    const rendered = await render(message);
    for (const [index, follower] of present.entries()) {
      follower.deliver(message.id, rendered);
      if (index % BURST === BURST - 1) await nextTurn();
    }
  }

  /** There are messages up to this id. */
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

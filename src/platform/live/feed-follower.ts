import type { Stored, StoredPage } from './stream-source.js';

/** Entries read at a time, and rendered entries that wait for a follower that is still being shown the stored ones. */
export const PAGE = 100;

/** An entry as it is shown: JSON in UTF-8, encoded once for all who are shown it. */
export type Rendered = Buffer;

/** Where rendered entries go. */
export interface Sink {
  send: (rendered: Rendered) => void;
  /** Resolves when little of what was sent is still waiting: stored entries are not poured over a slow client. */
  drained: () => Promise<void>;
}

interface FollowerOptions<Entry extends Stored> {
  sink: Sink;
  /** The id up to which the feed has handed out everything; undefined where it does not know yet. */
  handedOut: number | undefined;
  /** Reads a page of what is stored after an id, however often it takes; undefined once `wanted` says no. */
  read: (id: number, wanted: () => boolean) => Promise<StoredPage<Entry> | undefined>;
  render: (entry: Entry) => Promise<Rendered>;
}

export type Follower = ReturnType<typeof feedFollower>;

/**
 * One reader of a feed. It joins first, and keeps waiting what is handed out meanwhile; then it is shown what is stored, then
 * what waits; then it is live. Only ids above its position are sent, so nothing is sent twice.
 */
export function feedFollower<Entry extends Stored>({ sink, handedOut, read, render }: FollowerOptions<Entry>) {
  let position = 0;
  /** Everything after `stored` is in `waiting`, everything up to it in the table; live once `waiting` is gone. */
  let stored = handedOut;
  let waiting: { id: number; rendered: Rendered }[] | undefined = [];
  let left = false;

  async function show(id: number, rendered: Rendered): Promise<void> {
    if (left || id <= position) return;
    position = id;
    sink.send(rendered);
    await sink.drained();
  }

  return {
    /** Takes an entry from the feed. */
    deliver(id: number, rendered: Rendered): void {
      if (left) return;
      if (waiting && waiting.length === PAGE) {
        // Too many to keep: they are in the table.
        waiting = [];
        stored = id;
      } else if (waiting) {
        waiting.push({ id, rendered });
      } else if (id > position) {
        position = id;
        sink.send(rendered);
      }
    },

    /**
     * Resolves once nothing is left between this reader and the present.
     * @param since the id after which it begins
     * @param start the id after which the feed has handed out everything
     */
    async catchUp(since: number, start: number): Promise<void> {
      position = since;
      stored ??= start;
      while (!left && waiting) {
        const target = stored;
        if (position < target) {
          const page = await read(position, () => !left);
          if (!page) return;
          for (const entry of page.entries) await show(entry.id, await render(entry));
          position = Math.max(position, page.last, page.more ? 0 : target);
        } else {
          const next = waiting.shift();
          if (next) await show(next.id, next.rendered);
          else waiting = undefined;
        }
      }
    },

    leave(): void {
      left = true;
    },
  };
}

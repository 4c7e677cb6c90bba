import type { Prisma } from '../database/client.js';
import type { Signals } from '../database/signals.js';
import { type Stored, type StoredPage, type StreamReader, StreamSource } from './stream-source.js';

/** Milliseconds after which a signal that got lost is made good by a look into the table. */
const BACKSTOP = 5000;

/**
 * What a model must be able to tell so that it can be followed. Ids must become visible in their order: who adds an entry
 * takes its id under a lock that only the commit releases.
 */
export interface StreamOptions<Entry extends Stored> {
  /** Names the stream among the application's: a word. */
  readonly name: string;
  /** The id of the newest entry under each of the keys; a key that has none may be left out. */
  readonly newest: (keys: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** At most `limit` entries under a key after an id, in the order of the ids; see `StoredPage`. */
  readonly after: (key: string, id: number, limit: number) => Promise<StoredPage<Entry>>;
}

/** Names an entry that was added, for all who follow its key. */
interface Added {
  readonly id: number;
  readonly key: string;
}

/** A model whose entries can be followed live, on every instance, without gap or repeat. */
export interface DurableStream {
  /** Signals an entry when the transaction that adds it commits. */
  readonly announce: (db: Prisma.TransactionClient, added: Added) => Promise<void>;
  /** To be called after the commit: this instance need not wait for its own signal. */
  readonly committed: (added: Added) => void;
  /**
   * What a subscription subscribes to: the entries under a key after an id, those that are stored first; without an id, those
   * that are added from now on. The argument that names the id is called `since`: by it, and no other argument, those may
   * differ who share one execution.
   * @param perCaller whether an answer depends on the account that receives it. By default all callers of one role who select the
   *   same share one execution.
   */
  readonly from: (key: string, since?: number, perCaller?: boolean) => AsyncIterable<never>;
}

interface StreamsOptions {
  signals: Signals;
  /** Told when a table could not be read; it is tried again. */
  onFault?: (error: unknown) => void;
}

/**
 * Tells, on every instance, that something was added to a stream. A signal is a hint: it carries the id and never the entry,
 * may come twice, and may be lost. Who watches reads the table, after the id that it has.
 */
export async function durableStreams({ signals, onFault = () => {} }: StreamsOptions) {
  const streams = new Map<string, { tell: (added: Added) => void; look: () => Promise<void> }>();

  const hear = (payload: string) => {
    const [, name = '', id, key = ''] = /^(\S+) (\d+) (.*)$/s.exec(payload) ?? [];
    streams.get(name)?.tell({ id: Number(id), key });
  };
  const lookAgain = () => {
    for (const { look } of streams.values()) void look().catch(onFault);
  };

  await signals.listen(hear, lookAgain);
  const backstop = setInterval(lookAgain, BACKSTOP).unref();

  return {
    /**
     * Makes a model one that can be followed.
     * @throws Error for a name that is no word, or that another stream has
     */
    durableStream<Entry extends Stored>(options: StreamOptions<Entry>): DurableStream {
      const { name, newest, after } = options;
      if (!/^\w+$/.test(name) || streams.has(name)) throw new Error(`"${name}" cannot name another durable stream.`);
      const watchers = new Map<string, Set<(head: number) => void>>();
      const tell = ({ id, key }: Added) => {
        for (const watcher of watchers.get(key) ?? []) watcher(id);
      };
      /** What was missed while nothing could be heard. */
      const look = async () => {
        if (watchers.size === 0) return;
        for (const [key, id] of await newest([...watchers.keys()])) tell({ id, key });
      };
      streams.set(name, { tell, look });

      const reader: StreamReader<Entry> = {
        name,
        after,
        head: async (key) => (await newest([key])).get(key) ?? 0,
        watch(key, onNews) {
          const those = watchers.get(key) ?? new Set();
          watchers.set(key, those.add(onNews));
          return () => {
            those.delete(onNews);
            if (those.size === 0 && watchers.get(key) === those) watchers.delete(key);
          };
        },
      };
      const signalOf = ({ id, key }: Added) => `${name} ${id} ${key}`;
      return {
        announce: (db, added) => signals.announce(db, signalOf(added)),
        committed(added) {
          signals.committed(signalOf(added));
          tell(added);
        },
        from: (key, since, perCaller = false) => new StreamSource(reader, key, since, perCaller),
      };
    },

    async close(): Promise<void> {
      clearInterval(backstop);
      await signals.close();
    },
  };
}

/** An entry of a stream: its place is its id. */
export interface Stored {
  readonly id: number;
}

/** Stored entries. `last`: the id up to which they are complete; `more`: there may be entries beyond it. */
export interface StoredPage<Entry extends Stored> {
  readonly entries: readonly Entry[];
  readonly last: number;
  readonly more: boolean;
}

/** How the entries of one stream are found, and when to look for them. */
export interface StreamReader<Entry extends Stored> {
  readonly name: string;
  readonly after: (key: string, id: number, limit: number) => Promise<StoredPage<Entry>>;
  /** The id of the newest entry under a key, 0 for none. */
  readonly head: (key: string) => Promise<number>;
  /**
   * @param onNews gets the greatest id known; what is at most that id has been committed
   * @returns ends the watch
   */
  readonly watch: (key: string, onNews: (head: number) => void) => () => void;
}

/**
 * What a subscription to a durable stream subscribed to. graphql takes it for a stream of events; the socket, which knows
 * better, has the entries executed once for all who select the same (`subscriptions.ts`), and nobody ever iterates it.
 */
export class StreamSource implements AsyncIterable<never> {
  readonly stream: StreamReader<Stored>;
  readonly key: string;
  /** The id after which it begins; undefined: with what is added from now on. */
  readonly since: number | undefined;
  /** Whether an answer about an entry depends on the account that receives it, and not on the role alone. */
  readonly perCaller: boolean;

  constructor(stream: StreamReader<Stored>, key: string, since: number | undefined, perCaller: boolean) {
    this.stream = stream;
    this.key = key;
    this.since = since;
    this.perCaller = perCaller;
  }

  [Symbol.asyncIterator](): never {
    throw new Error('A durable stream is followed, not iterated.');
  }
}

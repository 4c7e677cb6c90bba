import type { FastifyBaseLogger } from 'fastify';
import { LRUCache } from 'lru-cache';
import { boundedErrors } from '../graphql/answer.js';
import type { GraphQLContext } from '../graphql/context.js';
import type { Engine } from '../graphql/engine.js';
import type { ErrorFormatter } from '../graphql/errors.js';
import { formatted } from '../graphql/operation.js';
import type { PreparedOperation } from '../graphql/operation-check.js';
import { coalesced } from './coalesced.js';
import { type Feed, feedOf } from './feed.js';
import type { Rendered, Sink } from './feed-follower.js';
import type { Stored, StreamSource } from './stream-source.js';

/** Rendered entries are remembered for a moment, for clients that come back together and are shown the same ones. */
const REMEMBERED = { max: 1000, maxSize: 8 * 1024 * 1024, ttl: 1000 } as const;

/** Milliseconds between two lines of the log about the same trouble. */
const QUIET = 5000;

/** What one subscription asked for, checked. */
export interface Selection {
  source: StreamSource;
  /** See `selectionKey`. */
  key: string;
  prepared: PreparedOperation;
  /** A fresh context for each event. */
  context: () => GraphQLContext;
}

interface SubscriptionsOptions {
  engine: Pick<Engine, 'executeSubscriptionEvent'>;
  format: ErrorFormatter;
  log: FastifyBaseLogger;
}

/** The subscriptions to durable streams on this instance. Those to one key with the same selection share one feed, and one execution. */
export function subscriptions({ engine, format, log }: SubscriptionsOptions) {
  const feeds = new Map<string, { feed: Feed; stop: () => void }>();
  const remembered = new LRUCache<string, Rendered, () => Promise<Rendered>>({
    ...REMEMBERED,
    sizeCalculation: (payload) => payload.length + 1,
    fetchMethod: (_key, _stale, { context: render }) => render(),
  });
  let told = Number.NEGATIVE_INFINITY;
  // While the database is away, every feed says so twice a second.
  const onFault = (err: unknown) => {
    if (performance.now() - told < QUIET) return;
    told = performance.now();
    log.warn({ err }, 'a stream could not be read; trying again');
  };

  /** The payload of `next`. */
  async function render({ prepared, context }: Selection, entry: Stored): Promise<Rendered> {
    try {
      const result = await engine.executeSubscriptionEvent({ ...prepared, contextValue: context() }, entry);
      return encoded(formatted(result, format, log));
    } catch (error) {
      return encoded({ errors: boundedErrors(format.ofThrown(error, log)) });
    }
  }

  function feedFor(name: string, selection: Selection) {
    const { stream, key } = selection.source;
    const found = feeds.get(name);
    if (found) return found;
    const feed = feedOf({
      head: coalesced(() => stream.head(key)),
      after: (id, limit) => stream.after(key, id, limit),
      render: async (entry) =>
        (await remembered.fetch(`${entry.id} ${name}`, { context: () => render(selection, entry) })) as Rendered,
      onFault,
    });
    const unwatch = stream.watch(key, feed.wake);
    const stop = () => {
      unwatch();
      feeds.delete(name);
    };
    feeds.set(name, { feed, stop });
    return { feed, stop };
  }

  return {
    /** Begins a subscription; see `follow` of a feed. */
    open(selection: Selection, sink: Sink): { joined: Promise<void>; leave: () => void } {
      const { stream, key, since } = selection.source;
      const { feed, stop } = feedFor(`${stream.name} ${key} ${selection.key}`, selection);
      const { joined, leave } = feed.follow(sink, since);
      let left = false;
      return {
        joined,
        leave: () => {
          if (left) return;
          left = true;
          leave();
          if (feed.isEmpty()) stop();
        },
      };
    },
  };
}

const encoded = (payload: object): Rendered => Buffer.from(JSON.stringify(payload));

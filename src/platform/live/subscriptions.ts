import type { FastifyBaseLogger } from 'fastify';
import { type ExecutionArgs, execute } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Message } from '../../application/services/messages.js';
import { boundedErrors } from '../graphql/answer.js';
import type { GraphQLContext } from '../graphql/context.js';
import type { ErrorFormatter } from '../graphql/errors.js';
import { formatted } from '../graphql/operation.js';
import type { Services } from '../services.js';
import type { ChannelSource } from './channel-source.js';
import { coalesced } from './coalesced.js';
import type { Sink } from './feed-follower.js';
import { type MessageFeed, messageFeed } from './message-feed.js';

/** Rendered messages are remembered for a moment, for clients that come back together and are shown the same ones. */
const REMEMBERED = { max: 1000, maxSize: 8 * 1024 * 1024, ttl: 1000 } as const;

/** Milliseconds between two lines of the log about the same trouble. */
const QUIET = 5000;

/** What one subscription asked for, checked. */
export interface Selection {
  source: ChannelSource;
  /** See `selectionKey`. */
  key: string;
  args: Omit<ExecutionArgs, 'contextValue' | 'rootValue'>;
  /** A fresh context for each event. */
  context: () => GraphQLContext;
}

export interface SubscriptionsOptions {
  services: Pick<Services, 'channels' | 'messages'>;
  format: ErrorFormatter;
  log: FastifyBaseLogger;
}

/** The subscriptions of this instance. Those to one channel with the same selection share one feed, and one execution. */
export function subscriptions({ services: { channels, messages }, format, log }: SubscriptionsOptions) {
  const feeds = new Map<string, { feed: MessageFeed; stop: () => void }>();
  const remembered = new LRUCache<string, string, () => Promise<string>>({
    ...REMEMBERED,
    sizeCalculation: (payload) => payload.length + 1,
    fetchMethod: (_key, _stale, { context: render }) => render(),
  });
  let told = Number.NEGATIVE_INFINITY;
  // While the database is away, every feed says so twice a second.
  const onFault = (err: unknown) => {
    if (performance.now() - told < QUIET) return;
    told = performance.now();
    log.warn({ err }, 'messages could not be read; trying again');
  };

  /** The payload of `next`. */
  async function render({ args, context }: Selection, message: Message): Promise<string> {
    try {
      const result = await execute({ ...args, rootValue: message, contextValue: context() });
      return JSON.stringify(formatted(result, format, log));
    } catch (error) {
      return JSON.stringify({ errors: boundedErrors(format.ofThrown(error, log)) });
    }
  }

  function feedOf(key: string, selection: Selection) {
    const { channelId } = selection.source;
    const found = feeds.get(key);
    if (found) return found;
    const feed = messageFeed({
      head: coalesced(() => channels.head(channelId)),
      after: (id, limit) => messages.after(channelId, id, limit),
      render: async (message) =>
        (await remembered.fetch(`${message.id} ${key}`, { context: () => render(selection, message) })) as string,
      onFault,
    });
    const unwatch = channels.watch(channelId, feed.wake);
    const stop = () => {
      unwatch();
      feeds.delete(key);
    };
    feeds.set(key, { feed, stop });
    return { feed, stop };
  }

  return {
    /** Begins a subscription; see `follow` of a feed. */
    open(selection: Selection, sink: Sink): { joined: Promise<void>; leave: () => void } {
      const { channelId, since } = selection.source;
      const { feed, stop } = feedOf(`${channelId} ${selection.key}`, selection);
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

export type Subscriptions = ReturnType<typeof subscriptions>;

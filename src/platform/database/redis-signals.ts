import { Redis } from 'ioredis';
import type { Signals } from './commit-signals.js';
import type { Dependency } from './outages.js';

const RETRY_MS = 500;

/**
 * Sends signals through Redis, because NOTIFY serialises commits. A process that is killed after its commit sends none, so
 * listeners also read the tables.
 */
export function redisSignals(url: string, name: string, dependency: () => Dependency): Signals {
  const [receiving, sending] = [dependency(), dependency()];
  const options = { retryStrategy: () => RETRY_MS, autoResubscribe: false };
  // Subscriptions wait for the connection. Signals do not, because they would be late.
  const subscriber = new Redis(url, { ...options, maxRetriesPerRequest: null });
  const publisher = new Redis(url, { ...options, maxRetriesPerRequest: 1, enableOfflineQueue: false });
  // Redis prefixes keys but not channels. Other releases read msgpack from the channel without `:text`.
  const channel = `${subscriber.options.keyPrefix ?? ''}${name}:text`;
  const onSubscriberError = ({ message }: Error) => receiving.away(message);
  const onPublisherError = ({ message }: Error) => sending.away(message);
  subscriber.on('error', onSubscriberError);
  publisher.on('error', onPublisherError).on('ready', sending.back);

  return {
    announce: async () => {},
    committed: (payload) => void publisher.publish(channel, payload).then(sending.back, onPublisherError),
    async listen(onSignal, onConnect) {
      const subscribe = async () => {
        try {
          await subscriber.subscribe(channel);
          receiving.back();
          onConnect();
        } catch (error) {
          onSubscriberError(error as Error);
        }
      };
      subscriber.on('message', (_channel, payload) => onSignal(payload));
      subscriber.on('ready', () => void subscribe());
      if (subscriber.status === 'ready') await subscribe();
    },
    async close() {
      subscriber.disconnect();
      publisher.disconnect();
    },
  };
}

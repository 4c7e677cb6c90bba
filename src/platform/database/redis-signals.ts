import { Redis } from 'ioredis';
import type { Dependency } from './outages.js';
import type { Signals } from './signals.js';

/** Milliseconds between two attempts to connect again. */
const RETRY_MS = 500;

/**
 * Signals by Redis, for databases without NOTIFY and for loads that NOTIFY would slow down (it makes commits queue). A signal is
 * published after the commit, so a process that is killed in between loses it: listeners also read the tables.
 * @param dependency is called for each of the two connections, which are opened again after errors
 */
export function redisSignals(url: string, name: string, dependency: () => Dependency): Signals {
  const [receiving, sending] = [dependency(), dependency()];
  const options = { retryStrategy: () => RETRY_MS, autoResubscribe: false };
  // A subscription waits for the connection. A signal does not, because it would be late.
  const subscriber = new Redis(url, { ...options, maxRetriesPerRequest: null });
  const publisher = new Redis(url, { ...options, maxRetriesPerRequest: 1, enableOfflineQueue: false });
  // Redis prefixes keys, and not channels. The channel with the bare name carries msgpack, which other releases read.
  const channel = `${subscriber.options.keyPrefix ?? ''}${name}:text`;
  const notReceiving = ({ message }: Error) => receiving.away(message);
  const notSending = ({ message }: Error) => sending.away(message);
  subscriber.on('error', notReceiving);
  publisher.on('error', notSending).on('ready', sending.back);

  return {
    announce: async () => {},
    committed: (payload) => void publisher.publish(channel, payload).catch(notSending),
    async listen(onSignal, onConnect) {
      const subscribe = async () => {
        try {
          await subscriber.subscribe(channel);
          receiving.back();
          onConnect();
        } catch (error) {
          notReceiving(error as Error);
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

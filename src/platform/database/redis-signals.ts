import type { EventEmitter } from 'node:events';
import { Redis } from 'ioredis';
import mqemitter, { type MQEmitterRedis } from 'mqemitter-redis';
import type { Dependency } from './outages.js';
import type { Signals } from './signals.js';

/** Milliseconds between two attempts to connect again. */
const RETRY = 500;

/**
 * By Redis, for databases without NOTIFY and for loads that NOTIFY would slow down (it makes commits queue). A signal is
 * published after the commit, so a process that is killed in between loses it: who listens also looks into the tables.
 * @param dependency told, for each of the connections, of its errors; they are opened again by themselves
 */
export function redisSignals(url: string, name: string, dependency: () => Dependency): Signals {
  const [hearing, sending] = [dependency(), dependency()];
  const deaf = (error: unknown) => hearing.away(messageOf(error));
  const mute = (error: unknown) => sending.away(messageOf(error));
  const options = { retryStrategy: () => RETRY, maxRetriesPerRequest: 1 };
  // The listening connection waits for ever; a signal that cannot be sent is not worth the wait.
  const subConn = new Redis(url, { ...options, maxRetriesPerRequest: null });
  const pubConn = new Redis(url, { ...options, enableOfflineQueue: false });
  // Redis prefixes keys only, and an id that another installation signals is none of ours.
  const topic = `${subConn.options.keyPrefix ?? ''}${name}`;
  // Its types lack what its documentation has.
  const emitter = mqemitter({ subConn, pubConn } as object) as MQEmitterRedis & { state: EventEmitter };
  emitter.state.on('error', () => {}); // of the two connections, which tell it themselves
  subConn.on('error', deaf);
  pubConn.on('error', mute);
  pubConn.on('ready', sending.back);

  return {
    announce: async () => {},
    committed: (payload) => emitter.emit({ topic, payload }, (error) => error && mute(error)),
    async listen(onSignal, onConnect) {
      // Asking once more is answered after the subscription stands, also on a connection that was opened again.
      const heard = () => {
        hearing.back();
        onConnect();
      };
      subConn.on('ready', () => void subConn.subscribe(topic).then(heard, deaf));
      emitter.on(topic, ({ payload }, done) => {
        onSignal(String(payload));
        done();
      });
      if (subConn.status === 'ready') await subConn.subscribe(topic).then(heard, deaf);
    },
    async close() {
      subConn.disconnect();
      pubConn.disconnect();
    },
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

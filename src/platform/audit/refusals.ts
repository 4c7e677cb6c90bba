import { LRUCache } from 'lru-cache';
import { networkOf } from '../accounts/networks.js';
import type { PrismaClient } from '../database/client.js';
import { type AuditCall, audit } from './audit.js';

/** What anybody can bring about as often as requests get in. */
export type Refusal = 'access.refused' | 'limit.exceeded';

const MINUTE = 60_000;
/** Callers that are remembered, and rows a minute for all those together who are no account of ours. */
const REMEMBERED = 10_000;
const OF_STRANGERS = 100;

interface RefusalsDependencies {
  client: PrismaClient;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Told of a row that could not be written. */
  onFault: (error: unknown) => void;
}

/**
 * Writes down that somebody was refused: one row a minute at most for each caller and kind, so that nobody can fill the
 * table. A stranger is a network. However many networks there are, strangers get a hundred rows a minute, and each
 * instance counts for itself. No answer waits for its row.
 */
export function refusalLog({ client, now, onFault }: RefusalsDependencies) {
  const noted = new LRUCache<string, number>({ max: REMEMBERED });
  const writing = new Set<Promise<void>>();
  let minute = 0;
  let strangers = 0;

  function isOneTooMany(caller: AuditCall, at: number): boolean {
    if (caller.actor !== null) return false;
    const present = Math.floor(at / MINUTE);
    strangers = present === minute ? strangers + 1 : 1;
    minute = present;
    return strangers > OF_STRANGERS;
  }

  return {
    note(event: Refusal, caller: AuditCall & { address: string }): void {
      const at = now();
      const key = `${event} ${caller.actor ? `user:${caller.actor.id}` : networkOf(caller.address)}`;
      if (at - (noted.get(key) ?? Number.NEGATIVE_INFINITY) < MINUTE || isOneTooMany(caller, at)) return;
      noted.set(key, at);
      const row = audit(client, caller, event, null)
        .catch(onFault)
        .finally(() => writing.delete(row));
      writing.add(row);
    },
    /** Resolves when what was noted is written. */
    async settled(): Promise<void> {
      await Promise.all(writing);
    },
  };
}

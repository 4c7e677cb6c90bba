import type { PrismaClient } from '../database/client.js';
import { keyOf } from './throttle.js';

/** Milliseconds that a place is kept for who does not come. */
const KEPT = 15 * 60_000;

/**
 * Places kept in the table of throttles, for who has to wait because of others: told to come back at a time, it is let
 * through then, once, whoever else took the attempts that became free meanwhile.
 */
export function reservations({ client, now }: { client: PrismaClient; now: () => number }) {
  const keyFor = (subject: string) => keyOf('reservation', subject);

  return {
    /** @returns whether the subject has a place whose time has come; it is used up by that */
    async use(subject: string): Promise<boolean> {
      const at = new Date(now());
      const where = { key: keyFor(subject), blockedUntil: { lte: at }, resetsAt: { gt: at } };
      return (await client.throttle.deleteMany({ where })).count > 0;
    },

    /**
     * Keeps a place from `time` on, unless the subject has one already.
     * @returns the time of its place
     */
    async keep(subject: string, time: Date): Promise<Date> {
      const end = new Date(time.getTime() + KEPT);
      const key = keyFor(subject);
      const kept = await client.throttle.findFirst({ where: { key, resetsAt: { gt: new Date(now()) } } });
      if (kept?.blockedUntil) return kept.blockedUntil;
      const place = { count: 0, resetsAt: end, blockedUntil: time };
      await client.throttle.upsert({ where: { key }, create: { key, ...place }, update: place });
      return time;
    },
  };
}

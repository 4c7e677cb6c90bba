import { type Actor, sessionOf } from '../calls/access.js';
import type { PrismaClient } from '../database/client.js';
import type { Listener } from '../database/listener.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { Revocations } from './revocations.js';
import type { SessionEnds } from './session-ends.js';

interface StandingDependencies {
  client: PrismaClient;
  revocations: Pick<Revocations, 'onRevoked'>;
  sessionEnds: Pick<SessionEnds, 'onEnded'>;
  keys: Pick<SigningKeys, 'onRemoved'>;
  prove: Listener['prove'];
  /** Milliseconds since the epoch. */
  now: () => number;
}

export type Standing = ReturnType<typeof standing>;

/**
 * For connections that outlive a request: which callers must not go on, because the account is gone or has another role,
 * the session has ended, or the key that signed the token was retired. Told by signals, and to be asked, for these get lost.
 */
export function standing({ client, revocations, sessionEnds, keys, prove, now }: StandingDependencies) {
  return {
    /**
     * Asks the database, in one statement.
     * @returns those among the actors that must not go on
     */
    async refused(actors: readonly Actor[]): Promise<ReadonlySet<Actor>> {
      if (actors.length === 0) return new Set();
      const asked = actors.map((actor, place) => {
        const { id, role, kid } = actor;
        return { place, id, role, kid, session: sessionOf(actor) };
      });
      const rows = await client.$queryRaw<{ place: number }[]>`
        SELECT place
        FROM jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) AS a(place int, id int, role text, session uuid, kid text)
        WHERE NOT EXISTS (SELECT FROM users u WHERE u.id = a.id AND u.role = a.role)
          OR a.session IS NOT NULL AND NOT EXISTS (
            SELECT FROM sessions s WHERE s.id = a.session AND s.user_id = a.id
              AND s.revoked_at IS NULL AND s.expires_at > ${new Date(now())}::timestamptz)
          OR a.kid IS NOT NULL AND NOT EXISTS (SELECT FROM signing_keys k WHERE k.kid = a.kid)`;
      return new Set(rows.map(({ place }) => actors[place] as Actor));
    },

    /** Whether that will be heard: false when it must be asked for, and also while the database is away. */
    isHeard: async (): Promise<boolean> => {
      try {
        return await prove();
      } catch {
        return false;
      }
    },

    /**
     * Tells, as soon as it is heard, by which callers nothing more may be done.
     * @returns ends the telling
     */
    onRefused(listener: (isRefused: (actor: Actor) => boolean) => void): () => void {
      const sources = [
        revocations.onRevoked((userId) => listener(({ id }) => id === userId)),
        sessionEnds.onEnded((sessionIds) => listener((actor) => sessionIds.has(sessionOf(actor) ?? ''))),
        keys.onRemoved((kids) => listener(({ kid }) => kid !== undefined && kids.has(kid))),
      ];
      return () => {
        for (const leave of sources) leave();
      };
    },
  };
}

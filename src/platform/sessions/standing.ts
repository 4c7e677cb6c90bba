import { type Actor, sessionOf } from '../calls/access.js';
import type { PrismaClient } from '../database/client.js';
import type { Listener } from '../database/listener.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { Revocations } from './revocations.js';
import { liveAt, type SessionEnds } from './session-ends.js';

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
    /** Returns those among the actors that must not go on, as the database has them. */
    async refused(actors: readonly Actor[]): Promise<ReadonlySet<Actor>> {
      if (actors.length === 0) return new Set();
      const given = <T>(values: readonly (T | undefined)[]) => [...new Set(values.filter((one) => one !== undefined))];
      const live = liveAt(now());
      const [users, sessions, keys] = await Promise.all([
        client.user.findMany({
          where: { id: { in: given(actors.map(({ id }) => id)) } },
          select: { id: true, role: true },
        }),
        client.session.findMany({
          where: { id: { in: given(actors.map(sessionOf)) }, ...live },
          select: { id: true, userId: true },
        }),
        client.signingKey.findMany({
          where: { kid: { in: given(actors.map(({ kid }) => kid)) } },
          select: { kid: true },
        }),
      ]);
      const roles = new Map(users.map(({ id, role }) => [id, role]));
      const owners = new Map(sessions.map(({ id, userId }) => [id, userId]));
      const kids = new Set(keys.map(({ kid }) => kid));
      const mayGoOn = (actor: Actor): boolean => {
        const session = sessionOf(actor);
        return (
          roles.get(actor.id) === actor.role &&
          (session === undefined || owners.get(session) === actor.id) &&
          (actor.kid === undefined || kids.has(actor.kid))
        );
      };
      return new Set(actors.filter((actor) => !mayGoOn(actor)));
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

import { type Actor, sessionOf } from '../../../core/calls/access.js';
import { andThen, listeners, type MaybePromise, singleFlight } from '../../../core/calls/schedulers.js';
import { type Names, SHARED_SIGNALS } from '../../../core/names.js';
import type { Prisma } from '../../../database/client.js';
import { isOutage, retryWhileUnavailable } from '../../../database/faults.js';
import type { Database } from '../../../database/open.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import { refresher } from '../schedulers.js';
import { sessionEnds } from './session-ends.js';
import { ACCESS_TOKEN_LIFETIME_S, type AccessClaims, CLOCK_TOLERANCE_S } from './session-tokens.js';

/** The maximum age of a valid token, and a minute for the commit. */
export const MARK_AGE_MS = (ACCESS_TOKEN_LIFETIME_S + CLOCK_TOLERANCE_S + 60) * 1000;
/** Milliseconds for which the marks and keys read from the tables count as current. */
const FRESH_MS = 400;

/** Invalidates the tokens of lower versions, and tokens with another role. The role of a deleted user is null. */
interface Mark {
  version: number;
  role: string | null;
  /** Milliseconds since the epoch. Tokens without a version are older if they were issued until then. */
  at: number;
}

interface RevocationsOptions extends Pick<Database, 'client' | 'listen' | 'checkListening'> {
  keys: Pick<SigningKeys, 'read' | 'onRemoved'>;
  names: Names;
  now: () => number;
  /** Receives the error of a failed read, which is retried. */
  onFault: (error: unknown) => void;
}

/** Selects live sessions. @param now milliseconds since the epoch */
export const liveSessionsAt = (now: number) =>
  ({ revokedAt: null, expiresAt: { gt: new Date(now) } }) satisfies Prisma.SessionWhereInput;

export type Revocations = Awaited<ReturnType<typeof revocations>>;

/**
 * Revokes credentials on all instances within a second (docs/decisions.md, "Prompt revocation"). A revocation leaves a
 * mark in a table. Instances keep the marks in memory, receive new ones by NOTIFY, and read the table after each
 * connection.
 */
export async function revocations({ client, listen, checkListening, keys, names, now, onFault }: RevocationsOptions) {
  const { signals } = names;
  const marks = new Map<number, Mark>();
  const revoked = listeners<number>();
  const ended = listeners<ReadonlySet<string>>();
  /** Marks of a database that another one has replaced. They count until the present ones are read. */
  let former = new Set<Mark>();

  function set(userId: number, mark: Mark): void {
    if ((marks.get(userId)?.version ?? 0) >= mark.version) return;
    marks.set(userId, mark);
    revoked.emit(userId);
  }

  async function read(): Promise<void> {
    const oldest = now() - MARK_AGE_MS;
    const rows = await client.revocation.findMany({ where: { revokedAt: { gte: new Date(oldest) } } });
    for (const [userId, mark] of marks) if (mark.at < oldest || former.has(mark)) marks.delete(userId);
    for (const { userId, revokedAt, role, version } of rows)
      set(userId, { version: Number(version), role, at: revokedAt.getTime() });
  }

  /** Parses the mark from the signal. A lookup for each signal would be slow if many accounts change at once. */
  function onSignal(payload: string): void {
    const [userId, at, role, version] = payload.split(' ');
    // The release before sends no version, but the table has one.
    if (version === undefined) refresh.request();
    else set(Number(userId), { version: Number(version), role: role || null, at: Number(at) });
  }

  await retryWhileUnavailable(read);
  const refresh = refresher(read, onFault);
  const onEnded = (payload: string) => ended.emit(new Set(payload.split(' ')));
  for (const channels of signals.sessions === SHARED_SIGNALS.sessions ? [signals] : [signals, SHARED_SIGNALS]) {
    await listen(channels.revocations, onSignal, refresh.request);
    await listen(channels.sessions, onEnded, () => {});
  }

  let readAt = Number.NEGATIVE_INFINITY;
  const readAll = singleFlight(async () => {
    const began = performance.now();
    await Promise.all([keys.read(), refresh.read()]);
    readAt = began;
  });

  return {
    ...sessionEnds(signals, now),

    /** Returns true if the token is older than the user's mark, or contains the former role. */
    isRevoked({ subject, role, version, issuedAt }: AccessClaims): boolean {
      const mark = marks.get(Number(subject));
      if (!mark || mark.at < now() - MARK_AGE_MS) return false;
      return role !== mark.role || (version === undefined ? issuedAt <= mark.at : version < mark.version);
    },

    /** Applies signals that are older than a second. Reads the tables if signals may be missing. */
    refreshIfStale(): MaybePromise<void> {
      if (performance.now() - readAt < FRESH_MS) return undefined;
      const listening = checkListening();
      return andThen(listening instanceof Promise ? listening.catch(falseUnlessAway) : listening, (isListening) =>
        isListening ? undefined : readAll(),
      );
    },

    /** Calls the listener with the id of each user whose credentials changed. Returns a function that removes it. */
    onRevoked: revoked.add,

    /** Returns the actors whose account, role, session or key is no longer valid according to the database. */
    async invalidActors(actors: readonly Actor[]): Promise<ReadonlySet<Actor>> {
      if (actors.length === 0) return new Set();
      const unique = <T>(values: readonly (T | undefined)[]) => [...new Set(values.filter((id) => id !== undefined))];
      const ids = unique(actors.map(({ id }) => id));
      const sessionIds = unique(actors.map(sessionOf));
      const where = { id: { in: sessionIds }, ...liveSessionsAt(now()) };
      const kidsInUse = unique(actors.map(({ kid }) => kid));
      const [users, sessions, storedKeys] = await Promise.all([
        client.user.findMany({ where: { id: { in: ids } }, select: { id: true, role: true } }),
        client.session.findMany({ where, select: { id: true, userId: true } }),
        client.signingKey.findMany({ where: { kid: { in: kidsInUse } }, select: { kid: true } }),
      ]);
      const roles = new Map(users.map(({ id, role }) => [id, role]));
      const owners = new Map(sessions.map(({ id, userId }) => [id, userId]));
      const kids = new Set(storedKeys.map(({ kid }) => kid));
      const isValid = (actor: Actor): boolean => {
        const session = sessionOf(actor);
        return (
          roles.get(actor.id) === actor.role &&
          (session === undefined || owners.get(session) === actor.id) &&
          (actor.kid === undefined || kids.has(actor.kid))
        );
      };
      return new Set(actors.filter((actor) => !isValid(actor)));
    },

    /** Returns false if `onInvalidActors` may miss a signal, so that `invalidActors` must be called. */
    receivesSignals: (): Promise<boolean> => Promise.resolve(checkListening()).catch(() => false),

    /** Calls the listener with a test for invalid actors. Signals may get lost. Returns a function that removes it. */
    onInvalidActors(listener: (isRefused: (actor: Actor) => boolean) => void): () => void {
      const sources = [
        revoked.add((userId) => listener(({ id }) => id === userId)),
        ended.add((sessionIds) => listener((actor) => sessionIds.has(sessionOf(actor) ?? ''))),
        keys.onRemoved((kids) => listener(({ kid }) => kid !== undefined && kids.has(kid))),
      ];
      return () => {
        for (const stop of sources) stop();
      };
    },

    /** Replaces the marks of a database that another one has replaced. */
    reset(): void {
      former = new Set(marks.values());
      refresh.request();
    },

    close: refresh.close,
  };
}

/** Rethrows an outage, so that the database is not queried again. A pooler without NOTIFY still serves reads. */
function falseUnlessAway(error: unknown): false {
  if (isOutage(error)) throw error;
  return false;
}

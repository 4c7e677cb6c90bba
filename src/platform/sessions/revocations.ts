import { type AuditedEvent, audit } from '../audit/audit.js';
import { type Actor, type Call, sessionOf } from '../calls/access.js';
import { andThen, listeners, type MaybePromise, refresher, singleFlight } from '../calls/schedulers.js';
import type { Prisma } from '../database/client.js';
import { isOutage, retryWhileUnavailable } from '../database/faults.js';
import type { Database } from '../database/open.js';
import { notify } from '../database/signals.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { Names } from '../names.js';
import { ACCESS_TOKEN_LIFETIME_S, type AccessClaims, CLOCK_TOLERANCE_S } from './session-tokens.js';

/** The maximum age of a valid token, and a minute for the commit. */
const MARK_AGE_MS = (ACCESS_TOKEN_LIFETIME_S + CLOCK_TOLERANCE_S + 60) * 1000;
/** Milliseconds for which the marks and keys read from the tables count as current. */
const FRESH_MS = 400;
/** A signal holds 8,000 bytes, and an id takes 37. */
const IDS_PER_SIGNAL = 200;

/** Invalidates the tokens issued until `at`, and tokens with another role. The role of a deleted user is null. */
interface Mark {
  at: number;
  role: string | null;
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

  function set(userId: number, mark: Mark): void {
    if ((marks.get(userId)?.at ?? 0) >= mark.at) return;
    marks.set(userId, mark);
    revoked.emit(userId);
  }

  async function read(): Promise<void> {
    const oldest = now() - MARK_AGE_MS;
    for (const [userId, { at }] of marks) if (at < oldest) marks.delete(userId);
    const rows = await client.revocation.findMany({ where: { revokedAt: { gte: new Date(oldest) } } });
    for (const { userId, revokedAt, role } of rows) set(userId, { at: revokedAt.getTime(), role });
  }

  /** Parses the mark from the signal. A lookup for each signal would be slow if many accounts change at once. */
  function onSignal(payload: string): void {
    const [userId, at, role] = payload.split(' ');
    set(Number(userId), { at: Number(at), role: role || null });
  }

  await retryWhileUnavailable(read);
  const refresh = refresher(read, onFault);
  await listen(signals.revocations, onSignal, refresh.request);
  await listen(
    signals.sessions,
    (payload) => ended.emit(new Set(payload.split(' '))),
    () => {},
  );

  let readAt = Number.NEGATIVE_INFINITY;
  const readAll = singleFlight(async () => {
    const began = performance.now();
    await Promise.all([keys.read(), refresh.read()]);
    readAt = began;
  });

  /** Revokes the access tokens of a user at the commit. Called in the transaction of the change, after it. */
  async function revoke(tx: Prisma.TransactionClient, userId: number): Promise<void> {
    const where = { userId };
    await tx.revocation.deleteMany({
      where: { revokedAt: { lt: new Date(now() - MARK_AGE_MS) }, userId: { not: userId } },
    });
    const last = await tx.revocation.findUnique({ where });
    const user = await tx.user.findUnique({ where: { id: userId }, select: { role: true } });
    const role = user?.role ?? null;
    // An instance with a fast clock may have written the last mark.
    const revokedAt = new Date(Math.max(now(), (last?.revokedAt.getTime() ?? 0) + 1));
    await tx.revocation.upsert({ where, create: { userId, revokedAt, role }, update: { revokedAt, role } });
    await notify(tx, signals.revocations, `${userId} ${revokedAt.getTime()} ${role ?? ''}`);
  }

  return {
    revoke,

    /** Ends the selected live sessions, audits each, and signals them at the commit. */
    async end(
      db: Prisma.TransactionClient,
      call: Call,
      event: Extract<AuditedEvent, 'logout' | 'session.revoked' | 'refresh.reused'>,
      where: Prisma.SessionWhereInput,
    ): Promise<void> {
      const select = { id: true, userId: true } as const;
      const data = { revokedAt: new Date(now()) };
      const rows = await db.session.updateManyAndReturn({ where: { ...where, revokedAt: null }, data, select });
      for (const { id, userId } of rows) await audit(db, { ...call, actor: { id: userId } }, event, `session:${id}`);
      for (let sent = 0; sent < rows.length; sent += IDS_PER_SIGNAL) {
        const ids = rows.slice(sent, sent + IDS_PER_SIGNAL).map(({ id }) => id);
        await notify(db, signals.sessions, ids.join(' '));
      }
    },

    /** Ends all sessions and access tokens of a user, in the transaction of an audited change. */
    async endAll(db: Prisma.TransactionClient, userId: number): Promise<void> {
      await db.session.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: new Date(now()) } });
      await revoke(db, userId);
    },

    /** Returns true if the token is older than the user's mark, or contains the former role. */
    isRevoked({ subject, role, issuedAt }: Pick<AccessClaims, 'subject' | 'role' | 'issuedAt'>): boolean {
      const mark = marks.get(Number(subject));
      if (!mark || mark.at < now() - MARK_AGE_MS) return false;
      return issuedAt <= mark.at || role !== mark.role;
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
    receivesSignals: async (): Promise<boolean> => {
      try {
        return await checkListening();
      } catch {
        return false;
      }
    },

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

    close: refresh.close,
  };
}

/** Rethrows an outage, so that the database is not queried again. A pooler without NOTIFY still serves reads. */
function falseUnlessAway(error: unknown): false {
  if (isOutage(error)) throw error;
  return false;
}

import { type AuditedEvent, audit } from '../audit/audit.js';
import { type Actor, type Call, sessionOf } from '../calls/access.js';
import { listeners } from '../calls/listeners.js';
import { andThen, type MaybePromise } from '../calls/maybe-promise.js';
import { refresher, singleFlight } from '../calls/schedulers.js';
import type { Prisma } from '../database/client.js';
import { faultOf } from '../database/faults.js';
import type { Database } from '../database/open.js';
import { notify } from '../database/signals.js';
import { retryWhileUnavailable } from '../database/waiting.js';
import type { SigningKeys } from '../keys/signing-keys.js';
import type { Names } from '../names.js';
import { ACCESS_TOKEN_LIFETIME, type AccessClaims, CLOCK_TOLERANCE } from './access-tokens.js';

/** Milliseconds that a mark is kept: as long as an older token could live, and a minute for the commit. */
const KEPT = (ACCESS_TOKEN_LIFETIME + CLOCK_TOLERANCE + 60) * 1000;
/** Milliseconds for which a reading of the tables counts as up to date. */
const FRESH = 400;
/** Session ids in one signal, which holds fewer than 8,000 bytes; each id takes 36 characters and a space. */
const IDS_PER_SIGNAL = 200;

/** The role that a user has since a moment; null for a deleted user. */
interface Mark {
  at: number;
  role: string | null;
}

interface RevocationsOptions extends Pick<Database, 'client' | 'listen' | 'checkListening'> {
  keys: Pick<SigningKeys, 'read' | 'onRemoved'>;
  names: Names;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Gets the error when the marks cannot be read. Reading is retried. */
  onFault: (error: unknown) => void;
}

/** Selects sessions that have neither ended nor expired. @param now milliseconds since the epoch */
export const liveAt = (now: number) =>
  ({ revokedAt: null, expiresAt: { gt: new Date(now) } }) satisfies Prisma.SessionWhereInput;

export type Revocations = Awaited<ReturnType<typeof revocations>>;

/**
 * Ends credentials before their time, on all instances within a second (docs/decisions.md, "Prompt revocation"). A deletion, or a
 * change of role or password, leaves a mark in a table. Every instance keeps the marks in memory, so that tokens are verified
 * without a lookup. It hears new marks by NOTIFY, and reads the table at start and after each lost connection.
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
    const oldest = now() - KEPT;
    for (const [userId, { at }] of marks) if (at < oldest) marks.delete(userId);
    const rows = await client.revocation.findMany({ where: { revokedAt: { gte: new Date(oldest) } } });
    for (const { userId, revokedAt, role } of rows) set(userId, { at: revokedAt.getTime(), role });
  }

  /** The signal contains the mark: a lookup could fail, and many changes at once would be many lookups. */
  function hear(payload: string): void {
    const [userId, at, role] = payload.split(' ');
    set(Number(userId), { at: Number(at), role: role || null });
  }

  await retryWhileUnavailable(read);
  const refresh = refresher(read, onFault);
  await listen(signals.revocations, hear, refresh.request);
  await listen(
    signals.sessions,
    (payload) => ended.emit(new Set(payload.split(' '))),
    () => {},
  );

  let readAt = Number.NEGATIVE_INFINITY;
  const readAnew = singleFlight(async () => {
    const began = performance.now();
    await Promise.all([keys.read(), refresh.read()]);
    readAt = began;
  });

  /**
   * Ends every access token that the user has now, once the transaction commits. Called after the change, in its transaction:
   * after the role was set, the password changed, or the row deleted.
   */
  async function revoke(tx: Prisma.TransactionClient, userId: number): Promise<void> {
    const where = { userId };
    await tx.revocation.deleteMany({ where: { revokedAt: { lt: new Date(now() - KEPT) }, userId: { not: userId } } });
    const last = await tx.revocation.findUnique({ where });
    const user = await tx.user.findUnique({ where: { id: userId }, select: { role: true } });
    const role = user?.role ?? null;
    // Later than the last mark, even if an instance wrote that one whose clock is ahead.
    const revokedAt = new Date(Math.max(now(), (last?.revokedAt.getTime() ?? 0) + 1));
    await tx.revocation.upsert({ where, create: { userId, revokedAt, role }, update: { revokedAt, role } });
    await notify(tx, signals.revocations, `${userId} ${revokedAt.getTime()} ${role ?? ''}`);
  }

  return {
    revoke,

    /** Ends the live sessions among those selected, audits each of them, and signals them if the transaction commits. */
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

    /**
     * Ends all sessions and access tokens of a user, with one signal. Called after the change that is the cause, in its
     * transaction; the audit table has that change.
     */
    async endAll(db: Prisma.TransactionClient, userId: number): Promise<void> {
      await db.session.updateMany({ where: { userId, revokedAt: null }, data: { revokedAt: new Date(now()) } });
      await revoke(db, userId);
    },

    /**
     * Returns true for a verified token that was issued before the mark, or, by an instance that had not heard of it yet, with
     * another role. Reads memory only.
     */
    refuses({ subject, role, issuedAt }: Pick<AccessClaims, 'subject' | 'role' | 'issuedAt'>): boolean {
      const mark = marks.get(Number(subject));
      if (!mark || mark.at < now() - KEPT) return false;
      return issuedAt <= mark.at || role !== mark.role;
    },

    /**
     * Brings the memory up to date with all signals that are older than a second. Reads the tables, once for all callers, while
     * the connection that hears signals is not proved to work. Rejects if the database is away.
     */
    upToDate(): MaybePromise<void> {
      if (performance.now() - readAt < FRESH) return undefined;
      const heard = checkListening();
      return andThen(heard instanceof Promise ? heard.catch(falseUnlessAway) : heard, (isHeard) =>
        isHeard ? undefined : readAnew(),
      );
    },

    /** Calls back for every user whose credentials have changed, on any instance. Returns a function that stops it. */
    onRevoked: revoked.add,

    /** Returns the actors that must not go on, according to the database: their account, role, session or key has gone. */
    async refused(actors: readonly Actor[]): Promise<ReadonlySet<Actor>> {
      if (actors.length === 0) return new Set();
      const given = <T>(values: readonly (T | undefined)[]) => [...new Set(values.filter((one) => one !== undefined))];
      const ids = given(actors.map(({ id }) => id));
      const sessionIds = given(actors.map(sessionOf));
      const where = { id: { in: sessionIds }, ...liveAt(now()) };
      const kidsInUse = given(actors.map(({ kid }) => kid));
      const [users, sessions, storedKeys] = await Promise.all([
        client.user.findMany({ where: { id: { in: ids } }, select: { id: true, role: true } }),
        client.session.findMany({ where, select: { id: true, userId: true } }),
        client.signingKey.findMany({ where: { kid: { in: kidsInUse } }, select: { kid: true } }),
      ]);
      const roles = new Map(users.map(({ id, role }) => [id, role]));
      const owners = new Map(sessions.map(({ id, userId }) => [id, userId]));
      const kids = new Set(storedKeys.map(({ kid }) => kid));
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

    /** Returns false if `onRefused` may miss a signal, so that `refused` must be asked; also while the database is away. */
    isHeard: async (): Promise<boolean> => {
      try {
        return await checkListening();
      } catch {
        return false;
      }
    },

    /** Calls back with a test for the actors that must not go on. Signals may get lost. Returns a function that stops it. */
    onRefused(listener: (isRefused: (actor: Actor) => boolean) => void): () => void {
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

/** A pooler that passes no signals may still answer reads; a database that is away is not asked again. */
function falseUnlessAway(error: unknown): false {
  if (['unavailable', 'denied', 'timeout'].includes(faultOf(error).kind)) throw error;
  return false;
}

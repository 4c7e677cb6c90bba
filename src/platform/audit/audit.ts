import { LRUCache } from 'lru-cache';
import { networkOf } from '../accounts/networks.js';
import type { Actor } from '../calls/access.js';
import type { Prisma, PrismaClient } from '../database/client.js';

/** The events of the audit table (OWASP ASVS 5.0, 16.3). The names are stable, because people filter by them. */
export const EVENTS = [
  'login',
  'login.failed',
  'logout',
  'refresh.reused',
  'session.revoked',
  'password.changed',
  'email.changed',
  'role.changed',
  'user.created',
  'user.deleted',
  'key.rotated',
  'key.retired',
  'access.refused',
  'limit.exceeded',
] as const;

export type AuditedEvent = (typeof EVENTS)[number];

/** The object of an event. Never an input: an unknown e-mail address may be a password in the wrong field. */
type AuditSubject = `user:${number}` | `session:${string}` | `key:${string}`;

/** The caller, as the table stores it. */
export interface AuditCall {
  actor: Pick<Actor, 'id'> | null;
  address: string | null;
  requestId: string | null;
}

/** An operator at the command line of a machine with the secrets. */
export const COMMAND_LINE: AuditCall = { actor: null, address: null, requestId: null };

/**
 * Stores a security event, in the transaction of the event.
 * @param subject null for a login with an unknown address, and for events that have only a caller
 */
export async function audit(
  db: Prisma.TransactionClient,
  { actor, address, requestId }: AuditCall,
  event: AuditedEvent,
  subject: AuditSubject | null,
): Promise<void> {
  const data = { event, subject, actorId: actor?.id ?? null, address, requestId };
  await db.auditEvent.create({ data, select: { id: true } });
}

/** Selects events that match every member. */
export interface AuditFilter {
  event?: AuditedEvent;
  /** The id of the user who acted. */
  actor?: number;
  subject?: string;
  /** ISO 8601; events at that time and later. */
  since?: string;
  /** The number of the newest events. */
  limit: number;
}

/** One line of the audit table. */
export interface AuditEntry {
  id: string;
  /** ISO 8601, UTC. */
  time: string;
  event: string;
  actor: number | null;
  subject: string | null;
  address: string | null;
  requestId: string | null;
}

/** Returns the newest events that the filter selects, the newest last. */
export async function readAudit(
  db: Prisma.TransactionClient,
  { event, actor, subject, since, limit }: AuditFilter,
): Promise<AuditEntry[]> {
  const where = {
    ...(event !== undefined && { event }),
    ...(actor !== undefined && { actorId: actor }),
    ...(subject !== undefined && { subject }),
    ...(since !== undefined && { time: { gte: new Date(since) } }),
  };
  const rows = await db.auditEvent.findMany({ where, orderBy: { id: 'desc' }, take: limit });
  return rows.reverse().map(({ id, time, actorId, ...rest }) => ({
    id: String(id),
    time: time.toISOString(),
    actor: actorId,
    ...rest,
  }));
}

/** The events that anybody can cause with each request. */
export type Refusal = 'access.refused' | 'limit.exceeded';

const MINUTE = 60_000;
/** Callers in memory, and rows a minute for all callers without an account. */
const REMEMBERED = 10_000;
const OF_STRANGERS = 100;

interface RefusalsDependencies {
  client: PrismaClient;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Gets the error of a row that could not be written. */
  onFault: (error: unknown) => void;
}

/**
 * Stores refusals: at most one row a minute for each caller and event, so that nobody can fill the table. A caller without an account
 * is a network; all networks together get a hundred rows a minute. Each instance counts for itself. No answer waits for its row.
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
    /** Resolves when all rows are written. */
    async settled(): Promise<void> {
      await Promise.all(writing);
    },
  };
}

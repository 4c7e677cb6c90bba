import type { Actor } from '../calls/access.js';
import type { Prisma } from '../database/client.js';

/** What the audit table tells of (OWASP ASVS 5.0, 16.3). The names are stable: people filter by them. */
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

/** Whom or what an event is about. Never what was typed: an unknown e-mail address may be a password in the wrong field. */
type AuditSubject = `user:${number}` | `session:${string}` | `key:${string}`;

/** Who acts, as far as the table wants to know. */
export interface AuditCall {
  actor: Pick<Actor, 'id'> | null;
  address: string | null;
  requestId: string | null;
}

/** Somebody at the command line of a machine that holds the secrets. */
export const COMMAND_LINE: AuditCall = { actor: null, address: null, requestId: null };

/**
 * Writes down a security event, in the transaction that it belongs to: what is rolled back has not happened.
 * @param subject null where nobody is known, as for a login with an unknown address, or where only who acts counts
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

/** Which events are asked for; every member narrows. */
export interface AuditFilter {
  event?: AuditedEvent;
  /** The id of the user who acted. */
  actor?: number;
  subject?: string;
  /** ISO 8601; events at that time and later. */
  since?: string;
  /** How many at most, of the newest. */
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

/** @returns the newest events that the filter lets through, the newest last */
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
    event: rest.event,
    actor: actorId,
    subject: rest.subject,
    address: rest.address,
    requestId: rest.requestId,
  }));
}

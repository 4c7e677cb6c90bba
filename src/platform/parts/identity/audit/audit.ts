import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import type { Actor } from '../../../core/calls/access.js';
import { networkOf } from '../../../core/calls/networks.js';
import { type Code, platformCodes } from '../../../core/contract/codes.js';
import type { StagesOf } from '../../../core/stages.js';
import type { Prisma, PrismaClient } from '../../../database/client.js';

/** The events of the audit table (OWASP ASVS 5.0, 16.3). People filter by the names. */
export const AUDITED_EVENTS = [
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
  'settings.accepted',
  'database.restored',
  'access.refused',
  'limit.exceeded',
] as const;

export type AuditedEvent = (typeof AUDITED_EVENTS)[number];

/** Never contains input: an unknown e-mail address may be a password in the wrong field. */
type AuditSubject = `user:${number}` | `session:${string}` | `key:${string}`;

export interface AuditCall {
  actor: Pick<Actor, 'id'> | null;
  address: string | null;
  requestId: string | null;
}

/** An operator at the command line. */
export const COMMAND_LINE: AuditCall = { actor: null, address: null, requestId: null };

/** Stores a security event in the transaction of its change. @param subject null for a login with an unknown e-mail address */
export function audit(
  db: Prisma.TransactionClient,
  { actor, address, requestId }: AuditCall,
  event: AuditedEvent,
  subject: AuditSubject | null,
): Promise<void> {
  const data = { event, subject, actorId: actor?.id ?? null, address, requestId };
  return db.auditEvent.create({ data, select: { id: true } }).then(() => {});
}

export interface AuditFilter {
  event?: AuditedEvent;
  /** The id of the user who acted. */
  actor?: number;
  subject?: string;
  /** ISO 8601; events at that time and later. */
  since?: string;
  limit: number;
}

/** Returns the newest events, the newest last. Times are ISO 8601 in UTC. */
export async function readAudit(db: Prisma.TransactionClient, { event, actor, subject, since, limit }: AuditFilter) {
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

/** Events that anybody can cause with each request. */
type Refusal = 'access.refused' | 'limit.exceeded';
const AUDITED: Partial<Record<Code, Refusal>> = { FORBIDDEN: 'access.refused', RATE_LIMITED: 'limit.exceeded' };
const codeByStatus = new Map<number, string>(
  Object.keys(AUDITED).map((code) => [platformCodes[code as Code].status, code]),
);

const MINUTE_MS = 60_000;
/** Cached callers, and rows a minute for all callers without an account. */
const MAX_CACHED_CALLERS = 10_000;
const MAX_ANONYMOUS_ROWS = 100;

interface RefusalsDependencies {
  client: PrismaClient;
  now: () => number;
  /** Gets the error of a row that could not be written. */
  onFault: (error: unknown) => void;
}

/**
 * Stores refusals: one row a minute for each caller and event, and a hundred for all callers without an account, who
 * count by network. Each instance counts for itself. No answer waits for its row.
 */
export function refusalLog({ client, now, onFault }: RefusalsDependencies) {
  const lastRows = new LRUCache<string, number>({ max: MAX_CACHED_CALLERS });
  const writing = new Set<Promise<void>>();
  let minute = 0;
  let anonymousRows = 0;

  function isOneTooMany(caller: AuditCall, at: number): boolean {
    if (caller.actor !== null) return false;
    const present = Math.floor(at / MINUTE_MS);
    anonymousRows = present === minute ? anonymousRows + 1 : 1;
    minute = present;
    return anonymousRows > MAX_ANONYMOUS_ROWS;
  }

  function note(code: string, { actor, address, id }: FastifyRequest): void {
    const event = AUDITED[code as Code];
    if (event === undefined) return;
    const caller = { actor, address, requestId: id };
    const at = now();
    const key = `${event} ${caller.actor ? `user:${caller.actor.id}` : networkOf(caller.address)}`;
    if (at - (lastRows.get(key) ?? Number.NEGATIVE_INFINITY) < MINUTE_MS || isOneTooMany(caller, at)) return;
    lastRows.set(key, at);
    const row = audit(client, caller, event, null)
      .catch(onFault)
      .finally(() => writing.delete(row));
    writing.add(row);
  }
  return {
    note,
    /** The audit of REST, by the status of the answer. */
    stages: {
      refusals:
        () =>
        (request, { statusCode }) =>
          note(codeByStatus.get(statusCode) ?? '', request),
    } satisfies Partial<StagesOf<'identity'>>,
    async settled(): Promise<void> {
      await Promise.all(writing);
    },
  };
}

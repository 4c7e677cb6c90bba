import type { Prisma } from '../../database/client.js';
import type { Reach } from '../contract/document.js';
import { Failure } from './errors.js';

/** The reach of each role, by action and role (`generated/policy.ts`). */
export type Policy = Readonly<Record<string, Readonly<Record<string, Reach>>>>;

export type ActionOf<Rules extends Policy> = keyof Rules & string;

export const rolesOf = (policy: Policy): ReadonlySet<string> => new Set(Object.values(policy).flatMap(Object.keys));

/** The security schemes of the contract. */
export type Mechanism = 'basicAuth' | 'opaqueToken' | 'jwt' | 'cookieAuth';

export interface Actor {
  readonly id: number;
  readonly role: string;
  readonly mechanism: Mechanism;
  readonly sessionId?: string;
  /** The key that signed the access token. */
  readonly kid?: string;
  /** Unix seconds, if the credential expires. */
  readonly expiresAt?: number;
}

/** Returns the session whose end ends the credential. A JWT is valid until it expires, so it has none. */
export const sessionOf = ({ mechanism, sessionId }: Actor): string | undefined =>
  mechanism === 'opaqueToken' || mechanism === 'cookieAuth' ? sessionId : undefined;

/** The kind of credential of a call, valid or not. */
export type CredentialKind = 'opaqueToken' | 'cookie' | 'other';

/** A request that its caller may repeat under the same key. */
export interface KeyedRequest {
  /** The operationId. */
  readonly operation: string;
  readonly key: string;
  /** Returns the canonical text of all that a repetition must repeat. */
  readonly content: () => string;
}

/** Keeps the answers of keyed requests. */
export interface KeyedResponses {
  /**
   * Runs the requests with one key one after another. If a request fails with CONFLICT and an answer is kept under its key, it gets that answer.
   * @throws Failure CONFLICT if the first request runs too long
   */
  inTurn: <T>(call: Call, request: KeyedRequest, work: () => Promise<T>) => Promise<T>;
  /** @param kept.ownerId the user of the answer, whose deletion removes it @throws Failure CONFLICT */
  keep: (
    tx: Prisma.TransactionClient,
    call: Call,
    request: KeyedRequest,
    kept: { answer?: object; ownerId?: number | null; workId?: string | null },
  ) => Promise<void>;
}

/** The refresh cookie over HTTPS, with the cookies that prove its session. */
export interface RefreshCookie {
  /** All values: a sibling domain may have set another cookie of the name. */
  readonly values: readonly string[];
  readonly binding?: string | undefined;
  readonly access?: string | undefined;
}

/** The request of a call. */
export interface Exchange {
  /** True when the request has its answer, or its client has left. */
  readonly isOver: boolean;
  readonly refreshCookie?: RefreshCookie | undefined;
}

/**
 * One call of an operation, for services of both transports.
 * @typeParam Rules the policy of the application
 * @example
 * const tokens = await services.sessions.login(call, { email, password });
 */
export interface Call<Rules extends Policy = Policy> {
  readonly policy: Rules;
  /** Null without a credential. */
  readonly actor: Actor | null;
  /** For logout, which accepts invalid tokens. */
  readonly presented?: () => CredentialKind | undefined;
  /** The address of the peer. */
  readonly address: string;
  readonly requestId: string;
  readonly exchange?: Exchange;
  /** The headers of a trace that the request belongs to. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
  readonly idempotency?: KeyedRequest | undefined;
  /** Checks content and rate once, before the first effect. @throws Failure VALIDATION_FAILED, then RATE_LIMITED */
  readonly enforce: () => Promise<void>;
}

/** Returns the headers that identify the request for other services. */
export const traceHeaders = ({ requestId, trace }: Call) => ({ 'x-request-id': requestId, ...trace });

/** @throws Failure UNAUTHENTICATED */
export function authenticated(call: Pick<Call, 'actor'>): Actor {
  if (call.actor) return call.actor;
  throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
}

/** Returns `none` for an unknown action. */
export const reachOf = (policy: Policy, action: string, { role }: Actor): Reach => {
  const row = Object.hasOwn(policy, action) ? policy[action] : undefined;
  return row !== undefined && Object.hasOwn(row, role) ? (row[role] as Reach) : 'none';
};

/** Called before the row is loaded, so that a refusal does not reveal whether the row exists. */
export function authoriseRole(call: Pick<Call, 'actor' | 'policy'>, action: string): Actor {
  const actor = authenticated(call);
  if (reachOf(call.policy, action, actor) !== 'none') return actor;
  throw forbidden(actor, action);
}

/** Spells the role like `x-permission`. */
export const forbidden = ({ role }: Actor, action: string) =>
  new Failure('FORBIDDEN', `The role ${role.toLowerCase()} may not do this (${action}).`, {
    challenge: 'insufficient_scope',
  });

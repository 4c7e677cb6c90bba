import type { Reach } from '../contract/document.js';
import { Failure } from './errors.js';

/** The reach of each role, by action and role. Made from both contracts (`generated/policy.ts`). */
export type Policy = Readonly<Record<string, Readonly<Record<string, Reach>>>>;

/** The actions of a policy. */
export type ActionOf<Rules extends Policy> = keyof Rules & string;

/** Returns the roles of a policy. */
export const rolesOf = (policy: Policy): ReadonlySet<string> => new Set(Object.values(policy).flatMap(Object.keys));

/** The mechanisms of authentication, with the names of the security schemes in the contract. */
export type Mechanism = 'basicAuth' | 'opaqueToken' | 'jwt' | 'cookieAuth';

export interface Actor {
  readonly id: number;
  readonly role: string;
  readonly mechanism: Mechanism;
  /** The session of the credential, if it has one. */
  readonly sessionId?: string;
  /** The key that signed the access token. */
  readonly kid?: string;
  /** Unix seconds, if the credential expires. */
  readonly expiresAt?: number;
}

/**
 * Returns the session whose end ends the credential: that of an opaque token or a cookie. An access token in the `Authorization`
 * header has none, and is valid until it expires.
 */
export const sessionOf = ({ mechanism, sessionId }: Actor): string | undefined =>
  mechanism === 'opaqueToken' || mechanism === 'cookieAuth' ? sessionId : undefined;

/** The kind of credential of a call, valid or not. */
export type Presented = 'opaqueToken' | 'cookie' | 'other';

/** A request that its caller may send again under the same key. */
export interface KeyedRequest {
  /** The operationId. */
  readonly operation: string;
  readonly key: string;
  /** Returns all that must be equal in a repetition, in one spelling. */
  readonly content: () => string;
}

/**
 * One call of one operation, as a service sees it, for both transports.
 * @typeParam Rules the policy of the application, from which the compiler knows the actions
 * @example
 * const tokens = await services.sessions.login(call, { email, password });
 */
export interface Call<Rules extends Policy = Policy> {
  readonly policy: Rules;
  /** Null without a credential. */
  readonly actor: Actor | null;
  /** For logout, which accepts a token that is no longer valid. */
  readonly presented?: () => Presented | undefined;
  /** The address of the peer, for throttling and the audit table. */
  readonly address: string;
  readonly requestId: string;
  /** Makes the call safe to repeat, if the caller gave a key. */
  readonly idempotency?: KeyedRequest | undefined;
  /**
   * The last point at which a call can be refused: a service awaits it after loading and before its first effect. It checks once.
   * Throws VALIDATION_FAILED for the content, then RATE_LIMITED (docs/decisions.md, "Failures").
   */
  readonly enforce: () => Promise<void>;
}

/** Returns the caller. @throws Failure UNAUTHENTICATED */
export function authenticated(call: Pick<Call, 'actor'>): Actor {
  if (call.actor) return call.actor;
  throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
}

/** Returns `none` for an action that the policy does not name. */
export const reachOf = (policy: Policy, action: string, { role }: Actor): Reach => {
  const row = Object.hasOwn(policy, action) ? policy[action] : undefined;
  return row !== undefined && Object.hasOwn(row, role) ? (row[role] as Reach) : 'none';
};

/**
 * Returns the caller if its role may do the action at all. Called before the row is loaded, so that a refusal does not show whether
 * it exists.
 * @throws Failure UNAUTHENTICATED or FORBIDDEN
 */
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

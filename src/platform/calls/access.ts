import type { Reach } from '../contract/document.js';
import { Failure } from './errors.js';

/** Who may do what: how far each role reaches, by action and role. Made from both contracts (`generated/policy.ts`). */
export type Policy = Readonly<Record<string, Readonly<Record<string, Reach>>>>;

/** The actions of a policy. */
export type ActionOf<Rules extends Policy> = keyof Rules & string;

/** The roles that a policy tells apart. */
export const rolesOf = (policy: Policy): ReadonlySet<string> => new Set(Object.values(policy).flatMap(Object.keys));

/** The mechanisms by which a caller proves who it is; the names are those of the security schemes in the contract. */
export type Mechanism = 'basicAuth' | 'opaqueToken' | 'jwt' | 'cookieAuth';

export interface Actor {
  readonly id: number;
  readonly role: string;
  readonly mechanism: Mechanism;
  /** The login that this credential descends from, where it descends from one. */
  readonly sessionId?: string;
  /** The key that signed the access token. */
  readonly kid?: string;
  /** Unix seconds, where the credential has an end. */
  readonly expiresAt?: number;
}

/**
 * The session with which a credential ends: that of an opaque token or a cookie. An access token in the `Authorization`
 * header names none, and lives out its minutes.
 */
export const sessionOf = ({ mechanism, sessionId }: Actor): string | undefined =>
  mechanism === 'opaqueToken' || mechanism === 'cookieAuth' ? sessionId : undefined;

/** What kind of credential a call came with, whether it holds or not. */
export type Presented = 'opaqueToken' | 'cookie' | 'other';
/** A request that its caller may send again under the same key. */
export interface KeyedRequest {
  /** The operationId. */
  readonly operation: string;
  readonly key: string;
  /** All that must be the same for the request to be the same, in one spelling. */
  readonly content: () => string;
}

/**
 * One call of one operation, as a service sees it, whichever transport brought it.
 * @typeParam Rules the policy of the application: by it the compiler knows the actions
 * @example
 * const tokens = await services.sessions.login(call, { email, password });
 */
export interface Call<Rules extends Policy = Policy> {
  /** What access is decided by. */
  readonly policy: Rules;
  /** Null when no credential was presented. */
  readonly actor: Actor | null;
  /** Only the logout asks: a token that no longer holds is good enough to log out with. */
  readonly presented?: () => Presented | undefined;
  /** The address of the peer, for throttling and the audit table. */
  readonly address: string;
  readonly requestId: string;
  /** What makes the call safe to repeat, where the caller gave a key. */
  readonly idempotency?: KeyedRequest | undefined;
  /**
   * The last point at which a call can be refused: a service awaits it after all it must load and before its first
   * effect. It checks once, however often it is called. Throws VALIDATION_FAILED for the content, then RATE_LIMITED
   * (docs/decisions.md, "Failures").
   */
  readonly checkpoint: () => Promise<void>;
}

/** The caller, or UNAUTHENTICATED. */
export function authenticated(call: Pick<Call, 'actor'>): Actor {
  if (call.actor) return call.actor;
  throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
}

/** What of a call decides whether it may be done. */
type Decisive<Rules extends Policy> = Pick<Call<Rules>, 'actor' | 'policy'>;

/** What the policy does not name, nobody may do. */
export const reachOf = (policy: Policy, action: string, { role }: Actor): Reach => {
  const row = Object.hasOwn(policy, action) ? policy[action] : undefined;
  return row !== undefined && Object.hasOwn(row, role) ? (row[role] as Reach) : 'none';
};

/**
 * Decides before the owner is known whether the role may do `action` to anything at all: who may not is told so whether or
 * not the resource exists.
 * @returns the caller
 * @throws Failure UNAUTHENTICATED or FORBIDDEN
 */
export function authoriseRole<Rules extends Policy>(call: Decisive<Rules>, action: NoInfer<ActionOf<Rules>>): Actor {
  const actor = authenticated(call);
  if (reachOf(call.policy, action, actor) !== 'none') return actor;
  throw refused(actor, action);
}

/** The role is told as `x-permission` spells it. */
export const refused = ({ role }: Actor, action: string) =>
  new Failure('FORBIDDEN', `The role ${role.toLowerCase()} may not do this (${action}).`, {
    challenge: 'insufficient_scope',
  });

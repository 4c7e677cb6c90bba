import type { Role } from '../database/client.js';
import { Failure } from './errors.js';

/** How far a role reaches: nobody's, one's own, or anyone's resources. */
export type Scope = 'none' | 'own' | 'any';
type Row = Readonly<Record<Role, Scope>>;

const row = (VIEWER: Scope, DEVELOPER: Scope, ADMIN: Scope): Row => ({ VIEWER, DEVELOPER, ADMIN });

/** Who may do what (docs/decisions.md, "Who may do what"). Both contracts state the same; a difference stops the start. */
export const policy = {
  'users.list': row('any', 'any', 'any'),
  'users.read': row('any', 'any', 'any'),
  'users.create': row('none', 'none', 'any'),
  'users.update': row('own', 'own', 'any'),
  'users.set-role': row('none', 'none', 'any'),
  'users.set-password': row('own', 'own', 'any'),
  'users.delete': row('own', 'own', 'any'),
  'posts.read': row('any', 'any', 'any'),
  'posts.create': row('none', 'own', 'own'),
  'posts.update': row('none', 'own', 'any'),
  'posts.delete': row('none', 'own', 'any'),
  'comments.create': row('none', 'own', 'own'),
  'comments.update': row('none', 'own', 'any'),
  'comments.delete': row('none', 'own', 'any'),
  'messages.read': row('any', 'any', 'any'),
  'messages.subscribe': row('any', 'any', 'any'),
  'messages.create': row('none', 'own', 'own'),
  'messages.delete': row('none', 'own', 'any'),
  'orders.list': row('own', 'any', 'any'),
  'orders.read': row('own', 'any', 'any'),
  'orders.create': row('own', 'own', 'any'),
  'orders.cancel': row('own', 'own', 'any'),
  'orders.pay': row('own', 'own', 'any'),
  'sessions.read': row('own', 'own', 'own'),
  'sessions.revoke': row('own', 'own', 'own'),
} as const satisfies Record<string, Row>;

export type Action = keyof typeof policy;

/** A permission as a contract states it, roles and scopes in lower case. */
export interface StatedPermission {
  action: string;
  viewer: Scope;
  developer: Scope;
  admin: Scope;
}

/** @returns how a contract's permission differs from the policy table, or undefined where they agree */
export function disagreement({ action, viewer, developer, admin }: StatedPermission): string | undefined {
  if (!Object.hasOwn(policy, action)) return `names the action ${action}, which the policy table lacks`;
  const { VIEWER, DEVELOPER, ADMIN }: Row = policy[action as Action];
  if (VIEWER === viewer && DEVELOPER === developer && ADMIN === admin) return undefined;
  return `grants ${action} otherwise than the policy table (viewer ${VIEWER}, developer ${DEVELOPER}, admin ${ADMIN})`;
}

/** The mechanisms by which a caller proves who it is; the names are those of the security schemes in the contract. */
export type Mechanism = 'basicAuth' | 'opaqueToken' | 'jwt' | 'cookieAuth';

export interface Actor {
  readonly id: number;
  readonly role: Role;
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

/** One call of one operation, as a service sees it, whichever transport brought it. */
export interface Call {
  /** Null when no credential was presented. */
  readonly actor: Actor | null;
  /** Only the logout asks: a token that no longer holds is good enough to log out with. */
  readonly presented?: Presented | undefined;
  /** The address of the peer, for throttling and the audit table. */
  readonly address: string;
  readonly requestId: string;
  /** What makes the call safe to repeat, where the caller gave a key. */
  readonly idempotency?: KeyedRequest | undefined;
  /**
   * The last point at which a call can be refused: a service awaits it after all it must load and before its first
   * effect. Throws VALIDATION_FAILED for the content, then RATE_LIMITED (docs/decisions.md, "Failures").
   */
  readonly checkpoint: () => Promise<void>;
}

/** The caller, or UNAUTHENTICATED. */
export function authenticated(call: Pick<Call, 'actor'>): Actor {
  if (call.actor) return call.actor;
  throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
}

/**
 * Decides by the policy table whether the caller may do `action` to what belongs to user `owner`.
 * @param owner the id of the owning user; leave it out where nothing is owned
 * @returns the caller
 * @throws Failure UNAUTHENTICATED or FORBIDDEN
 */
export function authorise(call: Pick<Call, 'actor'>, action: Action, owner?: number): Actor {
  const actor = authenticated(call);
  const scope: Scope = policy[action][actor.role];
  if (scope === 'any' || (scope === 'own' && owner === actor.id)) return actor;
  throw refused(actor, action);
}

/**
 * Decides before the owner is known whether the role may do `action` to anything at all: who may not is told so whether or
 * not the resource exists. `authorise` follows once it is loaded.
 * @returns the caller
 * @throws Failure UNAUTHENTICATED or FORBIDDEN
 */
export function authoriseRole(call: Pick<Call, 'actor'>, action: Action): Actor {
  const actor = authenticated(call);
  if (policy[action][actor.role] !== 'none') return actor;
  throw refused(actor, action);
}

const refused = ({ role }: Actor, action: Action) =>
  new Failure('FORBIDDEN', `The role ${role.toLowerCase()} may not do this (${action}).`, {
    challenge: 'insufficient_scope',
  });

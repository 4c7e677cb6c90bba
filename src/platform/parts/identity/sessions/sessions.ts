import { v7 as uuidv7 } from 'uuid';
import { type Actor, authenticated, type Call } from '../../../core/calls/access.js';
import { Failure } from '../../../core/calls/errors.js';
import { isStorableId, type Page, type PageRequest, pageOf } from '../../../core/calls/rows.js';
import { andThen, type MaybePromise } from '../../../core/calls/schedulers.js';
import type { SessionTokens } from '../../../core/calls/session.js';
import type { Names } from '../../../core/names.js';
import { accessOf } from '../../../core/operations/call-transaction.js';
import type { Db } from '../../../core/operations/model.js';
import type { Prisma, PrismaClient } from '../../../database/client.js';
import type { Account, Credentials } from '../accounts/credentials.js';
import type { AccountRules } from '../accounts/users.js';
import { audit } from '../audit/audit.js';
import { liveSessionsAt, type Revocations } from './revocations.js';
import type { SessionBinding } from './session-binding.js';
import {
  type AccessClaims,
  type AccessTokens,
  hashToken,
  isToken,
  type JwtSession,
  jwtTokens,
  newToken,
  refreshService,
} from './session-tokens.js';

/** Refreshing does not extend a session (RFC 9700 §4.14). */
const SESSION_LIFETIME_S = 30 * 24 * 60 * 60;

interface SessionsDependencies {
  client: PrismaClient;
  credentials: Credentials;
  tokens: AccessTokens;
  revocations: Revocations;
  binding: SessionBinding;
  rules: AccountRules;
  names: Names;
  now: () => number;
}

export interface LoginRequest {
  email: string;
  password: string;
  flow?: SessionTokens['flow'];
}

/**
 * A live session, as its owner sees it.
 * @example
 * const represent = ({ id, current }: OwnSession): Contract.Session => ({ id, current, … });
 */
export interface OwnSession {
  /** The position in the list. */
  position: number;
  id: string;
  flow: 'jwt' | 'opaque';
  /** True for the session of the call. */
  current: boolean;
  createdAt: Date;
  expiresAt: Date;
}

export type Sessions = ReturnType<typeof sessionsService>;

export function sessionsService(dependencies: SessionsDependencies) {
  const { client, credentials, tokens, revocations, binding, rules, names, now } = dependencies;
  const { end, isRevoked: refuses, refreshIfStale: upToDate } = revocations;

  /** Begins a session, unless the account or its password has changed meanwhile. */
  async function open(
    call: Call,
    { id: userId, passwordHash }: Account,
    flow: SessionTokens['flow'],
    hash: Uint8Array<ArrayBuffer>,
  ) {
    const sessionId = uuidv7({ msecs: now() });
    const createdAt = new Date(now());
    const expiresAt = new Date(createdAt.getTime() + SESSION_LIFETIME_S * 1000);
    const data = { id: sessionId, userId, createdAt, expiresAt, tokenHash: flow === 'opaque' ? hash : null };
    const account = await client.$transaction(async (tx) => {
      // Locks the account until the transaction ends. Prisma has no row locks, and reads no sequences.
      await tx.$queryRaw`SELECT id FROM users WHERE id = ${userId} FOR SHARE`;
      const [account] = await tx.$queryRaw<Pick<JwtSession, 'userId' | 'role' | 'version'>[]>`
        SELECT id AS "userId", role, last_value::float8 AS version FROM users, revocations_version_seq
        WHERE id = ${userId} AND password_hash = ${passwordHash}`;
      if (!account) throw refused();
      await tx.session.create({ data, select: { id: true } });
      if (flow === 'jwt')
        await tx.refreshToken.create({ data: { hash, sessionId, createdAt }, select: { sessionId: true } });
      await audit(tx, Object.assign({}, call, { actor: { id: userId } }), 'login', `session:${sessionId}`);
      return account;
    });
    return Object.assign(account, { sessionId, expiresAt });
  }

  /** Reads the session for each request, so that revocations and new roles apply at once. */
  async function opaque(token: string): Promise<Actor | undefined> {
    const where = { tokenHash: hashToken(token), ...liveSessionsAt(now()) };
    const select = { id: true, expiresAt: true, user: { select: { id: true, role: true } } } as const;
    const session = await client.session.findFirst({ where, select, relationLoadStrategy: 'join' });
    if (!session) return undefined;
    const { id: sessionId, expiresAt, user } = session;
    return { mechanism: 'opaqueToken', sessionId, expiresAt: Math.floor(expiresAt.getTime() / 1000), ...user };
  }

  /** Returns the bearer of a verified token, unless it was revoked. */
  function claimed(claims: AccessClaims | undefined): Actor | undefined {
    if (!claims || refuses(claims)) return undefined;
    const { subject, role, sessionId, expiresAt, kid } = claims;
    // Checks signed values as well, because later code relies on them.
    if (!/^[1-9]\d*$/.test(subject) || !isStorableId(Number(subject)) || !rules.roles.has(role)) return undefined;
    return { id: Number(subject), role, mechanism: 'jwt', sessionId, expiresAt, ...(kid !== undefined && { kid }) };
  }

  async function revoke(db: Db, where: Prisma.SessionWhereInput): Promise<void> {
    const { call, transaction } = accessOf(db);
    await call.enforce();
    await end(await transaction(), call, 'session.revoked', where);
  }

  return {
    basic: credentials.basic,
    refresh: refreshService({ client, tokens, end, binding, names, now }),

    /** @throws Failure UNAUTHENTICATED, the same for an unknown address and a wrong password; RATE_LIMITED */
    async login(call: Call, { email, password, flow = 'jwt' }: LoginRequest): Promise<SessionTokens> {
      const account = await credentials.check('login', call, email, password);
      if (!account) throw refused();
      await call.enforce();
      const { token, hash } = newToken(names.tokenPrefixes[flow === 'opaque' ? 'access' : 'refresh']);
      const session = await open(call, account, flow, hash);
      if (flow === 'opaque') return { flow, token, expiresIn: SESSION_LIFETIME_S };
      return jwtTokens(tokens, session, token, now());
    },

    /** Accepts invalid tokens. @throws Failure BAD_REQUEST without a token; UNAUTHENTICATED for another credential */
    async logout(call: Call, refreshToken: string | undefined): Promise<void> {
      const { actor } = call;
      const presented = call.presented?.();
      if (refreshToken === undefined && presented === undefined) {
        throw new Failure('BAD_REQUEST', 'There is no token whose session could end.');
      }
      if (refreshToken === undefined && presented === 'other') {
        throw new Failure('UNAUTHENTICATED', 'Only a refresh token or an opaque token can log out.');
      }
      await call.enforce();
      // The account is not checked, because its deletion deletes its sessions.
      const logout = (where: Prisma.SessionWhereInput) => client.$transaction((db) => end(db, call, 'logout', where));
      if (refreshToken !== undefined) {
        const { hash, sessions } = await binding.find(call, refreshToken);
        const ended = await logout({ tokens: { some: { hash } }, ...(sessions && { id: { in: sessions } }) });
        if (ended > 0 || sessions === undefined) return;
        const isForeign = { where: { hash, sessionId: { notIn: sessions } } };
        if ((await client.refreshToken.count(isForeign)) > 0) throw refused();
      } else if (actor?.sessionId !== undefined) await logout({ id: actor.sessionId });
    },

    /** Returns the bearer of a valid token, or undefined. Does not wait for a cached access token. */
    bearer(token: string): MaybePromise<Actor | undefined> {
      if (isToken(names.tokenPrefixes.access, token)) return opaque(token);
      return andThen(
        andThen(upToDate(), () => tokens.verify(token)),
        claimed,
      );
    },

    /** Returns a page of the caller's live sessions, oldest first. */
    async list(db: Db, page: PageRequest): Promise<Page<OwnSession>> {
      const { call } = accessOf(db);
      const { id: userId, sessionId } = authenticated(call);
      await call.enforce();
      const where = { userId, ...liveSessionsAt(now()) };
      const { items, ...rest } = await pageOf(page, {
        rows: ({ ids: position, order, ...part }) =>
          client.session.findMany({ where: { position, ...where }, orderBy: { position: order }, ...part }),
        count: () => client.session.count({ where }),
      });
      const sessions = items.map(
        ({ position, id, tokenHash, createdAt, expiresAt }): OwnSession => ({
          position: Number(position),
          id,
          flow: tokenHash ? 'opaque' : 'jwt',
          current: id === sessionId,
          createdAt,
          expiresAt,
        }),
      );
      return { items: sessions, ...rest };
    },

    /** Ends a session of the caller. @throws Failure NOT_FOUND if the caller has no such live session */
    async revoke(db: Db, id: string): Promise<void> {
      const { call, reader } = accessOf(db);
      const { id: userId } = authenticated(call);
      const found = await (await reader()).session.count({ where: { id, userId, ...liveSessionsAt(now()) } });
      if (found === 0) throw new Failure('NOT_FOUND', 'There is no such session.');
      await revoke(db, { id, userId });
    },

    /** Ends all other sessions of the caller. */
    async revokeOthers(db: Db): Promise<void> {
      const { id: userId, sessionId } = authenticated(accessOf(db).call);
      await revoke(db, { userId, ...(sessionId !== undefined && { id: { not: sessionId } }) });
    },
  };
}

const refused = () => new Failure('UNAUTHENTICATED', 'The e-mail address or the password is wrong.');

import { v7 as uuidv7 } from 'uuid';
import type { AccountRules } from '../accounts/account-rules.js';
import type { Account, Credentials } from '../accounts/credentials.js';
import { AUDITED } from '../audit/audit.js';
import type { Actor, Call } from '../calls/access.js';
import { andThen, type Soon } from '../calls/at-once.js';
import { Failure } from '../calls/errors.js';
import { isStorableId } from '../calls/pages.js';
import type { PrismaClient } from '../database/client.js';
import { type Statements, statement } from '../database/statement.js';
import type { Names } from '../names.js';
import type { AccessClaims, AccessTokens } from './access-tokens.js';
import { hashToken, isToken, newToken } from './opaque-tokens.js';
import { refreshService } from './refresh.js';
import type { Revocations } from './revocations.js';
import type { SessionEnds } from './session-ends.js';
import { ownSessions } from './session-list.js';
import { jwtTokens, newRefreshToken, SESSION_LIFETIME, type SessionTokens } from './session-tokens.js';

interface SessionsDependencies {
  client: PrismaClient;
  statements: Statements;
  credentials: Credentials;
  tokens: AccessTokens;
  /** Sees to it that what a token is verified by is known as it was a second ago. */
  upToDate: () => Soon<void>;
  /** Tells of a verified token whether it was revoked since. */
  refuses: Revocations['refuses'];
  /** Ends sessions. */
  end: SessionEnds['end'];
  rules: AccountRules;
  names: Names;
  /** Milliseconds since the epoch. */
  now: () => number;
}

export interface LoginRequest {
  email: string;
  password: string;
  flow?: SessionTokens['flow'];
}

/** A session that begins, and the hash of the token that it is known by. */
interface NewSession {
  createdAt: Date;
  expiresAt: Date;
  opaque?: Uint8Array;
  refresh?: Uint8Array;
}

type Opening = [
  userId: number,
  passwordHash: string,
  sessionId: string,
  createdAt: Date,
  expiresAt: Date,
  opaque: Uint8Array | null,
  refresh: Uint8Array | null,
  address: string,
  requestId: string,
];

const opening = statement<Opening, { id: string }>(
  'session begun',
  `WITH account AS (
    SELECT id FROM users WHERE id = $1 AND password_hash = $2 FOR SHARE
  ), session AS (
    INSERT INTO sessions (id, user_id, created_at, expires_at, token_hash)
    SELECT $3::uuid, id, $4, $5, $6 FROM account RETURNING id
  ), family AS (
    INSERT INTO refresh_tokens (hash, session_id, created_at) SELECT $7::bytea, id, $4 FROM session WHERE $7::bytea IS NOT NULL
  ), audited AS (
    ${AUDITED} SELECT 'login', 'session:' || session.id, account.id, $8, $9 FROM session, account
  )
  SELECT id FROM session`,
);

type Bearer = Pick<Actor, 'id' | 'role'> & { sessionId: string; expires: Date };
const byToken = statement<[hash: Uint8Array, now: Date], Bearer>(
  'bearer of an opaque token',
  `SELECT u.id, u.role, s.id AS "sessionId", s.expires_at AS expires FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.token_hash = $1 AND s.revoked_at IS NULL AND s.expires_at > $2`,
);

/** Logins, and the credentials that descend from them. */
export function sessionsService(dependencies: SessionsDependencies) {
  const { client, statements, credentials, tokens, upToDate, refuses, end, rules, names, now } = dependencies;
  /** Starts the session, unless the account went or its password changed while the old one was being judged. */
  async function open(call: Call, { id, passwordHash }: Account, { createdAt, expiresAt, ...by }: NewSession) {
    const session = uuidv7({ msecs: now() });
    const times = [createdAt, expiresAt] as const;
    const tokens = [by.opaque ?? null, by.refresh ?? null] as const;
    const [opened] = await statements.run(
      opening,
      id,
      passwordHash,
      session,
      ...times,
      ...tokens,
      call.address,
      call.requestId,
    );
    if (!opened) throw refused();
    return session;
  }

  /** One look-up with each request: so a revocation, and a change of role, holds at once. */
  async function opaque(token: string): Promise<Actor | undefined> {
    const [row] = await statements.read(byToken, hashToken(token), new Date(now()));
    if (!row) return undefined;
    const { id, role, sessionId, expires } = row;
    return { id, role, mechanism: 'opaqueToken', sessionId, expiresAt: Math.floor(expires.getTime() / 1000) };
  }

  /** The bearer of a verified token, unless it was revoked. */
  function claimed(claims: AccessClaims | undefined): Actor | undefined {
    if (!claims || refuses(claims)) return undefined;
    const { subject, role, sessionId, expiresAt, kid } = claims;
    // Signed by us, and still held to what a user can be: a wrong value here would be wrong everywhere behind.
    if (!/^[1-9]\d*$/.test(subject) || !isStorableId(Number(subject)) || !rules.roles.has(role)) return undefined;
    return { id: Number(subject), role, mechanism: 'jwt', sessionId, expiresAt, ...(kid !== undefined && { kid }) };
  }

  return {
    ...ownSessions({ client, end, now }),
    basic: credentials.basic,
    refresh: refreshService({ client, tokens, end, names, now }),

    /**
     * Logs in by e-mail address and password.
     * @throws Failure UNAUTHENTICATED, the same for an unknown address and a wrong password; RATE_LIMITED
     */
    async login(call: Call, { email, password, flow = 'jwt' }: LoginRequest): Promise<SessionTokens> {
      const account = await credentials.check('login', call, email, password);
      if (!account) throw refused();
      await call.checkpoint();
      const createdAt = new Date(now());
      const expiresAt = new Date(createdAt.getTime() + SESSION_LIFETIME * 1000);
      if (flow === 'opaque') {
        const token = newToken(names.tokenPrefixes.access);
        await open(call, account, { createdAt, expiresAt, opaque: hashToken(token) });
        return { flow, token, expiresIn: SESSION_LIFETIME };
      }
      const first = newRefreshToken(names);
      const sessionId = await open(call, account, { createdAt, expiresAt, refresh: first.hash });
      const session = { sessionId, userId: account.id, role: account.role, expiresAt };
      return jwtTokens(tokens, session, first.token, now());
    },

    /**
     * @returns the bearer of an opaque or JWT access token, or undefined when it is not one of ours, valid now: at once for an
     *   access token that was seen before
     */
    bearer(token: string): Soon<Actor | undefined> {
      if (isToken(names.tokenPrefixes.access, token)) return opaque(token);
      return andThen(
        andThen(upToDate(), () => tokens.verify(token)),
        claimed,
      );
    },
  };
}

const refused = () => new Failure('UNAUTHENTICATED', 'The e-mail address or the password is wrong.');

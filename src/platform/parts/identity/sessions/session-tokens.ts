/** Issues and verifies the tokens of sessions: access tokens (JWT), and opaque and refresh tokens. @module */

import { hash, type KeyObject, randomBytes } from 'node:crypto';
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import type { Call } from '../../../core/calls/access.js';
import { Failure } from '../../../core/calls/errors.js';
import type { MaybePromise } from '../../../core/calls/schedulers.js';
import type { JwtTokens } from '../../../core/calls/session.js';
import type { Names } from '../../../core/names.js';
import type { Prisma, PrismaClient, RefreshToken } from '../../../database/client.js';
import { serialByKey } from '../schedulers.js';
import type { SessionEnds } from './session-ends.js';

/** Seconds (docs/decisions.md, "Access tokens"). */
export const ACCESS_TOKEN_LIFETIME_S = 15 * 60;
/** The maximum difference between the clocks of two instances. */
export const CLOCK_TOLERANCE_S = 5;
/** Cached tokens of less than 1 kB each, by their digests, so that memory contains no tokens. */
const MAX_CACHED_TOKENS = 10_000;
/** More than any issued token. */
const MAX_TOKEN_LENGTH = 4096;

/** The claims of a verified token. */
export interface AccessClaims {
  subject: string;
  role: string;
  issuedAt: number; // milliseconds since the epoch
  expiresAt: number;
  sessionId: string;
  /** The last version that an account got when the token was issued; undefined in tokens of the release before. */
  version: number | undefined;
  /** The signing key; undefined for HS256. */
  kid: string | undefined;
}
type IssuedClaims = Pick<AccessClaims, 'subject' | 'role' | 'sessionId' | 'version'>;

/** Formats a `jti`: session, UUIDv7 with the time of issue, version, generation if any. The release before reads two. */
const formatTokenId = ({ sessionId, version }: IssuedClaims, now: number, generation: string | undefined): string =>
  `${sessionId}:${uuidv7({ msecs: now })}:${version}${generation === undefined ? '' : `:${generation}`}`;

function parseTokenId(jti: string) {
  const [sessionId = '', unique = '', version, generation] = jti.split(':');
  if (!isUuid(sessionId) || (version !== undefined && !/^\d{1,15}$/.test(version))) return undefined;
  return { sessionId, unique, version: version === undefined ? undefined : Number(version), generation };
}

/** Reads the milliseconds of a UUIDv7 (RFC 9562 §5.7), unless `iat` disagrees. */
function issuedAt(iat: number, uuid: string): number {
  const milliseconds = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);
  return Math.floor(milliseconds / 1000) === iat ? milliseconds : iat * 1000;
}

/** @param expiresAt Unix seconds */
function expiredFailure(expiresAt: number): Failure {
  const time = new Date(expiresAt * 1000);
  const at = Number.isNaN(time.getTime()) ? '' : ` at ${time.toISOString()}`;
  return new Failure('UNAUTHENTICATED', `The token expired${at}.`, { challenge: 'invalid_token' });
}

type Key = KeyObject | Uint8Array;

/** Returns the current keys, which may change while the service runs. */
export interface KeySource {
  algorithm: 'RS256' | 'HS256';
  signingKey: () => { kid: string | undefined; key: Key };
  verificationKey: (kid: string | undefined) => Key | undefined;
  /** For HS256, whose tokens do not name their secret. */
  olderKeys?: readonly Key[];
}

interface AccessTokenOptions {
  keys: KeySource;
  issuer: string;
  audience: string;
  generation: () => string | undefined;
  now: () => number;
}

export type AccessTokens = ReturnType<typeof accessTokens>;

/** Issues and verifies JWT access tokens (RFC 7519, RFC 8725). Rejects header parameters other than alg, typ and kid. */
export function accessTokens({ keys, issuer, audience, generation, now }: AccessTokenOptions) {
  const cache = new LRUCache<string, AccessClaims>({ max: MAX_CACHED_TOKENS });
  const textOf = (token: string) => token + (generation() ?? '');
  const digestOf = (token: string) => hash('sha256', textOf(token), 'base64url');

  async function verify(token: string, digest: string): Promise<AccessClaims | undefined> {
    try {
      const header = canonicalHeader(token);
      if (!header || !Object.keys(header).every((name) => ['alg', 'typ', 'kid'].includes(name))) return undefined;
      const { kid } = header;
      const key = keys.verificationKey(kid);
      if (!key) return undefined;
      const options = {
        algorithms: [keys.algorithm],
        ...{ issuer, audience, typ: 'JWT' },
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(now()),
        requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'role'],
      };
      const verifications = [key, ...(keys.olderKeys ?? [])].map((key) => jwtVerify(token, key as Uint8Array, options));
      const claims = parseClaims((await Promise.any(verifications)).payload, kid);
      if (claims) cache.set(digest, claims);
      return claims;
    } catch (error) {
      const expired = (error as AggregateError).errors?.find((error) => error instanceof errors.JWTExpired);
      if (expired) throw expiredFailure(Number(expired.payload.exp));
      return undefined;
    }
  }

  /** Rejects an `iat` in the future, which jose accepts. */
  function parseClaims({ sub, role, iat, exp, jti }: JWTPayload, kid: string | undefined): AccessClaims | undefined {
    if (typeof sub !== 'string' || typeof role !== 'string' || typeof jti !== 'string') return undefined;
    if (iat === undefined || exp === undefined || iat > now() / 1000 + CLOCK_TOLERANCE_S) return undefined;
    const id = parseTokenId(jti);
    if (!id || id.generation !== generation()) return undefined;
    const { sessionId, unique, version } = id;
    return { subject: sub, role, issuedAt: issuedAt(iat, unique), expiresAt: exp, sessionId, version, kid };
  }

  return {
    issue(claims: IssuedClaims): Promise<string> {
      const { kid, key } = keys.signingKey();
      const issuedAt = Math.floor(now() / 1000);
      return new SignJWT({ role: claims.role })
        .setProtectedHeader({ alg: keys.algorithm, typ: 'JWT', ...(kid !== undefined && { kid }) })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(claims.subject)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_TOKEN_LIFETIME_S)
        .setJti(formatTokenId(claims, now(), generation()))
        .sign(key as Uint8Array);
    },

    /** Uses no database. Checks only expiry and key of a cached token. @throws Failure UNAUTHENTICATED if expired */
    verify(token: string): MaybePromise<AccessClaims | undefined> {
      const digest = digestOf(token);
      const cached = cache.get(digest);
      if (!cached) return verify(token, digest);
      const isExpired = now() / 1000 >= cached.expiresAt + CLOCK_TOLERANCE_S;
      if (!isExpired && keys.verificationKey(cached.kid) !== undefined) return cached;
      cache.delete(digest);
      if (isExpired) throw expiredFailure(cached.expiresAt);
      return undefined;
    },
  };
}

/**
 * Returns the header of a JWS if each part equals its re-encoding, and no member occurs twice (RFC 7515 §4). jose
 * accepts several spellings.
 */
function canonicalHeader(token: string): Partial<JWTHeaderParameters> | undefined {
  const parts = token.length > MAX_TOKEN_LENGTH ? [] : token.split('.');
  const isCanonical = (part: string) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;
  if (parts.length !== 3 || !parts.every(isCanonical)) return undefined;
  const text = Buffer.from(parts[0] as string, 'base64url').toString();
  const header = JSON.parse(text);
  return JSON.stringify(header) === text ? header : undefined;
}

/** Milliseconds for which a used refresh token stays valid, because responses get lost and tabs refresh at once. */
const GRACE_MS = 10_000;
const INVALID = 'The refresh token is invalid, used or expired.';
/** The maximum number of tokens that one refresh token is exchanged for. */
const MAX_SIBLINGS = 5;

export type Hash = Uint8Array<ArrayBuffer>;

/** SHA-256 without salt is enough for 256 random bits. */
export const hashToken = (token: string): Hash => new Uint8Array(hash('sha256', token, 'buffer'));

/** Returns a random token with a prefix (`Names.tokenPrefixes`), and its stored form. */
export function newToken(prefix: string): { token: string; hash: Hash } {
  const token = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashToken(token) };
}

/** Returns true if a text has the format of a token, valid or not. */
export const isToken = (prefix: string, text: string): boolean =>
  text.startsWith(prefix) && /^[\w-]{43}$/.test(text.slice(prefix.length));

export interface JwtSession {
  sessionId: string;
  userId: number;
  role: string;
  /** The last version that an account got, read while the account or the session is locked. */
  version: number;
  expiresAt: Date;
}

/** Issues an access token for a refresh token. @param now milliseconds since the epoch */
export async function jwtTokens(
  tokens: AccessTokens,
  { sessionId, userId, role, version, expiresAt }: JwtSession,
  refreshToken: string,
  now: number,
): Promise<JwtTokens> {
  const accessToken = await tokens.issue({ subject: String(userId), role, sessionId, version });
  const refreshExpiresIn = Math.floor((expiresAt.getTime() - now) / 1000);
  return { flow: 'jwt', accessToken, expiresIn: ACCESS_TOKEN_LIFETIME_S, refreshToken, refreshExpiresIn, sessionId };
}

type Transaction = Prisma.TransactionClient;

interface RefreshDependencies {
  client: PrismaClient;
  tokens: AccessTokens;
  /** Ends the selected sessions. */
  end: SessionEnds['end'];
  /** `SessionBinding`. */
  binding: { find: (call: Call, token: string) => Promise<{ hash: Hash; sessions?: string[] }> };
  names: Names;
  now: () => number;
}

/** Returns a function that rotates refresh tokens and detects their reuse (RFC 9700 §4.14.2). */
export function refreshService({ client, tokens, end, binding, names, now }: RefreshDependencies) {
  const inTurn = serialByKey();

  /** Locks the session before the token is read. Prisma has no row locks, and reads no sequences. */
  async function load(db: Transaction, hash: Hash) {
    await db.$executeRaw`
      SELECT 1 FROM sessions s JOIN refresh_tokens t ON t.session_id = s.id WHERE t.hash = ${hash} FOR UPDATE OF s`;
    const [token] = await db.$queryRaw<(JwtSession & Pick<RefreshToken, 'hash' | 'parent' | 'usedAt'>)[]>`
      SELECT t.hash, t.parent, t.used_at AS "usedAt", s.id AS "sessionId", s.user_id AS "userId",
        s.expires_at AS "expiresAt", u.role, v.last_value::float8 AS version
      FROM refresh_tokens t JOIN sessions s ON s.id = t.session_id JOIN users u ON u.id = s.user_id, revocations_version_seq v
      WHERE t.hash = ${hash} AND s.revoked_at IS NULL AND s.expires_at > ${new Date(now())}::timestamptz`;
    return token;
  }

  /** The first used child of a token invalidates its siblings: using one is a reuse of the parent. */
  async function classifyUse(
    db: Transaction,
    { hash, parent, usedAt }: Pick<RefreshToken, 'hash' | 'parent' | 'usedAt'>,
  ) {
    const usedSibling = { parent, hash: { not: hash }, usedAt: { not: null } };
    if (parent && (await db.refreshToken.count({ where: usedSibling }))) return 'reused';
    if (!usedAt) return 'first';
    const children = await db.refreshToken.findMany({ where: { parent: hash }, select: { usedAt: true } });
    const inGrace = now() - usedAt.getTime() <= GRACE_MS && children.every((child) => child.usedAt === null);
    if (!inGrace) return 'reused';
    return children.length < MAX_SIBLINGS ? 'sibling' : 'exhausted';
  }

  /** Returns the session and its next token, or undefined for an invalid token. */
  async function exchange(db: Transaction, call: Call, hash: Hash, boundTo: string[] | undefined) {
    const found = await load(db, hash);
    if (!found || boundTo?.includes(found.sessionId) === false) return undefined;
    const { sessionId } = found;
    const use = await classifyUse(db, found);
    // Two parties have the token, and one of them is a thief.
    if (use === 'reused') await end(db, call, 'refresh.reused', { id: sessionId });
    if (use === 'reused' || use === 'exhausted') return undefined;
    await call.enforce();
    const next = newToken(names.tokenPrefixes.refresh);
    const at = new Date(now());
    const { count } = await db.refreshToken.updateMany({ where: { hash, usedAt: null }, data: { usedAt: at } });
    if (count === 0 && use === 'first') return undefined;
    await db.refreshToken.create({ data: { hash: next.hash, sessionId, parent: hash, createdAt: at } });
    return { session: found, refreshToken: next.token };
  }

  /** @throws Failure UNAUTHENTICATED for an invalid token; a reused one ends its session */
  return async (call: Call, refreshToken: string): Promise<JwtTokens> => {
    const { hash, sessions } = await binding.find(call, refreshToken);
    const exchanged = await inTurn(Buffer.from(hash).toString('hex'), () =>
      client.$transaction((db) => exchange(db, call, hash, sessions)),
    );
    if (!exchanged) throw new Failure('UNAUTHENTICATED', INVALID, { challenge: 'invalid_token' });
    return jwtTokens(tokens, exchanged.session, exchanged.refreshToken, now());
  };
}

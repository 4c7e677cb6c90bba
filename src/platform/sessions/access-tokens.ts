import { createHash, type KeyObject } from 'node:crypto';
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import { Failure } from '../calls/errors.js';
import type { MaybePromise } from '../calls/schedulers.js';

/** Seconds (docs/decisions.md, "Access tokens"). */
export const ACCESS_TOKEN_LIFETIME_S = 15 * 60;
/** The maximum difference between the clocks of two instances. */
export const CLOCK_TOLERANCE_S = 5;
/** Cached tokens of less than 1 kB each. */
const MAX_CACHED_TOKENS = 10_000;
/** More than any issued token. */
const MAX_TOKEN_LENGTH = 4096;

/** The claims of a verified token. */
export interface AccessClaims {
  subject: string;
  role: string;
  /** Milliseconds since the epoch. */
  issuedAt: number;
  expiresAt: number;
  sessionId: string;
  /** The signing key; undefined for HS256. */
  kid: string | undefined;
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
}

interface AccessTokenOptions {
  keys: KeySource;
  issuer: string;
  audience: string;
  now: () => number;
}

export type AccessTokens = ReturnType<typeof accessTokens>;

/** Issues and verifies JWT access tokens (RFC 7519, RFC 8725). Rejects header parameters other than alg, typ and kid. */
export function accessTokens({ keys, issuer, audience, now }: AccessTokenOptions) {
  /** Claims by the digest of the token, so that memory contains no tokens. */
  const cache = new LRUCache<string, AccessClaims>({ max: MAX_CACHED_TOKENS });
  const digestOf = (token: string) => createHash('sha256').update(token).digest('base64url');

  async function verify(token: string, digest: string): Promise<AccessClaims | undefined> {
    try {
      const header = canonicalHeader(token);
      if (!header || !Object.keys(header).every((name) => ['alg', 'typ', 'kid'].includes(name))) return undefined;
      const { kid } = header;
      const key = keys.verificationKey(kid);
      if (!key) return undefined;
      const { payload } = await jwtVerify(token, key as Uint8Array, {
        algorithms: [keys.algorithm],
        issuer,
        audience,
        typ: 'JWT',
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(now()),
        requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'role'],
      });
      const claims = parseClaims(payload, kid);
      if (claims) cache.set(digest, claims);
      return claims;
    } catch (error) {
      if (error instanceof errors.JWTExpired) throw expiredFailure(Number(error.payload.exp));
      return undefined;
    }
  }

  /** Rejects an `iat` in the future, which jose accepts. */
  function parseClaims({ sub, role, iat, exp, jti }: JWTPayload, kid: string | undefined): AccessClaims | undefined {
    if (typeof sub !== 'string' || typeof role !== 'string' || typeof jti !== 'string') return undefined;
    if (iat === undefined || exp === undefined || iat > now() / 1000 + CLOCK_TOLERANCE_S) return undefined;
    const [sessionId = '', unique = ''] = jti.split(':');
    if (!isUuid(sessionId)) return undefined;
    return { subject: sub, role, issuedAt: issuedAt(iat, unique), expiresAt: exp, sessionId, kid };
  }

  return {
    issue({ subject, role, sessionId }: Pick<AccessClaims, 'subject' | 'role' | 'sessionId'>): Promise<string> {
      const { kid, key } = keys.signingKey();
      const issuedAt = Math.floor(now() / 1000);
      return new SignJWT({ role })
        .setProtectedHeader({ alg: keys.algorithm, typ: 'JWT', ...(kid !== undefined && { kid }) })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_TOKEN_LIFETIME_S)
        .setJti(`${sessionId}:${uuidv7({ msecs: now() })}`)
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

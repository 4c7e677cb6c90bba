import { createHash, type KeyObject } from 'node:crypto';
import { type JWTHeaderParameters, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import type { MaybePromise } from '../calls/maybe-promise.js';

/** Seconds that an access token lives (docs/decisions.md, "Access tokens"). */
export const ACCESS_TOKEN_LIFETIME = 15 * 60;
/** Seconds by which the clocks of two instances may differ. */
export const CLOCK_TOLERANCE = 5;
/** Verified tokens in the cache; at less than 1 kB each. */
const REMEMBERED = 10_000;
/** Longer than any token that we issue. */
const LONGEST = 4096;

/** The claims of a verified token. */
export interface AccessClaims {
  subject: string;
  role: string;
  /** Milliseconds since the epoch; `iat` counts seconds, the `jti` knows better. */
  issuedAt: number;
  /** Unix seconds. */
  expiresAt: number;
  /** The session of the token. */
  sessionId: string;
  /** The key that signed it; undefined for the one of HS256. */
  kid: string | undefined;
}

/** Reads the milliseconds of a UUIDv7 (RFC 9562 §5.7). `iat` decides if they disagree with it. */
function issuedAt(iat: number, uuid: string): number {
  const milliseconds = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);
  return Math.floor(milliseconds / 1000) === iat ? milliseconds : iat * 1000;
}

type Key = KeyObject | Uint8Array;

/** The keys; the set may change while the service runs. */
export interface KeySource {
  algorithm: 'RS256' | 'HS256';
  signing: () => { kid: string | undefined; key: Key };
  verifying: (kid: string | undefined) => Key | undefined;
}

interface AccessTokenOptions {
  keys: KeySource;
  issuer: string;
  audience: string;
  /** Milliseconds since the epoch. */
  now: () => number;
}

export type AccessTokens = ReturnType<typeof accessTokens>;

/**
 * Issues and verifies JWT access tokens (RFC 7519, under the rules of RFC 8725). We are their only issuer, so a header with a
 * member besides alg, typ and kid is refused: no jku, jwk, x5u, crit or zip is ever read.
 */
export function accessTokens({ keys, issuer, audience, now }: AccessTokenOptions) {
  /** By digest: the tokens themselves are not stored. */
  const known = new LRUCache<string, AccessClaims>({ max: REMEMBERED });
  const digestOf = (token: string) => createHash('sha256').update(token).digest('base64url');

  async function verify(token: string, digest: string): Promise<AccessClaims | undefined> {
    try {
      const header = canonicalHeader(token);
      if (!header || !Object.keys(header).every((name) => ['alg', 'typ', 'kid'].includes(name))) return undefined;
      const { kid } = header;
      const key = keys.verifying(kid);
      if (!key) return undefined;
      const { payload } = await jwtVerify(token, key as Uint8Array, {
        algorithms: [keys.algorithm],
        issuer,
        audience,
        typ: 'JWT',
        clockTolerance: CLOCK_TOLERANCE,
        currentDate: new Date(now()),
        requiredClaims: ['iss', 'aud', 'sub', 'iat', 'exp', 'jti', 'role'],
      });
      const claims = read(payload, kid);
      if (claims) known.set(digest, claims);
      return claims;
    } catch {
      return undefined;
    }
  }

  /** Reads the payload. jose checks exp and nbf, but accepts an `iat` in the future. */
  function read({ sub, role, iat, exp, jti }: JWTPayload, kid: string | undefined): AccessClaims | undefined {
    if (typeof sub !== 'string' || typeof role !== 'string' || typeof jti !== 'string') return undefined;
    if (iat === undefined || exp === undefined || iat > now() / 1000 + CLOCK_TOLERANCE) return undefined;
    const [sessionId = '', unique = ''] = jti.split(':');
    if (!isUuid(sessionId)) return undefined;
    return { subject: sub, role, issuedAt: issuedAt(iat, unique), expiresAt: exp, sessionId, kid };
  }

  return {
    /** Returns a signed token that is valid for ACCESS_TOKEN_LIFETIME seconds, without personal data. */
    issue({ subject, role, sessionId }: Pick<AccessClaims, 'subject' | 'role' | 'sessionId'>): Promise<string> {
      const { kid, key } = keys.signing();
      const issuedAt = Math.floor(now() / 1000);
      return new SignJWT({ role })
        .setProtectedHeader({ alg: keys.algorithm, typ: 'JWT', ...(kid !== undefined && { kid }) })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + ACCESS_TOKEN_LIFETIME)
        .setJti(`${sessionId}:${uuidv7({ msecs: now() })}`)
        .sign(key as Uint8Array);
    },

    /**
     * Returns the claims, or undefined for anything but a valid token of ours. Asks no database. A cached token is only checked for
     * its expiry and its key.
     */
    verify(token: string): MaybePromise<AccessClaims | undefined> {
      const digest = digestOf(token);
      const seen = known.get(digest);
      if (!seen) return verify(token, digest);
      const alive = now() / 1000 < seen.expiresAt + CLOCK_TOLERANCE && keys.verifying(seen.kid) !== undefined;
      if (!alive) known.delete(digest);
      return alive ? seen : undefined;
    },
  };
}

/**
 * Returns the header of a compact JWS, if the token has the one accepted spelling: each of the three parts equals its own
 * re-encoding (no padding, no stray low bits, no other alphabet), and no member of the header appears twice (RFC 7515 §4). Our
 * headers are flat JSON without white space. jose alone accepts several spellings.
 */
function canonicalHeader(token: string): Partial<JWTHeaderParameters> | undefined {
  const parts = token.length > LONGEST ? [] : token.split('.');
  const isCanonical = (part: string) => part !== '' && Buffer.from(part, 'base64url').toString('base64url') === part;
  if (parts.length !== 3 || !parts.every(isCanonical)) return undefined;
  const text = Buffer.from(parts[0] as string, 'base64url').toString();
  const header = JSON.parse(text);
  return JSON.stringify(header) === text ? header : undefined;
}

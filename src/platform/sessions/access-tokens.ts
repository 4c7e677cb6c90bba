import { createHash, type KeyObject } from 'node:crypto';
import { decodeProtectedHeader, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { LRUCache } from 'lru-cache';
import { validate as isUuid, v7 as uuidv7 } from 'uuid';
import type { Soon } from '../calls/at-once.js';
import { isCanonicalJws } from './canonical.js';

/** Seconds that an access token lives (docs/decisions.md, "Access tokens"). */
export const ACCESS_TOKEN_LIFETIME = 15 * 60;
/** Seconds by which the clocks of two instances may differ. */
export const CLOCK_TOLERANCE = 5;
/** Verified tokens remembered; at less than 1 kB each. */
const REMEMBERED = 10_000;

/** What a verified token says of its bearer. */
export interface AccessClaims {
  subject: string;
  role: string;
  /** Milliseconds since the epoch; `iat` counts seconds, the `jti` knows better. */
  issuedAt: number;
  /** Unix seconds. */
  expiresAt: number;
  /** The login that the token descends from. */
  sessionId: string;
  /** The key that signed it; undefined for the one of HS256. */
  kid: string | undefined;
}

/** The first 48 bits of a UUIDv7 are milliseconds (RFC 9562 §5.7). Where they are not those of `iat`, that decides. */
function issuedAt(iat: number, uuid: string): number {
  const milliseconds = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16);
  return Math.floor(milliseconds / 1000) === iat ? milliseconds : iat * 1000;
}

type Key = KeyObject | Uint8Array;

/** Where the keys come from; the set may change while the service runs. */
export interface KeySource {
  algorithm: 'RS256' | 'HS256';
  signing: () => { kid: string | undefined; key: Key };
  verifying: (kid: string | undefined) => Key | undefined;
}

export interface AccessTokenOptions {
  keys: KeySource;
  issuer: string;
  audience: string;
  /** Milliseconds since the epoch. */
  now: () => number;
}

export type AccessTokens = ReturnType<typeof accessTokens>;

/**
 * Issues and verifies JWT access tokens (RFC 7519, under the rules of RFC 8725). We are their only issuer, so a header
 * with anything besides alg, typ and kid is none of ours: no jku, jwk, x5u, crit or zip is ever looked at.
 */
export function accessTokens({ keys, issuer, audience, now }: AccessTokenOptions) {
  /** By digest: the tokens themselves are kept nowhere. */
  const known = new LRUCache<string, AccessClaims>({ max: REMEMBERED });
  const digestOf = (token: string) => createHash('sha256').update(token).digest('base64url');

  async function verify(token: string, digest: string): Promise<AccessClaims | undefined> {
    if (!isCanonicalJws(token)) return undefined;
    try {
      const { kid, ...header } = decodeProtectedHeader(token);
      if (!Object.keys(header).every((name) => name === 'alg' || name === 'typ')) return undefined;
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

  /** jose looks at exp and nbf; a token from the future is as wrong as one from the past. */
  function read({ sub, role, iat, exp, jti }: JWTPayload, kid: string | undefined): AccessClaims | undefined {
    if (typeof sub !== 'string' || typeof role !== 'string' || typeof jti !== 'string') return undefined;
    if (iat === undefined || exp === undefined || iat > now() / 1000 + CLOCK_TOLERANCE) return undefined;
    const [sessionId = '', unique = ''] = jti.split(':');
    if (!isUuid(sessionId)) return undefined;
    return { subject: sub, role, issuedAt: issuedAt(iat, unique), expiresAt: exp, sessionId, kid };
  }

  return {
    /** @returns a signed token of ACCESS_TOKEN_LIFETIME seconds; it carries nothing personal */
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
     * Verifies without a database lookup; a token seen before costs a look into a map, and its expiry is checked again.
     * @returns the claims, or undefined for anything that is not one of our tokens, valid now
     */
    verify(token: string): Soon<AccessClaims | undefined> {
      const digest = digestOf(token);
      const seen = known.get(digest);
      if (!seen) return verify(token, digest);
      const alive = now() / 1000 < seen.expiresAt + CLOCK_TOLERANCE && keys.verifying(seen.kid) !== undefined;
      if (!alive) known.delete(digest);
      return alive ? seen : undefined;
    },
  };
}

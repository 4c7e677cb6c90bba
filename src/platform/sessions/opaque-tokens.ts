import { createHash, randomBytes } from 'node:crypto';

/** @returns a new token of 256 random bits behind its kind's prefix (`Names.tokenPrefixes`) */
export const newToken = (prefix: string): string => `${prefix}${randomBytes(32).toString('base64url')}`;

/** @returns whether the text looks like a token of the kind with that prefix; nothing is said of its validity */
export const isToken = (prefix: string, text: string): boolean =>
  text.startsWith(prefix) && /^[\w-]{43}$/.test(text.slice(prefix.length));

/** The stored form. A plain SHA-256 is enough for 256 random bits: there is nothing to guess. */
export const hashToken = (token: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(token).digest());

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** The server's secrets, newest first: what is new is made under the first, what is there is read under any of them. */
export type Secrets = readonly string[];

/** A key for one purpose alone (HKDF, RFC 5869). */
export const derivedKey = (secret: string, purpose: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, bytes));

export type Macs = ReturnType<typeof macs>;

/**
 * Message authentication codes for one purpose, HMAC-SHA-256.
 * @param bytes to how many a code is cut
 */
export function macs(secrets: Secrets, purpose: string, bytes = 32) {
  const keys = secrets.map((secret) => derivedKey(secret, purpose));
  const under = (key: Buffer, text: string) =>
    new Uint8Array(createHmac('sha256', key).update(text).digest().subarray(0, bytes));
  return {
    /** The code under the newest secret. */
    make: (text: string) => under(keys[0] as Buffer, text),
    /** The code under each secret, newest first. */
    all: (text: string) => keys.map((key) => under(key, text)),
    /** Tells whether the code was made of the text, under any secret. */
    holds: (text: string, code: Uint8Array): boolean =>
      code.length === bytes && keys.some((key) => timingSafeEqual(under(key, text), code)),
  };
}

const MARK_BYTES = 4;

/** By this a record tells which secret it was made under. Nothing of the secret can be read from it. */
export const markOf = (secret: string): Buffer => derivedKey(secret, 'accord mark', MARK_BYTES);

import { createHmac, createSecretKey, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The server's secrets, newest first. New data uses the first; stored data may use any of them. */
export type Secrets = readonly string[];

/** Derives a key for one purpose (HKDF, RFC 5869). */
export const derivedKey = (secret: string, purpose: string, bytes = 32): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, '', purpose, bytes));

export type Macs = ReturnType<typeof macs>;

/** Returns message authentication codes for one purpose (HMAC-SHA-256). @param bytes the length of a code */
export function macs(secrets: Secrets, purpose: string, bytes = 32) {
  // Node 24 imports bytes anew for each code, which costs five times as much.
  const keys = secrets.map((secret) => createSecretKey(derivedKey(secret, purpose)));
  const under = (key: KeyObject, text: string) =>
    new Uint8Array(createHmac('sha256', key).update(text).digest().subarray(0, bytes));
  return {
    make: (text: string) => under(keys[0] as KeyObject, text),
    /** Returns the code under each secret, newest first. */
    all: (text: string) => keys.map((key) => under(key, text)),
    /** Accepts any of the secrets. */
    holds: (text: string, code: Uint8Array): boolean =>
      code.length === bytes && keys.some((key) => timingSafeEqual(under(key, text), code)),
  };
}

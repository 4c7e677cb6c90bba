import {
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';

/** Bits of an RSA modulus; RFC 7518 §3.3 demands at least 2048. */
const MODULUS_BITS = 2048;
const IV_BYTES = 12;
const TAG_BYTES = 16;

export type { JWK } from 'jose';

/** A signing key in memory. */
export interface SigningKeyPair {
  /** RFC 7638 thumbprint of the public key. */
  kid: string;
  privateKey: KeyObject;
  publicKey: KeyObject;
  /** As published in the JWKS (RFC 7517 §4). */
  publicJwk: JWK;
}

/** Makes an RS256 key pair; its `kid` is its thumbprint. */
export async function generateSigningKey(): Promise<SigningKeyPair> {
  const { privateKey } = await generateKeyPair('RS256', { modulusLength: MODULUS_BITS, extractable: true });
  return fromPrivateKey(createPrivateKey({ key: await exportJWK(privateKey), format: 'jwk' }));
}

async function fromPrivateKey(privateKey: KeyObject): Promise<SigningKeyPair> {
  const publicKey = createPublicKey(privateKey);
  const { kty, n, e } = publicKey.export({ format: 'jwk' }) as { kty: string; n: string; e: string };
  const kid = await calculateJwkThumbprint({ kty, n, e });
  return { kid, privateKey, publicKey, publicJwk: { kty, kid, use: 'sig', alg: 'RS256', n, e } };
}

/**
 * The stored form of a key: PKCS #8 in DER, under AES-256-GCM when there is a secret.
 * @param secret KEY_SECRET; undefined outside production leaves the key in clear
 */
export function sealKey(pair: SigningKeyPair, secret: string | undefined): { privateKey: Buffer; encrypted: boolean } {
  const der = pair.privateKey.export({ format: 'der', type: 'pkcs8' });
  if (secret === undefined) return { privateKey: der, encrypted: false };
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', wrappingKey(secret), iv).setAAD(Buffer.from(pair.kid));
  return {
    privateKey: Buffer.concat([iv, cipher.update(der), cipher.final(), cipher.getAuthTag()]),
    encrypted: true,
  };
}

/**
 * Reads what `sealKey` stored.
 * @throws Error when the key is encrypted and the secret is missing or another one
 */
export async function openKey(
  stored: { kid: string; privateKey: Uint8Array; encrypted: boolean },
  secret: string | undefined,
): Promise<SigningKeyPair> {
  const bytes = Buffer.from(stored.privateKey);
  const der = stored.encrypted ? decrypt(stored.kid, bytes, secret) : bytes;
  return fromPrivateKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

function decrypt(kid: string, sealed: Buffer, secret: string | undefined): Buffer {
  if (secret === undefined) throw new Error(`The signing key ${kid} is encrypted: set KEY_SECRET.`);
  try {
    const decipher = createDecipheriv('aes-256-gcm', wrappingKey(secret), sealed.subarray(0, IV_BYTES))
      .setAAD(Buffer.from(kid))
      .setAuthTag(sealed.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch {
    throw new Error(`The signing key ${kid} was encrypted under another KEY_SECRET than the one that is set.`);
  }
}

const wrappingKey = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', 'accord signing keys', 32));

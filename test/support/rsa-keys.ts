import type { webcrypto } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { kept } from './kept.js';

/**
 * Reuses the signing keys of earlier processes, because generating one takes most of a service's start. No process gets
 * the same key twice.
 */
const { subtle } = globalThis.crypto;
const generateKey = subtle.generateKey.bind(subtle) as (...args: unknown[]) => Promise<webcrypto.CryptoKeyPair>;
let taken = 0;

subtle.generateKey = (async (algorithm: webcrypto.RsaHashedKeyGenParams, extractable: boolean, usages: string[]) => {
  const { name, modulusLength } = algorithm;
  if (name !== 'RSASSA-PKCS1-v1_5') return generateKey(algorithm, extractable, usages);
  const path = await kept(`rsa-${modulusLength}-${taken++}.json`, async (path) => {
    const { privateKey } = await generateKey(algorithm, true, usages);
    writeFileSync(path, JSON.stringify(await subtle.exportKey('jwk', privateKey)));
  });
  const { kty, n, e, ...secret } = JSON.parse(readFileSync(path, 'utf8')) as webcrypto.JsonWebKey;
  const open = { kty, n, e } as webcrypto.JsonWebKey;
  delete secret.key_ops;
  return {
    privateKey: await subtle.importKey('jwk', { ...open, ...secret }, algorithm as never, extractable, ['sign']),
    publicKey: await subtle.importKey('jwk', open, algorithm as never, true, ['verify']),
  };
}) as typeof subtle.generateKey;

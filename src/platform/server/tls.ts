import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext, type Server } from 'node:tls';
import type { FastifyBaseLogger } from 'fastify';

/** Where the certificate with its chain and the private key are, in PEM. */
export interface TlsFiles {
  cert: string;
  key: string;
}

/** Milliseconds between two looks at the files. Their names are looked at, so a link that is changed is seen as well. */
const INTERVAL = 1000;

/**
 * Reads both files.
 * @throws Error when one cannot be read, is not PEM, or the key is not that of the certificate
 */
export function readTls({ cert, key }: TlsFiles): { cert: Buffer; key: Buffer } {
  try {
    const pair = { cert: readFileSync(cert), key: readFileSync(key) };
    createSecureContext(pair);
    return pair;
  } catch (cause) {
    throw new Error(`TLS_CERT, TLS_KEY: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Uses a renewed certificate for new connections from the moment its files fit each other; connections that are open go
 * on, and what cannot be used is told to the log.
 * @returns ends the watch
 */
export function followTls(server: Server, files: TlsFiles, log: FastifyBaseLogger): () => void {
  const reload = () => {
    try {
      server.setSecureContext(readTls(files));
      log.info('the TLS certificate was renewed');
    } catch (err) {
      log.warn({ err }, 'the changed TLS files cannot be used, the certificate stays as it is');
    }
  };
  const paths = Object.values(files) as string[];
  for (const path of paths) watchFile(path, { interval: INTERVAL, persistent: false }, reload);
  return () => {
    for (const path of paths) unwatchFile(path, reload);
  };
}

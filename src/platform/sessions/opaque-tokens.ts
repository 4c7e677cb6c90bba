import { createHash, randomBytes } from 'node:crypto';

/** Prefixes by which secret scanners, and we, recognise a token of each kind. */
const prefixes = { access: 'aco_', refresh: 'acr_' } as const;

/** @returns a new token of 256 random bits behind its kind's prefix */
export const newToken = (kind: keyof typeof prefixes): string =>
  `${prefixes[kind]}${randomBytes(32).toString('base64url')}`;

/** @returns whether the text looks like a token of that kind; nothing is said of its validity */
export const isToken = (kind: keyof typeof prefixes, text: string): boolean =>
  text.startsWith(prefixes[kind]) && /^[\w-]{43}$/.test(text.slice(prefixes[kind].length));

/** The stored form. A plain SHA-256 is enough for 256 random bits: there is nothing to guess. */
export const hashToken = (token: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(createHash('sha256').update(token).digest());

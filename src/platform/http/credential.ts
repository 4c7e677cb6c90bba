import type { FastifyRequest } from 'fastify';
import type { Presented } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { isToken } from '../sessions/session-tokens.js';
import { linesOf } from './header-lines.js';

export type Credential =
  | { scheme: 'bearer' | 'cookie'; token: string }
  | { scheme: 'basic'; username: string; password: string };

/** The credential of a request: the `Authorization` header, or else the cookie. A token anywhere else is none. */
export function readCredential(request: FastifyRequest): Credential | undefined {
  const lines = linesOf(request.raw, 'authorization');
  if (lines.length > 0) return readHeader(lines);
  const token = request.cookies[request.server.names.accessCookie];
  return token === undefined ? undefined : { scheme: 'cookie', token };
}

/** RFC 9110 §11.4: one line, a scheme in any case, one or more spaces. Two lines are never ours to choose from. */
export function readHeader(lines: string[]): Credential {
  const [, scheme = '', value = ''] =
    /^([a-z]+) +([\w.~+/=-]+)$/i.exec(lines.length === 1 ? (lines[0] as string) : '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return { scheme: 'bearer', token: value };
  if (scheme.toLowerCase() === 'basic') return readBasic(value);
  throw refused('The Authorization header is not Basic or Bearer with one credential.');
}

/** RFC 7617 §2: the first colon divides; user name and password are UTF-8 without control characters. */
function readBasic(value: string): Credential {
  const bytes = Buffer.from(value, 'base64');
  const text = bytes.toString();
  const colon = text.indexOf(':');
  const clean = bytes.equals(Buffer.from(text)) && ![...text].some((c) => c < ' ' || c === '\u007f');
  if (colon < 0 || !clean || bytes.toString('base64') !== value) throw refused('The Basic credential cannot be read.');
  return { scheme: 'basic', username: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** What kind of credential a request brought, whether it holds or not. */
export function presentedBy({ headers, cookies, server: { names } }: FastifyRequest): Presented | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return cookies[names.accessCookie] === undefined ? undefined : 'cookie';
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
  return isToken(names.tokenPrefixes.access, token) ? 'opaqueToken' : 'other';
}

/** The one answer to every credential that is not good. */
export const refused = (message: string): Failure =>
  new Failure('UNAUTHENTICATED', message, { challenge: 'invalid_token' });

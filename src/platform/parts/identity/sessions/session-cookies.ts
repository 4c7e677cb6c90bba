/** Makes the cookies of sessions. @module */

import { fastifyCookie } from '@fastify/cookie';
import type { SessionCookies } from '../../../core/calls/session.js';
import { COOKIE_PREFIXES, type Names } from '../../../core/names.js';
import type { SessionBinding } from './session-binding.js';

export function sessionCookies(
  names: Names,
  refreshPath: string,
  https: boolean,
  bind: SessionBinding['valueFor'],
): SessionCookies {
  /** @param maxAge seconds; 0 clears the cookie */
  const line = (prefix: string, name: string, path: string) => (value: string, maxAge: number) =>
    fastifyCookie.serialize(https ? prefix + name : name, value, {
      path,
      maxAge,
      httpOnly: true,
      secure: true,
      sameSite: 'strict',
      ...(maxAge === 0 && { expires: new Date(0) }),
    });
  const access = line(COOKIE_PREFIXES.access, names.accessCookie, '/');
  const refresh = line(COOKIE_PREFIXES.refresh, names.refreshCookie, refreshPath);
  const binding = line(COOKIE_PREFIXES.access, names.bindingCookie, '/');
  /** Over plain HTTP, a browser sets no cookie with a prefix. */
  const bound = (value: string, maxAge: number) => (https ? [binding(value, maxAge)] : []);
  return {
    holding(tokens) {
      if (tokens.flow === 'opaque') return [access(tokens.token, tokens.expiresIn), refresh('', 0), ...bound('', 0)];
      const { accessToken, expiresIn, refreshToken, refreshExpiresIn: lifetime, sessionId } = tokens;
      return [access(accessToken, expiresIn), refresh(refreshToken, lifetime), ...bound(bind(sessionId), lifetime)];
    },
    cleared: () => [access('', 0), refresh('', 0), ...bound('', 0)],
  };
}

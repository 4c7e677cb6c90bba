/** Reads the cookies of sessions. @module */

import { fastifyCookie } from '@fastify/cookie';
import type { FastifyInstance } from 'fastify';
import { COOKIE_PREFIXES } from '../../core/names.js';
import type { StagesOf } from '../../core/stages.js';

/** Parses cookies, and removes the prefixes. Over HTTPS a cookie without its prefix does not count. */
export function sessionCookieStages(app: FastifyInstance) {
  const { accessCookie, refreshCookie, bindingCookie } = app.core.names;
  app.decorateRequest('cookies');
  app.decorateRequest('refreshCookie', undefined);
  const known = [
    [accessCookie, COOKIE_PREFIXES.access],
    [refreshCookie, COOKIE_PREFIXES.refresh],
    [bindingCookie, COOKIE_PREFIXES.access],
  ] as const;
  return {
    cookies: () => (request) => {
      request.cookies = fastifyCookie.parse(request.headers.cookie ?? '');
    },
    'session-cookies': () => (request) => {
      const { protocol, cookies, headers } = request;
      if (headers.cookie === undefined) return;
      for (const [name, prefix] of known) {
        const value = cookies[prefix + name] ?? (protocol === 'https' ? undefined : cookies[name]);
        if (value === undefined) delete cookies[name];
        else cookies[name] = value;
      }
      if (protocol !== 'https' || cookies[refreshCookie] === undefined) return;
      const sent = COOKIE_PREFIXES.refresh + refreshCookie;
      // The same parser as for `cookies`, so that the token that a handler reads is one of the values.
      const values = headers.cookie.split(';').flatMap((pair) => fastifyCookie.parse(pair)[sent] ?? []);
      request.refreshCookie = { values, binding: cookies[bindingCookie], access: cookies[accessCookie] };
    },
  } satisfies Partial<StagesOf<'browsers'>>;
}

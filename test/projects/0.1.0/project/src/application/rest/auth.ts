import { caller, type SessionCookies, type SessionTokens } from '@accord-api/platform';
import * as Contract from '../../../generated/operations.js';
import { Failure } from '../calls.js';
import { User } from '../models.js';
import { route } from '../routes.js';
import { userReplies } from './representations.js';

export const auth = Contract.authHandlers({
  login: async ({ body }, { call, services, sessionCookies }) => {
    const tokens = await services.sessions.login(call, body);
    return body.cookie ? asCookies(tokens, sessionCookies) : { status: 200, body: representTokens(tokens) };
  },

  refreshSession: async ({ body, cookies }, { call, services, ownOrigin, sessionCookies }) => {
    if (body?.refresh_token !== undefined)
      return { status: 200, body: representJwt(await services.sessions.refresh(call, body.refresh_token)) };
    const token = cookies.library_refresh;
    if (token === undefined) throw new Failure('BAD_REQUEST', 'There is no refresh token.');
    ownOrigin();
    return asCookies(await services.sessions.refresh(call, token), sessionCookies);
  },

  logout: async ({ body, cookies }, { call, services, ownOrigin, sessionCookies }) => {
    const inCookie = cookies.library_refresh;
    if (body?.refresh_token === undefined && inCookie !== undefined) ownOrigin();
    await services.sessions.logout(call, body?.refresh_token ?? inCookie);
    return { status: 204, headers: { 'set-cookie': sessionCookies.cleared() } };
  },

  getCurrentUser: route({ target: caller(User), reply: userReplies.ok }),
});

const asCookies = (tokens: SessionTokens, sessionCookies: SessionCookies) =>
  ({
    status: 200,
    headers: { 'set-cookie': sessionCookies.holding(tokens) },
    body: { expires_in: tokens.expiresIn },
  }) as const;

const representTokens = (tokens: SessionTokens): Contract.JwtLogin | Contract.OpaqueLogin =>
  tokens.flow === 'jwt' ? representJwt(tokens) : { token: tokens.token, expires_in: tokens.expiresIn };

const representJwt = (tokens: SessionTokens & { flow: 'jwt' }): Contract.JwtLogin => ({
  access_token: tokens.accessToken,
  refresh_token: tokens.refreshToken,
  token_type: 'Bearer',
  expires_in: tokens.expiresIn,
});

import type { SessionTokens } from 'accord';
import * as Contract from '../../../generated/operations.js';
import { foundUser } from './representations.js';

export const auth = Contract.authHandlers({
  login: async ({ body }, { call, services }) => {
    const tokens = await services.sessions.login(call, body);
    const { expiresIn: expires_in } = tokens;
    return { status: 200, body: tokens.flow === 'jwt' ? representJwt(tokens) : { token: tokens.token, expires_in } };
  },

  refreshSession: async ({ body }, { call, services }) => ({
    status: 200,
    body: representJwt(await services.sessions.refresh(call, body.refresh_token)),
  }),

  logout: async ({ body }, { call, services }) => {
    await services.sessions.logout(call, body?.refresh_token);
    return { status: 204 };
  },

  getCurrentUser: async (_request, { call, services }) => foundUser(await services.users.me(call)),
});

const representJwt = (tokens: SessionTokens & { flow: 'jwt' }): Contract.JwtLogin => ({
  access_token: tokens.accessToken,
  refresh_token: tokens.refreshToken,
  token_type: 'Bearer',
  expires_in: tokens.expiresIn,
});

import type { SessionTokens } from 'accord';
import type * as Contract from '../../../generated/operations.js';
import { foundUser } from './representations.js';

export const login: Contract.Login = async ({ body }, { call, services }) => {
  const tokens = await services.sessions.login(call, body);
  const { expiresIn: expires_in } = tokens;
  return { status: 200, body: tokens.flow === 'jwt' ? representJwt(tokens) : { token: tokens.token, expires_in } };
};

export const refreshSession: Contract.RefreshSession = async ({ body }, { call, services }) => ({
  status: 200,
  body: representJwt(await services.sessions.refresh(call, body.refresh_token)),
});

export const logout: Contract.Logout = async ({ body }, { call, services }) => {
  await services.sessions.logout(call, body?.refresh_token);
  return { status: 204 };
};

export const getCurrentUser: Contract.GetCurrentUser = async (_request, { call, services }) =>
  foundUser(await services.users.me(call));

const representJwt = (tokens: SessionTokens & { flow: 'jwt' }): Contract.JwtLogin => ({
  access_token: tokens.accessToken,
  refresh_token: tokens.refreshToken,
  token_type: 'Bearer',
  expires_in: tokens.expiresIn,
});

import { caller, type OwnSession, representPage, type SessionCookies, type SessionTokens } from '@accord-api/platform';
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
    if (body?.refresh_token !== undefined) {
      const tokens = await services.sessions.refresh(call, body.refresh_token);
      return { status: 200, body: representJwt(tokens) };
    }
    if (cookies.accord_refresh === undefined) throw new Failure('BAD_REQUEST', 'There is no refresh token.');
    ownOrigin();
    return asCookies(await services.sessions.refresh(call, cookies.accord_refresh), sessionCookies);
  },

  logout: async ({ body, cookies }, { call, services, ownOrigin, sessionCookies }) => {
    const byCookie = body?.refresh_token === undefined && cookies.accord_refresh !== undefined;
    if (byCookie) ownOrigin();
    await services.sessions.logout(call, body?.refresh_token ?? cookies.accord_refresh);
    return { status: 204, headers: { 'set-cookie': sessionCookies.cleared() } };
  },

  getCurrentUser: route({ target: caller(User), reply: userReplies.ok }),

  listSessions: route({
    target: caller(User),
    handler: (_request, { db, page, services }) => services.sessions.list(db, page),
    reply: ({ items, ...rest }, { page, pathname, query, cursors }) => {
      const rows = { ...rest, items: items.map((session) => ({ id: session.position, session })) };
      const represent = ({ session }: { session: OwnSession }) => representSession(session);
      return { status: 200, ...representPage(page, rows, { pathname, query, cursors, represent }) } as const;
    },
  }),

  revokeOtherSessions: route({
    target: caller(User),
    async handler(_request, { db, services }) {
      await services.sessions.revokeOthers(db);
      return { status: 204 };
    },
  }),

  revokeSession: route({
    target: caller(User),
    async handler({ path }, { db, services }) {
      await services.sessions.revoke(db, path.session_id);
      return { status: 204 };
    },
  }),
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

const representSession = ({ id, flow, current, createdAt, expiresAt }: OwnSession): Contract.Session => ({
  id,
  flow,
  current,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});

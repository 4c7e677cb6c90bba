/** Answers the operations of logins, sessions and keys. @module */

import { User } from '../../core/accounts.js';
import { Failure } from '../../core/calls/errors.js';
import type { SessionCookies, SessionTokens } from '../../core/calls/session.js';
import type { OperationOf } from '../../core/contract/part-operations.js';
import type { Names } from '../../core/names.js';
import type { Db } from '../../core/operations/model.js';
import { caller, record, routeFor } from '../../core/operations/route.js';
import { type PageQuery, type ReadRequest, type RestHandler, representPage } from '../../core/rest/routes.js';
import type { Credentials } from './accounts/credentials.js';
import type { OwnSession, Sessions } from './sessions/sessions.js';

interface OperationOptions {
  names: Names;
  sessions: Sessions;
  changePassword: Credentials['changePassword'];
  jwks: () => Promise<unknown>;
}

const route = routeFor<unknown>();
const account = caller(User);
const NO_CONTENT = { status: 204 };

const ending = (end: (db: Db, request: ReadRequest) => Promise<unknown>) =>
  route({ target: account, handler: (request: ReadRequest, { db }) => end(db, request).then(() => NO_CONTENT) });

export function identityOperations({ names, sessions, changePassword, jwks }: OperationOptions) {
  const tokensOf = ({ body, cookies }: ReadRequest) => ({
    inBody: (body as { refresh_token?: string } | undefined)?.refresh_token,
    inCookie: cookies[names.refreshCookie] as string | undefined,
  });
  const logins = {
    async login({ body }, { call, sessionCookies }) {
      const credentials = body as Parameters<Sessions['login']>[1] & { cookie?: boolean };
      const tokens = await sessions.login(call, credentials);
      return credentials.cookie ? asCookies(tokens, sessionCookies) : { status: 200, body: representTokens(tokens) };
    },
    async refreshSession(request, { call, ownOrigin, sessionCookies }) {
      const { inBody, inCookie } = tokensOf(request);
      if (inBody !== undefined) return { status: 200, body: representTokens(await sessions.refresh(call, inBody)) };
      if (inCookie === undefined) throw new Failure('BAD_REQUEST', 'There is no refresh token.');
      ownOrigin();
      return asCookies(await sessions.refresh(call, inCookie), sessionCookies);
    },
    async logout(request, { call, ownOrigin, sessionCookies }) {
      const { inBody, inCookie } = tokensOf(request);
      if (inBody === undefined && inCookie !== undefined) ownOrigin();
      await sessions.logout(call, inBody ?? inCookie);
      return { status: 204, headers: { 'set-cookie': sessionCookies.cleared() } };
    },
    getJwks: async () => ({ status: 200, body: await jwks() }),
  } satisfies Record<string, RestHandler>;
  return {
    ...logins,
    listSessions: route({
      target: account,
      handler: (_request, { db, page }) => sessions.list(db, page),
      reply: ({ items, ...rest }, { page, pathname, query, cursors }) => {
        const rows = { ...rest, items: items.map((session) => ({ id: session.position, session })) };
        return {
          status: 200,
          ...representPage(page, rows, { pathname, query: query as PageQuery, cursors, represent }),
        };
      },
    }),
    revokeOtherSessions: ending((db) => sessions.revokeOthers(db)),
    revokeSession: ending((db, { path }) => sessions.revoke(db, path['session_id'] as string)),
    changePassword: route({
      // Hashing is slow, so it precedes the transaction.
      target: record(User, 'user_id', { late: true }),
      async handler({ body }: ReadRequest, { db, record: user }) {
        const given = body as { current_password?: string; new_password: string };
        await changePassword(db, user, { currentPassword: given.current_password, newPassword: given.new_password });
        return NO_CONTENT;
      },
    }),
    'Query.me': route({ target: account }),
    'User.role': ({ role }: User) => role,
  } satisfies Record<OperationOf<'identity'>, unknown>;
}

const asCookies = (tokens: SessionTokens, sessionCookies: SessionCookies) => ({
  status: 200,
  headers: { 'set-cookie': sessionCookies.holding(tokens) },
  body: { expires_in: tokens.expiresIn },
});

const representTokens = (tokens: SessionTokens) =>
  tokens.flow === 'opaque'
    ? { token: tokens.token, expires_in: tokens.expiresIn }
    : {
        access_token: tokens.accessToken,
        refresh_token: tokens.refreshToken,
        token_type: 'Bearer',
        expires_in: tokens.expiresIn,
      };

const represent = ({ session: { id, flow, current, createdAt, expiresAt } }: { session: OwnSession }) => ({
  ...{ id, flow, current },
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});

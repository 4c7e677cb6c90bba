/** Authenticates requests once each, and creates the Call that operations receive. @module */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isToken } from '../../parts/identity/sessions/session-tokens.js';
import type { PlatformServices } from '../../server/services.js';
import type { Actor, Call, CredentialKind, Policy, RefreshCookie } from '../calls/access.js';
import { Failure, type Issues } from '../calls/errors.js';
import { andThen, type MaybePromise } from '../calls/schedulers.js';
import type { Checked, StagesOf } from '../stages.js';
import { walk } from '../way.js';
import { headerValues, traceOf } from './headers.js';
import { issueFailure } from './messages.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The caller after `authenticate`. */
    actor: Actor | null;
    refreshCookie: RefreshCookie | undefined;
    caller: MaybePromise<Actor | null> | undefined;
  }
  interface FastifyInstance {
    policy: Policy;
    /**
     * Authenticates a request once.
     * @returns null without a credential; rejects with UNAUTHENTICATED for an invalid credential, RATE_LIMITED after
     *   too many wrong passwords
     */
    authenticate: (request: FastifyRequest) => MaybePromise<Actor | null>;
    /** Authenticates for the rate limit: an invalid credential counts as none. */
    identify: (request: FastifyRequest) => Promise<Actor | null>;
    /**
     * Authenticates the value of an `Authorization` header that came in another way.
     * @param request the request that opened the connection
     * @throws Failure UNAUTHENTICATED
     */
    authenticateHeader: (request: FastifyRequest, value: string) => Promise<Actor>;
  }
}

type Credential =
  | { scheme: 'bearer' | 'cookie'; token: string }
  | { scheme: 'basic'; username: string; password: string };

export function authentication(app: FastifyInstance, { sessions }: Pick<PlatformServices, 'sessions'>): void {
  app.decorateRequest('actor', null);
  app.decorateRequest('caller', undefined);
  app.decorate('authenticate', (request: FastifyRequest) => {
    if (request.caller === undefined) request.caller = authenticate(request);
    return request.caller;
  });
  app.decorate('identify', async (request: FastifyRequest) => {
    try {
      return await app.authenticate(request);
    } catch {
      return null;
    }
  });
  app.decorate('authenticateHeader', async (request: FastifyRequest, value: string) => {
    app.requireHttps(request);
    return verify(readHeader([value]), request);
  });

  /** Returns failures as promises, so that each further call gets the same failure. */
  function authenticate(request: FastifyRequest): MaybePromise<Actor | null> {
    try {
      if (hasCredential(request)) app.requireHttps(request);
      const credential = readCredential(request);
      if (!credential) return null;
      return andThen(verify(credential, request), (actor) => {
        request.actor = actor;
        return actor;
      });
    } catch (failure) {
      return Promise.reject(failure);
    }
  }

  const verify = (credential: Credential, request: FastifyRequest): MaybePromise<Actor> =>
    andThen(actorOf(credential, request), (actor) => {
      if (!actor) throw refused(credential.scheme === 'basic' ? WRONG_PASSWORD : FOREIGN_TOKEN);
      return actor;
    });

  function actorOf(credential: Credential, request: FastifyRequest): MaybePromise<Actor | undefined> {
    if (credential.scheme === 'basic') {
      const caller = { address: request.address, requestId: request.id, exchange: request };
      return sessions.basic(credential.username, credential.password, caller);
    }
    const bearer = sessions.bearer(credential.token);
    if (credential.scheme === 'bearer') return bearer;
    return andThen(bearer, (actor) => actor && Object.assign({}, actor, { mechanism: 'cookieAuth' as const }));
  }
}

const hasCredential = ({ headers, cookies, server: { names } }: FastifyRequest): boolean =>
  headers.authorization !== undefined ||
  [names.accessCookie, names.refreshCookie].some((name) => cookies[name] !== undefined);

function readCredential(request: FastifyRequest): Credential | undefined {
  const lines = headerValues(request.raw, 'authorization');
  if (lines.length > 0) return readHeader(lines);
  const token = request.cookies[request.server.names.accessCookie];
  return token === undefined ? undefined : { scheme: 'cookie', token };
}

/** Reads one line: a scheme in any case, spaces, and the credential (RFC 9110 §11.4). */
function readHeader(lines: string[]): Credential {
  const [, scheme = '', value = ''] =
    /^([a-z]+) +([\w.~+/=-]+)$/i.exec(lines.length === 1 ? (lines[0] as string) : '') ?? [];
  if (scheme.toLowerCase() === 'bearer') return { scheme: 'bearer', token: value };
  if (scheme.toLowerCase() === 'basic') return readBasic(value);
  throw refused('`Authorization` must be one line: `Bearer <token>` or `Basic <credentials>`.');
}

/** Splits at the first colon; UTF-8 without control characters (RFC 7617 §2). */
function readBasic(value: string): Credential {
  const bytes = Buffer.from(value, 'base64');
  const text = bytes.toString();
  const colon = text.indexOf(':');
  const isClean = bytes.equals(Buffer.from(text)) && ![...text].some((c) => c < ' ' || c === '\u007f');
  if (colon < 0 || !isClean || bytes.toString('base64') !== value)
    throw refused('The Basic credential must be the Base64 of `<e-mail address>:<password>` in UTF-8.');
  return { scheme: 'basic', username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function presentedBy({ headers, cookies, server: { names } }: FastifyRequest): CredentialKind | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return cookies[names.accessCookie] === undefined ? undefined : 'cookie';
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
  return isToken(names.tokenPrefixes.access, token) ? 'opaqueToken' : 'other';
}

const WRONG_PASSWORD = 'The e-mail address or the password is wrong.';
const FOREIGN_TOKEN = 'The token is not a valid token of this service: it is malformed, foreign or revoked.';
const refused = (message: string): Failure => new Failure('UNAUTHENTICATED', message, { challenge: 'invalid_token' });

/** @throws Failure VALIDATION_FAILED */
export const contentStage = {
  content:
    () =>
    ({ contentIssues }) => {
      const found = contentIssues();
      if (found.issues.length > 0) throw issueFailure('VALIDATION_FAILED', found);
    },
} satisfies Partial<StagesOf<'core'>>;

/** The services for the transports. */
export interface ServedServices extends Pick<PlatformServices, 'handlers' | 'operations'> {
  readonly callOf: ReturnType<typeof callMaker>;
}

/** Returns what makes the call of a request. @param beforeWrite the steps before its first write, which run once */
export const callMaker =
  (beforeWrite: readonly ((one: Checked) => unknown)[]) =>
  (request: FastifyRequest, contentIssues: () => Issues, idempotency?: Call['idempotency']): Call => {
    let checked: Promise<unknown> | undefined;
    const check = async () => walk(beforeWrite, { request, contentIssues });
    return {
      policy: request.server.policy,
      actor: request.actor,
      presented: () => presentedBy(request),
      address: request.address,
      requestId: request.id,
      exchange: request,
      trace: traceOf(request.headers),
      idempotency,
      async enforce() {
        checked ??= check();
        await checked;
      },
    };
  };

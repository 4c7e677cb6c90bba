/** Authenticates requests once each, and creates the Call that operations receive. @module */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor, Call, CredentialKind, RefreshCookie } from '../calls/access.js';
import { Failure, type Issues } from '../calls/errors.js';
import { networkOf } from '../calls/networks.js';
import { andThen, FULFILLED, type MaybePromise } from '../calls/schedulers.js';
import type { StagedServices } from '../operations/operate.js';
import type { Core } from '../part.js';
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
}

/** Without the part of browsers nobody parses cookies. */
const NO_COOKIES: Readonly<Record<string, string | undefined>> = {};

type Credential =
  | { scheme: 'bearer' | 'cookie'; token: string }
  | { scheme: 'basic'; username: string; password: string };

/** Returns the core's authentication. The seam of a missing `identity` authenticates nobody. */
export function authentication(
  app: FastifyInstance,
  requireHttps: Core['requireHttps'],
): Pick<Core, 'authenticate' | 'identify' | 'authenticateHeader'> {
  app.decorateRequest('actor', null);
  app.decorateRequest('caller', undefined);

  /** Returns failures as promises, so that each further call gets the same failure. */
  function authenticateOnce(request: FastifyRequest): MaybePromise<Actor | null> {
    try {
      if (hasCredential(request)) requireHttps(request);
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
    const { identity } = app.core.seams;
    if (credential.scheme === 'basic') return identity.basic(credential.username, credential.password, request);
    const bearer = identity.bearer(credential.token);
    if (credential.scheme === 'bearer') return bearer;
    return andThen(bearer, (actor) => actor && Object.assign({}, actor, { mechanism: 'cookieAuth' as const }));
  }

  function authenticate(request: FastifyRequest): MaybePromise<Actor | null> {
    if (request.caller === undefined) request.caller = authenticateOnce(request);
    return request.caller;
  }
  return {
    authenticate,
    async identify(request) {
      try {
        return await authenticate(request);
      } catch {
        return null;
      }
    },
    async authenticateHeader(request, value) {
      requireHttps(request);
      return verify(readHeader([value]), request);
    },
  };
}

const hasCredential = ({
  headers,
  cookies = NO_COOKIES,
  server: {
    core: { names },
  },
}: FastifyRequest): boolean =>
  headers.authorization !== undefined ||
  [names.accessCookie, names.refreshCookie].some((name) => cookies[name] !== undefined);

function readCredential(request: FastifyRequest): Credential | undefined {
  const lines = headerValues(request.raw, 'authorization');
  if (lines.length > 0) return readHeader(lines);
  const token = (request.cookies ?? NO_COOKIES)[request.server.core.names.accessCookie];
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

function presentedBy({ headers, cookies = NO_COOKIES, server: { core } }: FastifyRequest): CredentialKind | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return cookies[core.names.accessCookie] === undefined ? undefined : 'cookie';
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1] ?? '';
  return core.seams.identity.kindOf(token);
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
export interface ServedServices {
  /** The `services` of handlers. */
  readonly handlers: unknown;
  readonly operations: StagedServices;
  readonly callOf: ReturnType<typeof callMaker>;
}

/** Returns what makes the call of a request. @param beforeWrite the steps before its first write, which run once */
export const callMaker =
  (beforeWrite: readonly ((checked: Checked) => unknown)[]) =>
  (request: FastifyRequest, contentIssues: () => Issues, idempotency?: Call['idempotency']): Call => {
    let checked: Promise<void> | undefined;
    function check(): Promise<void> {
      try {
        const walked = walk(beforeWrite, { request, contentIssues });
        return walked instanceof Promise ? walked.then(() => {}) : FULFILLED;
      } catch (refusal) {
        return Promise.reject(refusal);
      }
    }
    return {
      policy: request.server.core.policy,
      actor: request.actor,
      presented: () => presentedBy(request),
      address: request.address,
      requestId: request.id,
      exchange: request,
      trace: traceOf(request.headers),
      idempotency,
      enforce: () => (checked ??= check()),
    };
  };

/** Returns a key: the user, or the network of an anonymous caller. */
export const callerOf = ({ actor, address }: Pick<FastifyRequest, 'actor' | 'address'>): string =>
  actor ? `user ${actor.id}` : `address ${networkOf(address)}`;

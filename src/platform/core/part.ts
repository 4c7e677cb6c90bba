/** The seam between the core and the parts that may be left out. @module */

import type { IncomingMessage } from 'node:http';
import type { WebsocketHandler } from '@fastify/websocket';
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify';
import type { Actor, CredentialKind, Policy } from './calls/access.js';
import type { Failure } from './calls/errors.js';
import type { MaybePromise } from './calls/schedulers.js';
import type { SessionCookies } from './calls/session.js';
import type { Names } from './names.js';

/** The requests that a caller may still send. */
export interface Rate {
  readonly limit: number;
  readonly remaining: number;
  readonly exceeded: boolean;
  /** Milliseconds until the oldest request leaves the window. */
  readonly ttl: number;
}

const UNLIMITED: Rate = { limit: 0, remaining: 0, exceeded: false, ttl: 0 };

/** The places of requests that run. */
export interface Places {
  /** Runs work with a place. @throws Failure UNAVAILABLE if no place is free in time */
  run: <T>(request: IncomingMessage, work: () => Promise<T>) => Promise<T>;
  /** Runs work that has begun, without waiting. */
  runOn: <T>(work: () => Promise<T>) => Promise<T>;
  /** Waits without the place of a request, and then for a place. @throws Failure UNAVAILABLE if none is free in time */
  waitOutside: (request: IncomingMessage | undefined, wait: Promise<void>) => Promise<void>;
  overloaded: () => boolean;
  figures: () => { readonly underWay: number; readonly waiting: number; readonly shed: number };
  /** Gets each request whose client left before the answer, which has no status. */
  readonly left: { add: (listener: (request: FastifyRequest) => void) => unknown };
}

/** What the core, or another part, asks of a part. No other way leads from one part to another. */
export interface Seams {
  identity: {
    /** Returns the caller of a token; undefined for an invalid one. Synchronous while the account is remembered. */
    bearer: (token: string) => MaybePromise<Actor | undefined>;
    /** @throws Failure RATE_LIMITED after too many wrong passwords */
    basic: (email: string, password: string, request: FastifyRequest) => Promise<Actor | undefined>;
    kindOf: (token: string) => CredentialKind;
    /** Writes a refusal to the audit table. */
    note: (code: string, request: FastifyRequest) => void;
    /** Returns the lines of the cookies of a session. @param refreshPath where a browser sends the refresh cookie */
    sessionCookies: (refreshPath: string, isHttps: boolean) => SessionCookies;
    /** The end of credentials, for sockets. */
    revocations: {
      invalidActors: (actors: readonly Actor[]) => Promise<ReadonlySet<Actor>>;
      receivesSignals: () => Promise<boolean>;
      /** @returns a function that ends it */
      onInvalidActors: (listener: (isRefused: (actor: Actor) => boolean) => void) => () => void;
    };
  };
  limits: {
    /** Counts the request for its caller once. Does not reject it. */
    count: (request: FastifyRequest) => MaybePromise<Rate>;
    /** Counts the request. @throws Failure RATE_LIMITED if the caller has no requests left */
    refuseExcess: (request: FastifyRequest) => MaybePromise<void>;
    places: Places;
    /**
     * Counts the text of an answer until the client has received it, or has disconnected. Returns a counted text as bytes,
     * because a text with one character of another alphabet takes two bytes for each.
     * @param mayRefuse false after a write, which has happened
     * @throws Failure PAYLOAD_TOO_LARGE, RATE_LIMITED, UNAVAILABLE
     */
    countText: (reply: FastifyReply, text: string | Buffer, mayRefuse: boolean) => string | Buffer;
    /** Undefined if the instances do not share their counts. */
    isSharedReachable: (() => Promise<boolean>) | undefined;
    /** Returns the counted bytes of all answers. */
    answerBytes: () => number;
  };
  observability: {
    /** Writes the line of a request unless this second has its lines. @param about called for a line that is written */
    writeLine: (log: FastifyBaseLogger, about: () => object) => void;
    /** @param began the call of a root field, in milliseconds of `performance.now()` */
    countField: (type: string, field: string, code: string, began?: number) => void;
    countRefused: (codes: readonly string[]) => void;
    metrics: () => Promise<string>;
    /** @throws Failure UNAUTHENTICATED, FORBIDDEN */
    authorize: (request: FastifyRequest) => Promise<void>;
  };
  browsers: {
    /** Protects cookies, which browsers send for every page. @throws Failure FORBIDDEN unless `Origin` is the service's own */
    refuseForeignOrigin: (request: FastifyRequest) => void;
    corsHeaders: (request: Pick<IncomingMessage, 'headers' | 'url'>) => Record<string, string> | undefined;
  };
  versions: {
    /** Sets the header of the version. @param url selects it instead of the URL of the request */
    announce: (request: FastifyRequest, reply: FastifyReply, url?: string) => void;
    /** Returns the canonical URL of a request. */
    urlOf: (request: IncomingMessage) => string;
  };
  live: {
    /** Returns the handler of sockets. @param graphql the engine, and what else the sockets need of the transport */
    serve: ((graphql: never) => WebsocketHandler) | undefined;
  };
  pages: {
    /** Sends a failure as a page. The caller sets the status and the headers. */
    sendFailure: ((failure: Failure, reply: FastifyReply) => FastifyReply) | undefined;
    sendGraphiql: ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) | undefined;
  };
}

/** The seams of parts that are left out: nothing is limited, measured, or known. */
export const WITHOUT_PARTS: Seams = {
  identity: {
    bearer: () => undefined,
    basic: async () => undefined,
    kindOf: () => 'other',
    note: () => {},
    sessionCookies: () => ({ holding: () => [], cleared: () => [] }),
    revocations: {
      invalidActors: async () => new Set(),
      receivesSignals: async () => true,
      onInvalidActors: () => () => {},
    },
  },
  limits: {
    count: () => UNLIMITED,
    refuseExcess: () => {},
    places: {
      run: (_request, work) => work(),
      runOn: (work) => work(),
      waitOutside: (_request, wait) => wait,
      overloaded: () => false,
      figures: () => ({ underWay: 0, waiting: 0, shed: 0 }),
      left: { add: () => {} },
    },
    countText: (_reply, text) => text,
    isSharedReachable: undefined,
    answerBytes: () => 0,
  },
  observability: {
    writeLine: () => {},
    countField: () => {},
    countRefused: () => {},
    metrics: async () => '',
    authorize: async () => {},
  },
  browsers: { refuseForeignOrigin: () => {}, corsHeaders: () => undefined },
  versions: { announce: () => {}, urlOf: ({ url = '/' }) => url },
  live: { serve: undefined },
  pages: { sendFailure: undefined, sendGraphiql: undefined },
};

/** The paths of the login and logout for browsers. */
export interface SessionPaths {
  readonly login: string;
  readonly logout: string;
}

/** What the core hands to parts and transports. */
export interface Core {
  readonly names: Names;
  readonly policy: Policy;
  /** The origin of PUBLIC_URL; undefined if requests name the address. */
  readonly publicOrigin: string | undefined;
  /** Undefined if the contract has none. */
  readonly sessionPaths: SessionPaths | undefined;
  /** Says how to log in, and how to send the token. */
  readonly loginHint: string;
  /** Of a part that is left out: `WITHOUT_PARTS`. */
  readonly seams: { -readonly [Name in keyof Seams]: Seams[Name] };
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
  /**
   * Rejects credentials over plain HTTP, without a redirect, which would make the client send them again.
   * @throws Failure FORBIDDEN
   */
  requireHttps: (request: FastifyRequest) => void;
}

declare module 'fastify' {
  interface FastifyInstance {
    core: Core;
  }
}

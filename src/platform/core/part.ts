/** The seam between the core and the parts that may be left out. @module */

import type { IncomingMessage } from 'node:http';
import type { WebsocketHandler } from '@fastify/websocket';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Prisma } from '../database/client.js';
import type { Actor, CredentialKind, KeyedResponses, Policy } from './calls/access.js';
import type { Failure } from './calls/errors.js';
import type { MaybePromise } from './calls/schedulers.js';
import type { SessionCookies } from './calls/session.js';
import type { LineKind } from './http/about-request.js';
import type { Names } from './names.js';
import type { DeclaredModels, ModelStreams } from './operations/model-data.js';

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
  figures: () => { readonly underWay: number; readonly waiting: number };
  /** Gets each request whose client left before the answer, which has no status. */
  readonly left: { add: (listener: (request: FastifyRequest) => void) => unknown };
}

/** A metric that is read on demand: a counter if its name ends in `_total`, otherwise a gauge. */
export interface Metric {
  readonly help: string;
  /** The name of the label whose values `read` returns with their numbers. */
  readonly label?: string;
  readonly read: () => number | Readonly<Record<string, number>>;
}

/** Without a check that failed the service is ready. A degraded service is ready. */
export type CheckState = 'ok' | 'degraded' | 'failed';

type Tx = Prisma.TransactionClient;

/**
 * Repeated background work. The database contains its state.
 * @example
 * jobs.add([{ name: 'reminders', every: 60_000, run: () => transact(remind) }]);
 */
export interface Job {
  name: string;
  /** Maximum milliseconds between the end of a run and the next one, if a signal is lost. */
  every: number;
  /** True if `announce` signals new work. An instance that does not receive signals checks each second. */
  announced?: boolean;
  /** Simultaneous runs; 1 by default. */
  concurrency?: number;
  /**
   * @param more starts another run; call it if there may be more work
   * @returns when the next work is due, in milliseconds since the epoch, if known
   */
  run: (signal: AbortSignal, more: () => void) => Promise<unknown>;
}

/** The functions of each part that the core and other parts call. A part reaches another part only by them. */
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
  idempotency: KeyedResponses & {
    /** Stores the answer of work after the commit. @param ownerId the user of the answer */
    finish: (tx: Tx, workId: string, answer: object, ownerId: number) => Promise<void>;
    /** Frees the key of work without an effect. */
    abandon: (tx: Tx, workId: string) => Promise<void>;
    /** Removes the answers about a deleted user. The keys stay, so that a late retry has no effect. */
    forget: (tx: Tx, ownerId: number) => Promise<void>;
  };
  jobs: {
    /** Adds jobs. Call it before the first request. */
    add: (jobs: readonly Job[]) => void;
    /** Runs a job now, or once more after the current run. */
    wake: (name: string) => void;
    /** Wakes a job on all instances when the transaction commits. @param at milliseconds since the epoch */
    announce: (tx: Tx, name: string, at?: number) => Promise<void>;
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
  };
  observability: {
    /**
     * Writes the log line of a request, unless the share of its kind in this second is used up.
     * @param about called for a line that is written
     */
    writeLine: (log: FastifyBaseLogger, kind: LineKind, about: () => object) => void;
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
    /** Opens the routes of a scope for sockets. @param graphql the engine, and what else the sockets need of the transport */
    serve: ((scope: FastifyInstance, graphql: never) => Promise<WebsocketHandler>) | undefined;
    /** Returns the streams of the models that declare one. */
    streams: (models: DeclaredModels) => Promise<ModelStreams>;
  };
  pages: {
    /** Sends a failure as a page. The caller sets the status and the headers. */
    sendFailure: ((failure: Failure, reply: FastifyReply) => FastifyReply) | undefined;
    sendGraphiql: ((request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>) | undefined;
  };
}

const noJobs = (): never => {
  throw new Error('The application has background jobs. Add jobs() to `parts`.');
};

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
  idempotency: {
    inTurn: (_call, _request, work) => work(),
    keep: async () => {},
    finish: async () => {},
    abandon: async () => {},
    forget: async () => {},
  },
  jobs: { add: noJobs, wake: noJobs, announce: noJobs },
  limits: {
    count: () => UNLIMITED,
    refuseExcess: () => {},
    places: {
      run: (_request, work) => work(),
      runOn: (work) => work(),
      waitOutside: (_request, wait) => wait,
      figures: () => ({ underWay: 0, waiting: 0 }),
      left: { add: () => {} },
    },
    countText: (_reply, text) => text,
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
  live: { serve: undefined, streams: async () => new Map() },
  pages: { sendFailure: undefined, sendGraphiql: undefined },
};

/** The paths of the login and logout for browsers. */
export interface SessionPaths {
  readonly login: string;
  readonly logout: string;
}

/** The members of the core that parts and transports use. */
export interface Core {
  readonly names: Names;
  readonly policy: Policy;
  /** The origin of PUBLIC_URL; undefined if requests name the address. */
  readonly publicOrigin: string | undefined;
  /** Undefined if the contract has none. */
  readonly sessionPaths: SessionPaths | undefined;
  /** Says how to log in, and how to send the token. */
  readonly loginHint: string;
  /** The functions of a part that is left out come from `WITHOUT_PARTS`. */
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

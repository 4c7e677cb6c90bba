/** The stages of a request in their order. `app.ts` registers hooks in this order, and docs/architecture.md prints the table. @module */

import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import type { Code } from './contract/codes.js';

const HOOKS = ['onRequest', 'preParsing', 'preValidation', 'preHandler', 'onSend', 'onResponse'] as const;

/** A hook of Fastify, an event of Node's server (`incoming`), a step of Fastify, or a function that the handler calls. */
type Phase = (typeof HOOKS)[number] | 'incoming' | 'routing' | 'validation' | 'handler';

/** REST includes the pages, and addresses without a route. */
type Transport = 'REST' | 'GraphQL' | 'sockets';

export interface Stage {
  name: string;
  phase: Phase;
  on: readonly Transport[];
  does: string;
  /** In the order of the stage's decisions. INTERNAL, and UNAVAILABLE without a database, are possible in any stage. */
  refuses: readonly Code[];
  /** The package that implements the stage by its hooks, registered at the position of its first stage. */
  package?: string;
  outsideProduction?: true;
}

const ALL = ['REST', 'GraphQL', 'sockets'] as const;
const HTTP = ['REST', 'GraphQL'] as const;
const REST = ['REST'] as const;
const GRAPHQL = ['GraphQL', 'sockets'] as const;
const SOCKETS = ['sockets'] as const;
const WEBSOCKET = { package: '@fastify/websocket' };
const COOKIE = { package: '@fastify/cookie' };

type Row = [name: string, on: Stage['on'], does: string, refuses?: Code[], more?: Partial<Stage>];
const stages = (phase: Phase, ...rows: Row[]): Stage[] =>
  rows.map(([name, on, does, refuses = [], more]) => ({ name, phase, on, does, refuses, ...more }));

/**
 * The stages of a request, in order: the first stage that refuses decides the response (docs/decisions.md, "Failures"). The order of
 * registration of plugins has no effect on it.
 */
export const PIPELINE: readonly Stage[] = [
  ...stages(
    'incoming',
    ['http-parser', ALL, 'reads the request line and the headers', ['BAD_REQUEST', 'REQUEST_TIMEOUT']],
    ['admission', HTTP, 'waits for a free place; health probes need none', ['UNAVAILABLE']],
  ),
  ...stages(
    'routing',
    ['version-selection', REST, 'selects the version and the canonical address'],
    ['router', ALL, 'finds the route', ['BAD_REQUEST']],
  ),
  ...stages(
    'onRequest',
    ['route', ALL, 'looks up the plan of the route'],
    ['request-id', ALL, 'keeps a valid `X-Request-Id`, or sets a new one'],
    ['security-headers', ALL, 'sets `Content-Security-Policy` and other security headers'],
    ['api-version', REST, 'reports the API version, on refusals too'],
    // Precedes every stage that refuses, because it closes the connection of a refused upgrade.
    ['upgrade-mark', ALL, 'distinguishes an upgrade from other requests', [], WEBSOCKET],
    [
      'upgrade',
      SOCKETS,
      'refuses an upgrade during shutdown, at another address, and with cookies from a foreign page',
      ['UNAVAILABLE', 'BAD_REQUEST', 'FORBIDDEN'],
    ],
    ['foreign-host', ALL, 'refuses a browser that uses a foreign name', ['FORBIDDEN'], { outsideProduction: true }],
    ['cross-origin', HTTP, 'answers CORS preflights, and sets the CORS headers'],
    ['cookies', ALL, 'parses cookies', [], COOKIE],
    ['session-cookies', ALL, 'removes the prefixes from the names of session cookies'],
    ['strict-transport', ALL, 'sets `Strict-Transport-Security`'],
    ['ceiling', ALL, 'counts the request for its address, before any database query', ['RATE_LIMITED']],
    ['upgrade-admission', SOCKETS, 'refuses an upgrade while no place is free', ['UNAVAILABLE']],
    ['second-host', ALL, 'refuses two Host headers', ['BAD_REQUEST']],
    // Precedes every stage that reads the operation.
    ['served-version', REST, 'refuses wrong versions', ['BAD_REQUEST', 'NOT_FOUND', 'NOT_ACCEPTABLE']],
    ['trailing-slash', ALL, 'redirects to the path without the slash, if a route has it', ['NOT_FOUND']],
    ['media-types', REST, 'negotiates the media types', ['NOT_ACCEPTABLE', 'UNSUPPORTED_MEDIA_TYPE']],
  ),
  ...stages(
    'preParsing',
    ['place-left', HTTP, 'releases the place while a slow client sends the body'],
    [
      'body',
      HTTP,
      'parses JSON, and the other media types of the contract: text, or a stream for the handler',
      ['UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE', 'BAD_REQUEST'],
    ],
  ),
  ...stages(
    'preValidation',
    ['handler-timeout', ALL, 'limits the time for the answer', ['UNAVAILABLE']],
    ['place-taken', HTTP, 'takes a place again when the body is complete', ['UNAVAILABLE']],
    ['null-body', REST, 'refuses the body `null`, and a missing body that selects a schema', ['BAD_REQUEST']],
    ['parameters', REST, 'reads parameters by their types; refuses unknown and missing ones', ['BAD_REQUEST']],
  ),
  ...stages('validation', ['structure', REST, 'checks types and required members of the body', ['BAD_REQUEST']]),
  ...stages('preHandler', [
    'authentication',
    REST,
    'reads the cursor of a list; authenticates over HTTPS only, with a limit on wrong passwords',
    ['BAD_REQUEST', 'FORBIDDEN', 'RATE_LIMITED', 'UNAUTHENTICATED'],
  ]),
  ...stages(
    'handler',
    [
      'unmatched',
      HTTP,
      'answers requests without a route',
      ['NOT_FOUND', 'FORBIDDEN', 'RATE_LIMITED', 'UNAUTHENTICATED', 'METHOD_NOT_ALLOWED'],
    ],
    ['operation', GRAPHQL, 'reads the operations of the message, a batch by POST', ['BAD_REQUEST']],
    ['weight', GRAPHQL, 'counts the operations for the address, by their cost', ['RATE_LIMITED']],
    ['document', GRAPHQL, 'parses the document', ['PAYLOAD_TOO_LARGE', 'BAD_REQUEST']],
    ['caller', GRAPHQL, 'authenticates requests by POST', ['FORBIDDEN', 'RATE_LIMITED', 'UNAUTHENTICATED']],
    ['document-validity', GRAPHQL, 'checks limits, the document, and its variables', ['BAD_REQUEST']],
    ['own-origin', HTTP, 'refuses cookies from a foreign page on a write, and logins over HTTP', ['FORBIDDEN']],
    ['access', ALL, 'checks the policy and the owner; for a login, the password', ['UNAUTHENTICATED', 'FORBIDDEN']],
    ['existence', ALL, 'loads and locks the row of the target', ['NOT_FOUND', 'GONE']],
    ['state', ALL, 'compares `If-Match`; the handler compares states', ['PRECONDITION_FAILED', 'CONFLICT']],
    ['content', ALL, 'checks the constraints of the contract, before the first write', ['VALIDATION_FAILED']],
    ['rate', ALL, 'counts the request for its caller, before the first write', ['RATE_LIMITED']],
  ),
  ...stages(
    'onSend',
    ['set-cookies', ALL, 'writes the cookies that were set', [], COOKIE],
    ['answer-there', ALL, 'ends the time limit for the answer'],
    ['rate-headers', ALL, 'reports the rate to the caller; counts requests that were refused earlier'],
    // Follows stages that may authenticate, which need the place.
    ['place-returned', HTTP, 'frees the place for the next request'],
    ['deprecation', REST, 'announces the end of a deprecated operation'],
  ),
  ...stages(
    'onResponse',
    ['upgrade-end', SOCKETS, 'ends the connection of an upgrade that was refused', [], WEBSOCKET],
    ['metrics', ALL, 'counts and times the answer'],
    ['request-line', ALL, 'writes the line of the request to the log'],
    ['refusals', ALL, 'writes refusals to the audit table'],
  ),
];

const HANDLER_STAGES = PIPELINE.filter(({ phase }) => phase === 'handler');

/**
 * Runs a stage. It throws to refuse, returns the reply if it has sent a response, or returns a promise. After any other result, the next
 * stage begins in the same turn of the event loop.
 */
type Run = (request: FastifyRequest, reply: FastifyReply) => void | FastifyReply | Promise<void>;
type Register = (app: FastifyInstance) => PromiseLike<unknown>;

declare module 'fastify' {
  interface FastifyInstance {
    stage: (name: string, run: Run) => void;
    packageStage: (name: string, register: Register) => void;
    /**
     * Adds the hooks in the order of the table. Call it after all stages and before the routes.
     * @throws Error for a stage without an implementation, or not in the table
     */
    registerPipeline: () => Promise<void>;
    /** Returns the functions for each transport, in the order of the table. */
    handlerStages: <Subject>(
      made: Readonly<Record<string, (subject: Subject) => unknown>>,
    ) => Record<Transport, ((subject: Subject) => unknown)[]>;
  }
}

export const pipelinePlugin = fp<{ production: boolean }>(
  async (app, { production }) => {
    const runs = new Map<string, Run>();
    const packages = new Map<string, Register>();
    const addTo =
      <Made>(made: Map<string, Made>) =>
      (name: string, one: Made) => {
        if (runs.has(name) || packages.has(name)) throw new Error(`Two plugins implement the stage "${name}".`);
        made.set(name, one);
      };
    app.decorate('stage', addTo(runs));
    app.decorate('packageStage', addTo(packages));

    const refuseUnknown = (names: readonly string[], rows: readonly Stage[]) => {
      const unknown = names.find((name) => rows.every((one) => one.name !== name));
      if (unknown !== undefined) throw new Error(`The table in pipeline.ts lacks the stage "${unknown}".`);
    };

    app.decorate('handlerStages', (made) => {
      refuseUnknown(Object.keys(made), HANDLER_STAGES);
      const stagesFor = (transport: Transport) =>
        HANDLER_STAGES.filter(({ on }) => on.includes(transport)).flatMap(({ name }) => made[name] ?? []);
      return { REST: stagesFor('REST'), GraphQL: stagesFor('GraphQL'), sockets: stagesFor('sockets') };
    });

    app.decorate('registerPipeline', async () => {
      refuseUnknown([...runs.keys(), ...packages.keys()], PIPELINE);
      const registered = new Set<string>();
      for (const phase of HOOKS) {
        let own: Run[] = [];
        const addHook = () => {
          if (own.length > 0) app.addHook(phase as 'onRequest', hookOf(phase, own) as onRequestHookHandler);
          own = [];
        };
        for (const { name, package: from, outsideProduction } of PIPELINE.filter((one) => one.phase === phase)) {
          if (from && registered.has(from)) continue;
          const [run, register] = [runs.get(name), packages.get(name)];
          if (!run && !register) throw new Error(`No plugin implements the stage "${name}".`);
          if (production && outsideProduction) continue;
          if (run) own.push(run);
          if (!from || !register) continue;
          addHook();
          registered.add(from);
          await register(app);
        }
        addHook();
      }
    });
  },
  { name: 'pipeline' },
);

type Done = (error?: Error) => void;

/** Returns a hook of Fastify that runs stages until one of them refuses or answers. */
function hookOf(phase: Phase, stages: readonly Run[]) {
  return phase === 'preParsing' || phase === 'onSend'
    ? (request: FastifyRequest, reply: FastifyReply, _payload: unknown, done: Done) => begin(request, reply, done)
    : begin;

  function begin(request: FastifyRequest, reply: FastifyReply, done: Done): void {
    let at = 0;
    function next(): void {
      try {
        for (let stage = stages[at]; stage !== undefined; stage = stages[at]) {
          at += 1;
          const pending = stage(request, reply);
          if (pending === reply) return;
          if (pending instanceof Promise) {
            pending.then(next, done);
            return;
          }
        }
      } catch (error) {
        done(error as Error);
        return;
      }
      done();
    }
    next();
  }
}

import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import fp from 'fastify-plugin';
import type { Code } from './contract/codes.js';
import { inTurn, inTurnWithPayload, type Run } from './http/in-turn.js';

/** The phases of Fastify's lifecycle that are hooks. */
const HOOKS = ['onRequest', 'preParsing', 'preValidation', 'preHandler', 'onSend', 'onResponse'] as const;
type HookPhase = (typeof HOOKS)[number];

/** The others are Node's server before there is a request (`incoming`), Fastify itself, and what a handler calls. */
type Phase = HookPhase | 'incoming' | 'routing' | 'parsing' | 'validation' | 'handler';

/** By what a request comes. */
type Way = 'REST' | 'GraphQL' | 'sockets';

export interface Stage {
  /** REST with the pages and whatever has no route; sockets by the request that asks for one, in `handler` by their messages. */
  on: readonly Way[];
  /** In the order in which they are decided. What any stage may meet is left out: INTERNAL, UNAVAILABLE without a database. */
  refuses?: readonly Code[];
  does: string;
  /** Whose hook it is, where it is not ours. */
  package?: string;
  /** The stage whose package has brought it along. */
  comesWith?: string;
  /** What is not there in production. */
  outsideProduction?: true;
}

const ALL = ['REST', 'GraphQL', 'sockets'] as const;
const HTTP = ['REST', 'GraphQL'] as const;
const REST = ['REST'] as const;
const GRAPHQL = ['GraphQL', 'sockets'] as const;
const SOCKETS = ['sockets'] as const;

/**
 * What a request meets, from the top to the bottom: the first stage that refuses decides the answer (docs/decisions.md,
 * "Failures"). A hook gets its turn by its place here, wherever its plugin is registered, and so does what the GraphQL engine does
 * in a handler (`handlerStages`); to the other stages that are no hooks, the tests of the order of failures hold what carries
 * them out.
 */
export const PIPELINE = {
  incoming: {
    'http-parser': {
      on: ALL,
      refuses: ['BAD_REQUEST', 'REQUEST_TIMEOUT'],
      does: 'reads the line and the headers of a request',
    },
    admission: {
      on: HTTP,
      refuses: ['UNAVAILABLE'],
      does: 'gives the request a place, as soon as there is one; the probes need none',
    },
  },
  routing: {
    'version-selection': { on: REST, does: 'chooses the version, and the canonical address' },
    router: { on: ALL, refuses: ['BAD_REQUEST'], does: 'finds the route' },
  },
  onRequest: {
    route: { on: ALL, does: 'looks up what was worked out of the contract for the route' },
    'request-id': { on: ALL, does: 'names the request in its answer' },
    'security-headers': { on: ALL, does: 'has a browser load nothing by an answer' },
    'api-version': { on: REST, does: 'names the version that answers, on refusals too' },
    // Before whatever refuses: it is what closes the connection of an upgrade that is refused.
    'upgrade-mark': { on: ALL, package: '@fastify/websocket', does: 'tells an upgrade from other requests' },
    upgrade: {
      on: SOCKETS,
      refuses: ['UNAVAILABLE', 'BAD_REQUEST', 'FORBIDDEN'],
      does: 'refuses an upgrade while the service stops, at another address, and with the cookies of a foreign page',
    },
    'foreign-host': {
      on: ALL,
      refuses: ['FORBIDDEN'],
      outsideProduction: true,
      does: 'refuses a browser under a name that is not ours',
    },
    'cross-origin': {
      on: HTTP,
      package: '@fastify/cors',
      does: 'answers the preflights of CORS, and says who may read the answer',
    },
    cookies: { on: ALL, package: '@fastify/cookie', does: 'parses cookies' },
    'session-cookies': { on: ALL, does: 'gives the cookies of a session their plain names' },
    'strict-transport': { on: ALL, does: 'has a browser stay with HTTPS' },
    'body-timeout': { on: HTTP, refuses: ['REQUEST_TIMEOUT'], does: 'begins to wait for the body, over HTTP/2' },
    ceiling: {
      on: ALL,
      refuses: ['RATE_LIMITED'],
      does: 'counts for the address, before anything reaches the database',
    },
    'upgrade-admission': { on: SOCKETS, refuses: ['UNAVAILABLE'], does: 'refuses an upgrade while there is no place' },
    'second-host': { on: ALL, refuses: ['BAD_REQUEST'], does: 'refuses what names two hosts' },
    // Before anything that an operation of the newest version would say of the request.
    'served-version': {
      on: REST,
      refuses: ['BAD_REQUEST', 'NOT_FOUND', 'NOT_ACCEPTABLE'],
      does: 'refuses versions that disagree, or that are not served',
    },
    'trailing-slash': {
      on: ALL,
      refuses: ['NOT_FOUND'],
      does: 'redirects to the address without it, where there is one',
    },
    'media-types': {
      on: REST,
      refuses: ['NOT_ACCEPTABLE', 'UNSUPPORTED_MEDIA_TYPE'],
      does: 'chooses the media type of the answer, and looks at that of the body',
    },
  },
  preParsing: {
    'place-left': { on: HTTP, does: 'gives up the place until a slow client has sent the body' },
  },
  parsing: {
    body: {
      on: HTTP,
      refuses: ['UNSUPPORTED_MEDIA_TYPE', 'PAYLOAD_TOO_LARGE', 'BAD_REQUEST'],
      does: 'reads JSON, and what else the contract declares: text, or a stream for the handler to read',
    },
  },
  preValidation: {
    'handler-timeout': { on: ALL, refuses: ['UNAVAILABLE'], does: 'begins to wait for the answer' },
    'place-taken': { on: HTTP, refuses: ['UNAVAILABLE'], does: 'takes a place again, now that the body is there' },
    'null-body': {
      on: REST,
      refuses: ['BAD_REQUEST'],
      does: 'refuses the body `null`, and none where the media type must tell its schema',
    },
    parameters: {
      on: REST,
      refuses: ['BAD_REQUEST'],
      does: 'reads parameters by their declared types, and refuses what cannot be read so, is missing or is unknown',
    },
  },
  validation: {
    structure: { on: REST, refuses: ['BAD_REQUEST'], does: 'looks at types and required members of the body' },
  },
  preHandler: {
    authentication: {
      on: REST,
      refuses: ['BAD_REQUEST', 'FORBIDDEN', 'RATE_LIMITED', 'UNAUTHENTICATED'],
      does: 'reads the place in a list, then finds out who calls: over HTTPS, and after not too many wrong passwords',
    },
  },
  handler: {
    unmatched: {
      on: HTTP,
      refuses: ['NOT_FOUND', 'FORBIDDEN', 'RATE_LIMITED', 'UNAUTHENTICATED', 'METHOD_NOT_ALLOWED'],
      does: 'answers what has no route, in place of a handler',
    },
    operation: { on: GRAPHQL, refuses: ['BAD_REQUEST'], does: 'reads what is to be executed, a batch by POST' },
    weight: {
      on: GRAPHQL,
      refuses: ['RATE_LIMITED'],
      does: 'counts the operations for the address, by what they cost',
    },
    document: { on: GRAPHQL, refuses: ['PAYLOAD_TOO_LARGE', 'BAD_REQUEST'], does: 'parses the document' },
    caller: {
      on: GRAPHQL,
      refuses: ['FORBIDDEN', 'RATE_LIMITED', 'UNAUTHENTICATED'],
      does: 'finds out who calls; a socket knows',
    },
    'document-validity': {
      on: GRAPHQL,
      refuses: ['BAD_REQUEST'],
      does: 'holds the document to its limits and to the schema, and the variables to the document',
    },
    'own-origin': {
      on: HTTP,
      refuses: ['FORBIDDEN'],
      does: 'refuses a write with the cookies of a foreign page, and a login over plain HTTP',
    },
    access: {
      on: ALL,
      refuses: ['UNAUTHENTICATED', 'FORBIDDEN'],
      does: 'decides by the policy and the owner whether the caller may; a login by its password',
    },
    existence: { on: ALL, refuses: ['NOT_FOUND', 'GONE'], does: 'loads and locks the row of the target' },
    state: {
      on: ALL,
      refuses: ['PRECONDITION_FAILED', 'CONFLICT'],
      does: 'compares `If-Match`; the handler compares states',
    },
    content: {
      on: ALL,
      refuses: ['VALIDATION_FAILED'],
      does: 'checks values against the constraints of the contract, before the first write',
    },
    rate: {
      on: ALL,
      refuses: ['RATE_LIMITED'],
      does: 'counts the request for its caller, before the first write',
    },
  },
  onSend: {
    'set-cookies': { on: ALL, comesWith: 'cookies', does: 'writes the cookies that were set' },
    'answer-there': { on: ALL, does: 'ends the waiting for the answer' },
    'rate-headers': { on: ALL, does: 'says where the caller stands; counts what was refused before' },
    // After what may ask who calls before an answer is sent: until then the place is kept.
    'place-returned': { on: HTTP, does: 'lets the next one in' },
    deprecation: { on: REST, does: 'says of a deprecated operation until when it is there' },
  },
  onResponse: {
    'upgrade-end': {
      on: SOCKETS,
      comesWith: 'upgrade-mark',
      does: 'ends the connection of an upgrade that was refused',
    },
    metrics: { on: ALL, does: 'counts and times the answer' },
    refusals: { on: ALL, does: 'has refusals audited' },
  },
} as const satisfies Record<Phase, Record<string, Stage>>;

type Pipeline = typeof PIPELINE;

/** Registers the package whose hooks a stage is made of. */
type Registration = (app: FastifyInstance) => PromiseLike<unknown>;

/** What the stages of a phase are made of, by their names. */
type MadeOf<Stages> = {
  [Name in keyof Stages as Stages[Name] extends { comesWith: string } ? never : Name]: Stages[Name] extends Packaged
    ? Registration
    : Run;
};
type Packaged = Required<Pick<Stage, 'package'>>;
type AllMadeOf = { [In in HookPhase]: MadeOf<Pipeline[In]> };
type StageName = { [In in HookPhase]: keyof AllMadeOf[In] }[HookPhase];
type StageOf<Name extends StageName> = {
  [In in HookPhase]: Name extends keyof AllMadeOf[In] ? AllMadeOf[In][Name] : never;
}[HookPhase];

/** What is done in stages of a handler, by their names, to one and the same thing. */
type HandlerStages<Subject> = { [Name in keyof Pipeline['handler']]?: (subject: Subject) => unknown };

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Says what a stage is made of: what is done in it, or the registration of the package that has it. Nothing of it is in force
     * before the pipeline is laid.
     */
    stage: <Name extends StageName>(name: Name, madeOf: StageOf<Name>) => void;
    /**
     * Adds the hooks in the order of the table, one for all stages between two packages. To be called once, when every stage has
     * been made and before there are routes: a package may look at those, and adds some of its own.
     * @throws Error for a stage that nobody has made
     */
    layPipeline: () => Promise<void>;
    /** @returns what is to be done one after the other, in the order of the table: by each way, the stages that it has */
    handlerStages: <Subject>(made: HandlerStages<Subject>) => Record<Way, ((subject: Subject) => unknown)[]>;
  }
}

/** To be registered before any plugin that has a stage. */
export const pipelinePlugin = fp<{ production: boolean }>(
  async (app, { production }) => {
    const made = new Map<string, Run | Registration>();
    app.decorate('stage', (name, madeOf) => {
      if (made.has(name)) throw new Error(`The stage "${name}" is there already.`);
      made.set(name, madeOf);
    });

    app.decorate('handlerStages', <Subject>(made: HandlerStages<Subject>) => {
      const by = (way: Way) =>
        Object.entries<Stage>(PIPELINE.handler).flatMap(([name, { on }]) => {
          const madeOf = made[name as keyof Pipeline['handler']];
          return madeOf && on.includes(way) ? madeOf : [];
        });
      return { REST: by('REST'), GraphQL: by('GraphQL'), sockets: by('sockets') };
    });

    app.decorate('layPipeline', async () => {
      for (const phase of HOOKS) {
        const stages = Object.entries<Stage>(PIPELINE[phase]).filter(([, { comesWith }]) => comesWith === undefined);
        const hookOf = phase === 'preParsing' || phase === 'onSend' ? inTurnWithPayload : inTurn;
        let own: Run[] = [];
        const layOwn = () => {
          if (own.length > 0) app.addHook(phase as 'onRequest', hookOf(own) as onRequestHookHandler);
          own = [];
        };
        for (const [name, stage] of stages) {
          const madeOf = made.get(name);
          if (!madeOf) throw new Error(`Nobody has made the stage "${name}".`);
          if (production && stage.outsideProduction) continue;
          // `stage` has seen to it that this is what the table wants.
          if (stage.package === undefined) {
            own.push(madeOf as Run);
          } else {
            layOwn();
            await (madeOf as Registration)(app);
          }
        }
        layOwn();
      }
    });
  },
  { name: 'pipeline' },
);

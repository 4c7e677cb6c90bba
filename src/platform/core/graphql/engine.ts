/** Takes a GraphQL request through its stages. mercurius parses, validates, caches and executes its document. @module */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLError,
  type GraphQLSchema,
  Location,
  NoSchemaIntrospectionCustomRule,
  parse,
} from 'graphql';
import mercurius from 'mercurius';
import { type Actor, authenticated } from '../calls/access.js';
import { Failure, NO_ISSUES } from '../calls/errors.js';
import type { Checked, StagesOf, Weight } from '../stages.js';
import { type Stages, walk, wayOf } from '../way.js';
import { type GraphQLContext, RUNNING } from './context.js';
import {
  type Documents,
  documentShares,
  MAX_CACHED_DOCUMENTS,
  type OperationRequest,
  readBody,
  storeLocations,
  textOf,
  weightOf,
} from './documents.js';
import { leavesOf, type RunningQuery } from './leaves.js';
import { checkDocument, checkOperation, type Limits, operationQueue, type Turn } from './limits.js';
import {
  conditionalRoots,
  DocumentErrors,
  type GraphQLTransport,
  isIntrospection,
  MAX_ERRORS,
  type PreparedOperation,
  refuse,
  selectedOperation,
  withoutValue,
} from './operation-check.js';

/** The stages that the engine adds. */
export type EngineStage = 'operation' | 'document' | 'caller' | 'document-validity';

interface EngineOptions {
  stages: Stages;
  schema: GraphQLSchema;
  documents: Documents;
  limits: Limits;
  introspection: boolean;
  maxBatch: number;
  /** True if a document with only introspection needs no credential. */
  openIntrospection: boolean;
  costUnderWay: number | undefined;
}

interface Incoming {
  request: FastifyRequest;
  transport: GraphQLTransport;
}

interface IncomingBody extends Incoming {
  body: unknown;
  operations: OperationRequest[];
  weight: Weight;
}

interface IncomingOperation extends Incoming {
  /** Undefined on a socket, which takes the turn when it executes the operation. */
  turn?: Turn;
  params: OperationRequest;
  text: string;
  actor: Actor | null;
  /** Set when mercurius has validated the document. */
  prepared?: PreparedOperation;
}

export interface Execution extends PreparedOperation {
  contextValue: GraphQLContext;
}

/** An operation that mercurius runs, for its hooks. */
interface Running extends RunningQuery {
  text: string;
  actor: Actor | null;
  /** Undefined if the stages of the operation are over. */
  incoming?: IncomingOperation;
  onlyPrepare?: boolean;
  /** Ends a large operation. */
  end?: (() => void) | undefined;
}

export type Engine = Awaited<ReturnType<typeof graphqlEngine>>;

const NO_WEIGHT: Weight = { operations: 0, cost: 0 };

/** Ends the preparation of an operation of a socket before mercurius executes it. */
const PREPARED = new Error('prepared');

/** Returns the stages and the execution of GraphQL operations, for both transports. */
export async function graphqlEngine(app: FastifyInstance, options: EngineOptions) {
  const { schema, documents, limits, maxBatch, openIntrospection, introspection, stages } = options;
  const parseOptions = { maxTokens: limits.tokens };
  const turnOf = operationQueue(app, options.costUnderWay);
  const withLeaves = leavesOf(schema);

  /** Registers mercurius in its own scope, without routes and sockets: docs/architecture.md, "The packages and their work". */
  async function instance(cache: number | false): Promise<FastifyInstance['graphql']> {
    let graphql: FastifyInstance['graphql'] | undefined;
    await app.register(async (scope) => {
      // Without `jit`: graphql-jit 0.8 compiles documents to JavaScript, and a literal in a document can inject code.
      await scope.register(mercurius, {
        schema,
        routes: false,
        graphiql: false,
        cache,
        graphql: { parseOptions, validateOptions: { maxErrors: MAX_ERRORS } },
        validationRules: introspection ? [] : [NoSchemaIntrospectionCustomRule],
        // The transports format errors, because they have the log of the request.
        errorFormatter: ({ data, errors }) => ({ statusCode: 200, response: { data, errors } as never }),
      });
      graphql = scope.graphql;
    });
    const made = graphql as FastifyInstance['graphql'];
    made.addHook('preExecution', runPreparedStages);
    // Before the validation, whose time is not linear, and before the document is cached.
    made.addHook('preValidation', async (_schema, document, context) => {
      const { text, actor } = runningIn(context);
      // mercurius reads a text that is no document as JSON, which has no instances.
      if (!((document as DocumentNode | null)?.loc instanceof Location)) parse(text, parseOptions);
      storeLocations(document);
      refuse(checkDocument(document, limits));
      refuse(conditionalRoots(document));
      if (cache && actor) shares.add(text, actor.id, document.tokenCount ?? 0);
    });
    return made;
  }
  const [caching, uncached] = [await instance(MAX_CACHED_DOCUMENTS), await instance(false)];
  // Replacing the schema empties the caches of mercurius.
  const shares = documentShares(() => caching.replaceSchema(schema));

  const own = {
    operation: () => (incoming: IncomingBody) => {
      incoming.operations = readBody(incoming.body, maxBatch);
      incoming.weight = weightOf(incoming.operations);
    },
    document: () => (incoming: IncomingOperation) => {
      incoming.text = documents.textOf(incoming.params);
      if (incoming.transport === 'sockets' && Buffer.byteLength(incoming.text) > limits.subscribe)
        throw new Failure('PAYLOAD_TOO_LARGE', `A document on a socket must have at most ${limits.subscribe} bytes.`);
    },
    // Rejects an anonymous caller before the document is validated, unless it is public introspection.
    caller: () => async (incoming: IncomingOperation) => {
      const { request, transport } = incoming;
      try {
        incoming.actor = transport === 'GraphQL' ? await app.core.authenticate(request) : request.actor;
        if (incoming.actor) return;
      } catch (error) {
        // A mistake of syntax comes first.
        parse(incoming.text, parseOptions);
        throw error;
      }
      const document = parse(incoming.text, parseOptions);
      if (!openIntrospection || !isIntrospection(document)) authenticated(incoming);
      // Aliases would multiply the answer.
      refuse(checkDocument(document, limits, 0));
    },
    'document-validity': () => (incoming: Pick<IncomingOperation, 'prepared'>) => {
      if (incoming.prepared) refuse(checkOperation(incoming.prepared, limits));
    },
  } satisfies Pick<StagesOf<'core'>, EngineStage>;
  const all: Stages = { ...own, ...stages };
  const waysOn = (on: 'GraphQL' | 'sockets') => ({
    message: wayOf<'message', IncomingBody>(all, 'message', { on }),
    document: wayOf<'document', IncomingOperation>(all, 'document', { on }),
    reading: wayOf<'ready', IncomingOperation>(all, 'ready', { on, writes: false }),
    writing: wayOf<'ready', IncomingOperation>(all, 'ready', { on, writes: true }),
    beforeWrite: wayOf<'before write', Checked>(all, 'before write', { on }),
  });
  const ways = { GraphQL: waysOn('GraphQL'), sockets: waysOn('sockets') };

  /** mercurius calls it before each execution. */
  async function runPreparedStages(_schema: GraphQLSchema, document: DocumentNode, context: object) {
    const running = runningIn(context);
    const { incoming, onlyPrepare } = running;
    if (!incoming) return withLeaves(running);
    const { request, params, transport } = incoming;
    const { operationName, variables = {} } = params;
    const operation = selectedOperation(schema, document, operationName, transport);
    running.prepared = incoming.prepared = { schema, document, operation, operationName, variableValues: variables };
    const { reading, writing, beforeWrite } = ways[transport];
    await walk(operation.operation === 'mutation' ? writing : reading, incoming);
    // No field of it counts the request.
    if (isIntrospection(document)) await walk(beforeWrite, { request, contentIssues: () => NO_ISSUES });
    if (incoming.actor) documents.ran(params, incoming.text);
    if (onlyPrepare) throw PREPARED;
    running.end = await incoming.turn?.enter(incoming.prepared);
    return withLeaves(running);
  }

  async function run(
    context: Partial<GraphQLContext>,
    running: Running,
    { variables = {}, operationName }: Pick<OperationRequest, 'variables'> & { operationName?: string | undefined },
  ): Promise<ExecutionResult> {
    context[RUNNING] = running;
    const { text, actor } = running;
    const graphql = actor && shares.has(text, actor.id) ? caching : uncached;
    try {
      return (await graphql(text, context as never, variables, operationName)) as ExecutionResult;
    } catch (error) {
      const { code, errors } = error as { code?: string; errors?: readonly GraphQLError[] };
      if (code !== 'MER_ERR_GQL_VALIDATION' || !errors) throw error;
      // One more shows that others are left out.
      throw new DocumentErrors(errors.slice(0, MAX_ERRORS + 1).map(withoutValue));
    } finally {
      running.end?.();
    }
  }

  return {
    turnOf,

    /** Runs the work of a prepared operation in its turn. */
    async inTurn<T>(execution: Execution, work: () => Promise<T>): Promise<T> {
      const turn = turnOf(execution.contextValue.call);
      try {
        await turn.enter(execution);
        return await work();
      } finally {
        turn.leave();
      }
    },

    /** Reads the operations of a message, and counts them for the address. @throws Failure BAD_REQUEST, RATE_LIMITED */
    async read(message: Incoming & { body: unknown }): Promise<OperationRequest[]> {
      const incoming: IncomingBody = Object.assign({ operations: [], weight: NO_WEIGHT }, message);
      await walk(ways[incoming.transport].message, incoming);
      return incoming.operations;
    },

    /** Finds the text and the caller. @throws for an unreadable document (400, 413); Failure UNAUTHENTICATED */
    async identify(operation: Incoming & Pick<IncomingOperation, 'params' | 'turn'>): Promise<IncomingOperation> {
      const incoming: IncomingOperation = Object.assign({ text: '', actor: null }, operation);
      await walk(ways[incoming.transport].document, incoming);
      return incoming;
    },

    /** Runs a query or a mutation. The context must be new, because mercurius writes into it. @throws as `prepare` */
    run(incoming: IncomingOperation, contextValue: GraphQLContext): Promise<ExecutionResult> {
      const { text, actor, params } = incoming;
      return run(contextValue, { text, actor, incoming }, params);
    },

    /**
     * Passes an operation through all stages before its resolvers.
     * @throws in this order: mistakes of the document (400), FORBIDDEN, RATE_LIMITED
     */
    async prepare(incoming: IncomingOperation): Promise<PreparedOperation> {
      const { text, actor, params } = incoming;
      try {
        const { errors = [] } = await run({}, { text, actor, incoming, onlyPrepare: true }, params);
        throw new DocumentErrors(errors);
      } catch (error) {
        if (error === PREPARED && incoming.prepared) return incoming.prepared;
        throw error;
      }
    },

    /** Executes a prepared query or mutation. */
    execute(execution: Execution): Promise<ExecutionResult> {
      const { document, contextValue, variableValues: variables, operationName } = execution;
      const running = { text: textOf(document), actor: contextValue.call.actor, prepared: execution };
      return run(contextValue, running, { variables, operationName });
    },

    /** Starts a subscription (GraphQL specification, section 6.2.3.1). Resolves to its events or its errors. */
    createSourceEventStream: (execution: Execution) => createSourceEventStream(execution),

    /** Executes one event of a subscription (section 6.2.3.2). mercurius supports only one root value. */
    executeSubscriptionEvent: async (execution: Execution, event: unknown): Promise<ExecutionResult> =>
      execute(Object.assign({ rootValue: event }, execution)),
  };
}

const runningIn = (context: object): Running => (context as GraphQLContext)[RUNNING] as Running;

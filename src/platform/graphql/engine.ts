/** Takes a GraphQL request through its stages up to the execution. The POST route and the socket use it. @module */

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createSourceEventStream, type ExecutionResult, execute, GraphQLError } from 'graphql';
import mercurius from 'mercurius';
import { type Actor, authenticated } from '../calls/access.js';
import { refuseExcess } from '../limits/rate-limit.js';
import { EXECUTION, type GraphQLContext } from './context.js';
import { type OperationRequest, readBody, weightOf } from './documents.js';
import {
  type CheckOptions,
  operationChecker,
  type ParsedDocument,
  type PreparedOperation,
  type Transport,
} from './operation-check.js';

interface EngineOptions extends CheckOptions {
  maxBatch: number;
  /** True if a document with only introspection needs no credential. */
  openIntrospection: boolean;
}

const TRANSPORT_NAMES = { post: 'GraphQL', socket: 'sockets' } as const satisfies Record<Transport, string>;

interface Incoming {
  request: FastifyRequest;
  transport: Transport;
}

interface IncomingBody extends Incoming {
  body: unknown;
  operations: OperationRequest[];
}
interface IncomingOperation extends Incoming {
  params: OperationRequest;
  parsed: ParsedDocument;
  actor: Actor | null;
  prepared: PreparedOperation;
}

export interface Execution extends PreparedOperation {
  contextValue: GraphQLContext;
}

export type Engine = Awaited<ReturnType<typeof graphqlEngine>>;

/**
 * The only document that mercurius parses, because it would cache the documents of all callers. A hook replaces it by
 * the prepared operation.
 */
const PLACEHOLDER = '{ __typename }';

/** Returns the stages and the execution of GraphQL operations, for both transports. */
export async function graphqlEngine(app: FastifyInstance, options: EngineOptions) {
  const { schema, maxBatch, openIntrospection } = options;
  const checker = operationChecker(options);

  // Without `jit`: graphql-jit 0.8 compiles documents to JavaScript, and a literal in a document can inject code.
  await app.register(mercurius, {
    schema,
    routes: false,
    graphiql: false,
    cache: 1,
    // The transports format errors, because they have the log of the request.
    errorFormatter: ({ data, errors }) => ({ statusCode: 200, response: { data, errors } as never }),
  });
  app.graphql.addHook('preExecution', async (_schema, _placeholder, context) => {
    const { document, variableValues } = (context as unknown as GraphQLContext)[EXECUTION] as Execution;
    return { document, variables: variableValues };
  });

  const bodyStages = app.handlerStages<IncomingBody>({
    operation: (one) => {
      one.operations = readBody(one.body, maxBatch);
    },
    weight: ({ request, operations }) => app.weighRequest(request, weightOf(operations)),
  });
  const operationStages = app.handlerStages<IncomingOperation>({
    document: (one) => {
      one.parsed = checker.parse(one.params, one.transport);
    },
    // Rejects an anonymous caller before the document is validated, unless it is public introspection.
    caller: async (one) => {
      one.actor = one.transport === 'post' ? await app.authenticate(one.request) : one.request.actor;
      if (!(openIntrospection && one.parsed.isIntrospection)) authenticated(one);
    },
    'document-validity': (one) => {
      one.prepared = checker.check(one.params, one.parsed, one.actor, one.transport);
    },
    'own-origin': ({ prepared, request }) => {
      if (prepared.operation.operation === 'mutation') app.refuseForeignCookie(request);
    },
    rate: async ({ parsed, request }) => {
      if (parsed.isIntrospection) refuseExcess(await app.countRequest(request));
    },
  });

  return {
    /** Reads the operations of a message, and counts them for the address. @throws Failure BAD_REQUEST, RATE_LIMITED */
    async read(message: Incoming & { body: unknown }): Promise<OperationRequest[]> {
      const { operations } = await runStages(bodyStages[TRANSPORT_NAMES[message.transport]], message);
      return operations;
    },

    /**
     * Passes an operation through all stages before its resolvers.
     * @throws in this order: unreadable documents (400, 413), UNAUTHENTICATED, other mistakes (400), FORBIDDEN
     */
    async prepare(operation: Incoming & { params: OperationRequest }): Promise<PreparedOperation> {
      const { prepared } = await runStages(operationStages[TRANSPORT_NAMES[operation.transport]], operation);
      return prepared;
    },

    /** Executes a query or a mutation. The context must be new, because mercurius writes into it. */
    async execute(execution: Execution): Promise<ExecutionResult> {
      const { contextValue, operationName } = execution;
      contextValue[EXECUTION] = execution;
      const context = contextValue as object as Record<string, unknown>;
      const running = app.graphql(PLACEHOLDER, context, undefined, operationName);
      return withinBytes(execution, running as Promise<ExecutionResult>);
    },

    /** Starts a subscription (GraphQL specification, section 6.2.3.1). Resolves to its events or its errors. */
    createSourceEventStream: (execution: Execution) => createSourceEventStream(execution),

    /** Executes one event of a subscription (section 6.2.3.2). mercurius supports only one root value. */
    async executeSubscriptionEvent(execution: Execution, event: unknown): Promise<ExecutionResult> {
      try {
        return await withinBytes(execution, execute(Object.assign({ rootValue: event }, execution)));
      } finally {
        execution.contextValue.call.rows?.release();
      }
    },
  };
}

/** Replaces the result of a query that read too many bytes of rows. A mutation may have written. */
async function withinBytes(
  { contextValue: { call }, operation }: Execution,
  running: ExecutionResult | Promise<ExecutionResult>,
): Promise<ExecutionResult> {
  const result = await running;
  const failure = operation.operation === 'mutation' ? undefined : call.rows?.failure();
  return failure ? { errors: [new GraphQLError(failure.message, { originalError: failure })] } : result;
}

async function runStages<Given extends object, Found extends Given>(
  stages: readonly ((one: Found) => unknown)[],
  given: Given,
): Promise<Found> {
  const one = Object.assign({}, given) as Found;
  for (const stage of stages) await stage(one);
  return one;
}

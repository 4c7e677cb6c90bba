import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
} from 'graphql';
import { type Context, MessageType, makeServer, type SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { authenticated } from '../services/access.js';
import { Failure } from '../services/errors.js';
import type { Services } from '../services/index.js';
import { ChannelSource } from './channel-source.js';
import { CLOSE, type Connection, connection } from './connection.js';
import type { Documents } from './documents.js';
import type { ErrorFormatter } from './errors.js';
import { lifetime } from './lifetime.js';
import { asGraphQLErrors, type CheckOptions, contextOf, documentChecker, formatted } from './operation.js';
import { documentReader, readOperation } from './request.js';
import { selectionKey } from './selection-key.js';
import { openSockets, type SocketLimits } from './sockets.js';
import { type Selection, subscriptions } from './subscriptions.js';

export interface SocketOptions extends CheckOptions {
  schema: GraphQLSchema;
  services: Services;
  documents: Documents;
  format: ErrorFormatter;
  socketLimits: SocketLimits;
  /** Milliseconds since the epoch. */
  now: () => number;
}

interface Extra extends Record<PropertyKey, unknown> {
  connection: Connection;
}
type Socket = Context<Record<string, unknown>, Extra>;

/**
 * Serves graphql-transport-ws: the protocol is graphql-ws' matter, who may do what is that of the services, and the events are
 * those of `subscriptions`.
 */
export function socketServer(app: FastifyInstance, options: SocketOptions) {
  const { schema, services, documents, format, socketLimits: limits, now } = options;
  const read = documentReader(options.limits.tokens, 'socket');
  const check = documentChecker(options);
  const live = subscriptions({ services, format, log: app.log });
  const sockets = openSockets({ limits, isRevoked: services.isRevoked, now, log: app.log });
  const unsubscribe = services.revocations.onRevoked(sockets.revoked);
  /** What graphql-ws is to run for a subscription, between its two hooks. */
  const selections = new WeakMap<object, { id: string; connection: Connection; selection: Selection }>();

  async function prepare(
    { extra: { connection: one }, subscriptions: open }: Socket,
    id: string,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | readonly GraphQLError[]> {
    // The one that is asked for is counted already.
    if (Object.keys(open).length > limits.operations) {
      throw new Failure('BAD_REQUEST', `A socket takes ${limits.operations} operations at a time.`);
    }
    const request = one.operationRequest();
    await app.countRequest(request);
    const operation = readOperation(payload);
    const query = documents.textOf(operation);
    const document = read(query, operation.operationName);
    const context = () => contextOf(app, request, services);
    check(document, operation, context());
    documents.ran(operation, query);
    const args = { schema, document, operationName: operation.operationName, variableValues: operation.variables };
    const toRun = { ...args, contextValue: context() };
    if (getOperationAST(document, operation.operationName)?.operation !== 'subscription') return toRun;
    const source = await createSourceEventStream(toRun);
    if (!(source instanceof ChannelSource)) return (source as { errors: GraphQLError[] }).errors;
    const key = selectionKey(document, { ...operation, query }, authenticated({ actor: request.actor }).role);
    selections.set(toRun, { id, connection: one, selection: { source, key, args, context } });
    return toRun;
  }

  const server = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: limits.initTimeout,
    async onConnect({ extra: { connection: one }, connectionParams, subscriptions: open }) {
      Object.setPrototypeOf(open, null); // an id is any string: `constructor` is not in use yet
      try {
        sockets.add(one, await one.authenticate(connectionParams));
        return true;
      } catch (error) {
        one.refuse(error);
        return false;
      }
    },
    async onSubscribe(context, id, payload) {
      const one = context.extra.connection;
      if (sockets.isExpired(one)) {
        one.close(CLOSE.forbidden, 'The credential has expired.');
        return [new GraphQLError('The credential has expired.')];
      }
      return prepare(context, id, payload).catch(asGraphQLErrors);
    },
    subscribe(args) {
      const { id, connection: one, selection } = selections.get(args) as NonNullable<ReturnType<typeof selections.get>>;
      const head = `{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":`;
      const send = (rendered: string) => void one.send(`${head}${rendered}}`);
      return lifetime(live.open(selection, { send, drained: one.drained }));
    },
    onNext: ({ extra }, _id, _payload, _args, result) =>
      formatted(result as ExecutionResult, format, extra.connection.log) as never,
    onError: ({ extra }, _id, _payload, errors) =>
      errors.map((error) => format.ofGraphQL(error as GraphQLError, extra.connection.log)),
  });

  app.addHook('preClose', async () => {
    unsubscribe();
    sockets.stop();
  });

  return (socket: WebSocket, request: FastifyRequest): void => {
    const one = connection(app, socket, request);
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send: one.send,
        close: one.close,
        onMessage(receive) {
          socket.on('message', (data) => {
            sockets.heard(one);
            // A socket that is being closed is still heard for a while.
            if (one.isOpen()) receive(String(data)).catch((error: unknown) => failed(one, error));
          });
        },
        onPing: (payload) => one.renew(payload).then(() => one.send(`{"type":"${MessageType.Pong}"}`), one.refuse),
      },
      { connection: one },
    );
    socket.on('pong', () => sockets.heard(one));
    socket.once('close', (code, reason) => {
      sockets.remove(one);
      void closed(code, String(reason));
    });
  };
}

/** graphql-ws throws for a message of the protocol that only a server sends. */
function failed(one: Connection, error: unknown): void {
  const isForeign = error instanceof Error && error.message.startsWith('Unexpected message of type');
  if (isForeign) one.close(CLOSE.badMessage, 'Not a message of a client.');
  else one.refuse(error);
}

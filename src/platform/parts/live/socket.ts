import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DocumentNode, ExecutionResult, GraphQLError } from 'graphql';
import { type Context, MessageType, makeServer, type SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { authenticated } from '../../core/calls/access.js';
import { Failure } from '../../core/calls/errors.js';
import { contextOf } from '../../core/graphql/context.js';
import { type OperationRequest, tokensOfAll, withOwnDocument } from '../../core/graphql/documents.js';
import type { Engine, Execution } from '../../core/graphql/engine.js';
import { asGraphQLErrors, codesOf, type ErrorFormatter, formatResult, limitErrors } from '../../core/graphql/errors.js';
import type { Limits } from '../../core/graphql/limits.js';
import { aboutRequest, lineKind, recordRefusals } from '../../core/http/about-request.js';
import { callerOf, type ServedServices } from '../../core/http/call.js';
import type { Generation } from '../../database/generation.js';
import { background } from './background.js';
import {
  CLOSE,
  failed,
  MAX_ID_LENGTH,
  MAX_QUEUED_BYTES,
  messageFault,
  type SocketConnection,
  socketConnection,
} from './connection.js';
import type { EntryJson, Schedule } from './feed.js';
import { markOperation, type Operations, type Results } from './operation-marks.js';
import { type SocketLimits, socketRegistry } from './sockets.js';
import { StreamSource } from './streams.js';
import { emptyResults, type Selection, selectionKey, subscriptionResults, subscriptions } from './subscriptions.js';

export interface SocketOptions {
  services: ServedServices;
  engine: Engine;
  documentLimits: Limits;
  format: ErrorFormatter;
  limits: SocketLimits;
  /** Tells of a restored database. */
  onReplaced: Generation['onReplaced'];
  now: () => number;
}

interface Extra extends Record<PropertyKey, unknown> {
  connection: SocketConnection;
  documents: Set<{ document: DocumentNode }>;
  open: Operations;
  size: number;
}
type Mark = ReturnType<typeof markOperation>;
type Socket = Context<Record<string, unknown>, Extra>;

/** Multiples of the limits of one document: for all documents of a socket, and for one message. */
const DOCUMENTS_FACTOR = 5;
const MESSAGE_FACTOR = 2;
const INVALID_MESSAGE = 'Invalid message received';
const MESSAGE_END = Buffer.from('}');

/**
 * Serves graphql-transport-ws through graphql-ws. Streams of stored rows share executions in `subscriptions`. Iterators of
 * resolvers go through `subscriptionResults`.
 */
export function socketServer(app: FastifyInstance, options: SocketOptions) {
  const { services, engine, format, limits, now, onReplaced } = options;
  const { tokens, subscribe: maxDocument } = options.documentLimits;
  const live = subscriptions({ engine, format, log: app.log });
  const { revocations } = app.core.seams.identity;
  const sockets = socketRegistry({ revocations, onReplaced, limits, now, log: app.log });
  const pages = background(app.core.seams.limits.places);
  const marks = new WeakMap<object, Mark>();
  /** The operations without a line in the log yet, by their payload. */
  const running = new WeakMap<object, FastifyRequest>();

  /** @param place the number of operations on the socket, including this one */
  async function prepare(
    { extra: { connection, documents, size }, subscriptions: open }: Socket,
    id: string,
    payload: SubscribePayload,
    { place, mark }: { place: number; mark: Mark },
  ): Promise<Execution | readonly GraphQLError[]> {
    if (place > limits.operations)
      throw new Failure(
        'BAD_REQUEST',
        `A socket takes ${limits.operations} operations at a time. Complete one, or open another socket.`,
      );
    await sockets.admit(connection);
    const request = connection.operationRequest();
    running.set(payload, request);
    const [params] = await engine.read({ request, transport: 'sockets', body: payload });
    await app.core.seams.limits.count(request);
    const incoming = { request, transport: 'sockets', params: params as OperationRequest } as const;
    const prepared = withOwnDocument(await engine.prepare(await engine.identify(incoming)), documents);
    const over = new AbortController();
    const isSubscription = prepared.operation.operation === 'subscription';
    const context = () => contextOf(request, services, { ended: connection.ended, signal: over.signal });
    const toRun = { ...prepared, contextValue: context() };
    marks.set(toRun, mark);
    connection.ended.throwIfAborted();
    if (!isSubscription) return toRun;
    if (size > MESSAGE_FACTOR * maxDocument)
      throw new Failure(
        'PAYLOAD_TOO_LARGE',
        `The message of a subscription must have at most ${MESSAGE_FACTOR * maxDocument} bytes.`,
      );
    const { document } = prepared;
    if (tokensOfAll(document, ...[...documents].map((document) => document.document)) > DOCUMENTS_FACTOR * tokens)
      throw new Failure(
        'BAD_REQUEST',
        `The documents of a socket must have at most ${DOCUMENTS_FACTOR * tokens} tokens together. Open another socket.`,
      );
    const entry = { document };
    documents.add(entry);
    over.signal.addEventListener('abort', () => documents.delete(entry));
    const onEnd = () => over.abort();
    try {
      const source = await engine.createSourceEventStream(toRun);
      if (!(Symbol.asyncIterator in source)) {
        onEnd();
        return source.errors as GraphQLError[];
      }
      let results: Results;
      if (source instanceof StreamSource) {
        const key = selectionKey(prepared, authenticated(request), source);
        const shared = () => contextOf(request, services);
        // All subscribers of a shared selection get the same bytes, so they contain no data of a request.
        const errors = { log: app.log, address: app.core.publicOrigin ?? '' };
        const selection = { source, key, prepared, context: source.isShared ? shared : context, errors };
        results = follow(connection, open, id, selection, { ...pages(callerOf(request)), onEnd });
      } else results = ownEvents(connection, source, { prepared, context, onEnd });
      mark.keep(results);
      // graphql-ws keeps the message until the subscription ends.
      for (const member of Object.keys(payload)) Reflect.deleteProperty(payload, member);
      // The client may have completed the operation, or closed the socket, in the meantime.
      if (!mark.isOpen() || !connection.isOpen()) await results.return?.();
      return toRun;
    } catch (error) {
      onEnd();
      throw error;
    }
  }

  const runInTurn = (execution: Execution, work: () => Promise<ExecutionResult>) =>
    engine.inTurn(execution, () => app.core.seams.limits.places.runOn(work));

  const ownEvents = (
    connection: SocketConnection,
    source: AsyncIterable<unknown>,
    { prepared, context, onEnd }: Pick<Selection, 'prepared' | 'context'> & { onEnd: () => void },
  ) =>
    subscriptionResults({
      source,
      execute: (event) => {
        const execution = { ...prepared, contextValue: context() };
        return runInTurn(execution, () => engine.executeSubscriptionEvent(execution, event));
      },
      drained: connection.drained,
      onEnd,
      onFault: (err) => connection.log.warn({ err }, 'what a subscription subscribed to could not be ended'),
    });

  type Scheduled = Schedule & { onEnd: () => void };
  function follow(connection: SocketConnection, open: Operations, id: string, selection: Selection, timing: Scheduled) {
    const head = Buffer.from(`{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":`);
    function send(rendered: EntryJson): void {
      const message = Buffer.concat([head, rendered, MESSAGE_END]);
      connection.send(message.length > MAX_QUEUED_BYTES ? refuseResult(connection, open, id) : message);
    }
    const { isDrained, drained } = connection;
    return emptyResults(live.open(selection, { send, isDrained, drained, ...timing }), timing.onEnd);
  }

  const server = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: limits.initTimeout,
    async onConnect({ extra, connectionParams, subscriptions: open }) {
      const { connection } = extra;
      extra.open = open;
      try {
        await sockets.add(connection, await connection.authenticate(connectionParams));
        return true;
      } catch (error) {
        connection.refuse(error);
        return false;
      }
    },
    async onSubscribe(context, id, payload) {
      if (id.length > MAX_ID_LENGTH) {
        context.extra.connection.close(
          CLOSE.badMessage,
          `\`id\` of subscribe must have at most ${MAX_ID_LENGTH} characters.`,
        );
        return [];
      }
      // Counted on arrival. Later operations do not count for this one.
      const place = Object.keys(context.subscriptions).length;
      const mark: Mark = markOperation(context.subscriptions, id, () => writeLine(payload));
      const prepared = app.core.seams.limits.places
        .run(context.extra.connection.upgrade, () => prepare(context, id, payload, { place, mark }))
        .catch(asGraphQLErrors);
      return mark.settle(prepared);
    },
    execute(args) {
      const execution = args as Execution;
      const result = runInTurn(execution, () => engine.execute(execution));
      return (marks.get(execution) as Mark).settle(result);
    },
    subscribe: (args) => marks.get(args)?.results() as Results,
    onNext({ extra: { connection } }, _id, payload, _args, result) {
      const request = requestOf(connection, payload);
      const answer = formatResult(result as ExecutionResult, format, { ...connection.errorContext, request });
      recordRefusals(request, codesOf(answer));
      return answer as never;
    },
    onError({ extra: { connection }, subscriptions: open }, id, payload, found) {
      // An error ends an operation; graphql-ws would send `complete` after it.
      delete open[id];
      const request = requestOf(connection, payload);
      const context = { ...connection.errorContext, request };
      const errors = found.map((error) => format.formatError(error as GraphQLError, context));
      const codes = codesOf({ errors });
      recordRefusals(request, codes);
      app.core.seams.observability.countRefused(codes);
      if (codes.includes('RATE_LIMITED')) connection.countExcess();
      writeLine(payload, request);
      return limitErrors(errors);
    },
    onComplete: (_context, _id, payload) => writeLine(payload),
  });

  /** Ends an operation whose result is too large. @returns the message for it, because the result would close the socket */
  function refuseResult(connection: SocketConnection, open: Operations, id: string): string {
    const ended = open[id];
    // graphql-ws would send `complete` after the error.
    delete open[id];
    if (ended && 'return' in ended) void ended.return(undefined);
    const failure = new Failure(
      'PAYLOAD_TOO_LARGE',
      `The result of an operation on a socket must have at most ${MAX_QUEUED_BYTES} bytes. Ask for less, or send the operation with POST.`,
    );
    app.core.seams.observability.countRefused([failure.code]);
    const payload = format.formatThrown(failure, connection.errorContext);
    return JSON.stringify({ id, type: MessageType.Error, payload });
  }

  const requestOf = (connection: SocketConnection, payload: object) =>
    running.get(payload) ?? connection.operationRequest();
  function writeLine(payload: object, request = running.get(payload)): void {
    running.delete(payload);
    if (request)
      app.core.seams.observability.writeLine(request.log, lineKind(request, 200), () => aboutRequest(request));
  }

  app.addHook('preClose', async () => sockets.stop());

  return (socket: WebSocket, request: FastifyRequest): void => {
    const connection = socketConnection(app, socket, request);
    const extra: Extra = { connection, documents: new Set(), open: {}, size: 0 };
    let received = '';
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send(message) {
          if (Buffer.byteLength(message) <= MAX_QUEUED_BYTES) return connection.send(message);
          const { id } = JSON.parse(message) as { id: string };
          connection.send(refuseResult(connection, extra.open, id));
        },
        close: (code = CLOSE.badMessage, reason = '') =>
          connection.close(code, reason === INVALID_MESSAGE ? messageFault(received) : reason),
        onMessage(receive) {
          socket.on('message', (data) => {
            sockets.markAlive(connection);
            if (!connection.isOpen()) return connection.countExcess();
            extra.size = (data as Buffer).length;
            received = String(data);
            receive(received).catch((error: unknown) => failed(connection, error));
            received = '';
          });
        },
        onPong: connection.countExcess,
        async onPing(payload) {
          connection.countExcess();
          if (!connection.isOpen()) return;
          try {
            if (await connection.renew(payload)) await sockets.check(connection);
            connection.send(`{"type":"${MessageType.Pong}"}`);
          } catch (error) {
            connection.refuse(error);
          }
        },
      },
      extra,
    );
    socket.on('pong', () => sockets.markAlive(connection));
    // @fastify/websocket logs each frame that ws refuses as an error of the service.
    socket.removeAllListeners('error').on('error', (err) => connection.log.debug({ err }, 'a socket was refused'));
    const leave = () => {
      sockets.remove(connection);
      void closed();
    };
    socket.once('close', leave);
    connection.ended.addEventListener('abort', leave);
  };
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DocumentNode, ExecutionResult, GraphQLError } from 'graphql';
import { type Context, MessageType, makeServer, type SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { authenticated } from '../../core/calls/access.js';
import { Failure } from '../../core/calls/errors.js';
import { background } from '../../core/calls/schedulers.js';
import { contextOf } from '../../core/graphql/context.js';
import { type OperationRequest, tokensOfAll, withOwnDocument } from '../../core/graphql/documents.js';
import type { Engine, Execution } from '../../core/graphql/engine.js';
import { asGraphQLErrors, codesOf, type ErrorFormatter, formatResult, limitErrors } from '../../core/graphql/errors.js';
import type { Limits } from '../../core/graphql/limits.js';
import { aboutRequest, recordRefusals } from '../../core/http/about-request.js';
import { callerOf, type ServedServices } from '../../core/http/call.js';
import type { Generation } from '../../database/generation.js';
import {
  CLOSE,
  type Connection,
  connection,
  failed,
  MAX_ID_LENGTH,
  MAX_QUEUED_BYTES,
  messageFault,
} from './connection.js';
import type { EntryJson, Schedule } from './feed.js';
import { markOperation, type Operations, type Results } from './operation-marks.js';
import { type SocketLimits, socketRegistry } from './sockets.js';
import { StreamSource } from './streams.js';
import { emptyResults, type Selection, selectionKey, subscriptionResults, subscriptions } from './subscriptions.js';

export interface SocketOptions {
  services: ServedServices;
  /** Tells of a restored database. */
  onReplaced: Generation['onReplaced'];
  engine: Engine;
  limits: Limits;
  format: ErrorFormatter;
  socketLimits: SocketLimits;
  now: () => number;
}

interface Extra extends Record<PropertyKey, unknown> {
  connection: Connection;
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
  const { services, engine, format, socketLimits: limits, now, onReplaced } = options;
  const { tokens, subscribe: maxDocument } = options.limits;
  const live = subscriptions({ engine, format, log: app.log });
  const { revocations } = app.core.seams.identity;
  const sockets = socketRegistry({ revocations, onReplaced, limits, now, log: app.log });
  const pages = background(app.core.seams.limits.places);
  const marks = new WeakMap<object, Mark>();
  /** The operations without a line in the log yet, by their payload. */
  const running = new WeakMap<object, FastifyRequest>();

  /** @param place the number of operations on the socket, including this one */
  async function prepare(
    { extra: { connection: one, documents, size }, subscriptions: open }: Socket,
    id: string,
    payload: SubscribePayload,
    { place, mark }: { place: number; mark: Mark },
  ): Promise<Execution | readonly GraphQLError[]> {
    if (place > limits.operations) {
      throw new Failure(
        'BAD_REQUEST',
        `A socket takes ${limits.operations} operations at a time. Complete one, or open another socket.`,
      );
    }
    await sockets.admit(one);
    const request = one.operationRequest();
    running.set(payload, request);
    const [params] = await engine.read({ request, transport: 'socket', body: payload });
    await app.core.seams.limits.count(request);
    const incoming = { request, transport: 'socket', params: params as OperationRequest } as const;
    const prepared = withOwnDocument(await engine.prepare(await engine.identify(incoming)), documents);
    const over = new AbortController();
    const isSubscription = prepared.operation.operation === 'subscription';
    const context = () => contextOf(request, services, { ended: one.ended, signal: over.signal });
    const toRun = { ...prepared, contextValue: context() };
    marks.set(toRun, mark);
    one.ended.throwIfAborted();
    if (!isSubscription) return toRun;
    if (size > MESSAGE_FACTOR * maxDocument) {
      throw new Failure(
        'PAYLOAD_TOO_LARGE',
        `The message of a subscription must have at most ${MESSAGE_FACTOR * maxDocument} bytes.`,
      );
    }
    const { document } = prepared;
    if (tokensOfAll(document, ...[...documents].map((one) => one.document)) > DOCUMENTS_FACTOR * tokens)
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
        results = followed(one, open, id, selection, { ...pages(callerOf(request)), onEnd });
      } else results = ownEvents(one, source, { prepared, context, onEnd });
      mark.keep(results);
      // graphql-ws keeps the message until the subscription ends.
      for (const member of Object.keys(payload)) Reflect.deleteProperty(payload, member);
      // The client may have completed the operation, or closed the socket, in the meantime.
      if (!mark.isOpen() || !one.isOpen()) await results.return?.();
      return toRun;
    } catch (error) {
      onEnd();
      throw error;
    }
  }

  const ownEvents = (
    one: Connection,
    source: AsyncIterable<unknown>,
    { prepared, context, onEnd }: Pick<Selection, 'prepared' | 'context'> & { onEnd: () => void },
  ) =>
    subscriptionResults({
      source,
      execute: (event) => {
        const execution = { ...prepared, contextValue: context() };
        return engine.inTurn(execution, () =>
          app.core.seams.limits.places.runOn(() => engine.executeSubscriptionEvent(execution, event)),
        );
      },
      drained: one.drained,
      onEnd,
      onFault: (err) => one.log.warn({ err }, 'what a subscription subscribed to could not be ended'),
    });

  type Scheduled = Schedule & { onEnd: () => void };
  function followed(one: Connection, open: Operations, id: string, selection: Selection, scheduled: Scheduled) {
    const head = Buffer.from(`{"id":${JSON.stringify(id)},"type":"${MessageType.Next}","payload":`);
    function send(rendered: EntryJson): void {
      const message = Buffer.concat([head, rendered, MESSAGE_END]);
      one.send(message.length > MAX_QUEUED_BYTES ? refuseResult(one, open, id) : message);
    }
    const { isDrained, drained } = one;
    return emptyResults(live.open(selection, { send, isDrained, drained, ...scheduled }), scheduled.onEnd);
  }

  const server = makeServer<Record<string, unknown>, Extra>({
    connectionInitWaitTimeout: limits.initTimeout,
    async onConnect({ extra, connectionParams, subscriptions: open }) {
      const { connection: one } = extra;
      extra.open = open;
      try {
        await sockets.add(one, await one.authenticate(connectionParams));
        return true;
      } catch (error) {
        one.refuse(error);
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
      const result = engine.inTurn(execution, () =>
        app.core.seams.limits.places.runOn(() => engine.execute(execution)),
      );
      return (marks.get(execution) as Mark).settle(result);
    },
    subscribe: (args) => marks.get(args)?.results() as Results,
    onNext({ extra: { connection: one } }, _id, payload, _args, result) {
      const request = requestOf(one, payload);
      const answer = formatResult(result as ExecutionResult, format, { ...one.errorContext, request });
      recordRefusals(request, codesOf(answer));
      return answer as never;
    },
    onError({ extra: { connection: one }, subscriptions: open }, id, payload, found) {
      // An error ends an operation; graphql-ws would send `complete` after it.
      delete open[id];
      const request = requestOf(one, payload);
      const context = { ...one.errorContext, request };
      const errors = found.map((error) => format.formatError(error as GraphQLError, context));
      const codes = codesOf({ errors });
      recordRefusals(request, codes);
      app.core.seams.observability.countRefused(codes);
      if (codes.includes('RATE_LIMITED')) one.countExcess();
      writeLine(payload, request);
      return limitErrors(errors);
    },
    onComplete: (_context, _id, payload) => writeLine(payload),
  });

  /** Ends an operation whose result is too large. @returns the message for it, because the result would close the socket */
  function refuseResult(one: Connection, open: Operations, id: string): string {
    const ended = open[id];
    // graphql-ws would send `complete` after the error.
    delete open[id];
    if (ended && 'return' in ended) void ended.return(undefined);
    const failure = new Failure(
      'PAYLOAD_TOO_LARGE',
      `The result of an operation on a socket must have at most ${MAX_QUEUED_BYTES} bytes. Ask for less, or send the operation with POST.`,
    );
    app.core.seams.observability.countRefused([failure.code]);
    return JSON.stringify({ id, type: MessageType.Error, payload: format.formatThrown(failure, one.errorContext) });
  }

  const requestOf = (one: Connection, payload: object) => running.get(payload) ?? one.operationRequest();
  function writeLine(payload: object, request = running.get(payload)): void {
    running.delete(payload);
    if (request) app.core.seams.observability.writeLine(request.log, () => aboutRequest(request));
  }

  app.addHook('preClose', async () => sockets.stop());

  return (socket: WebSocket, request: FastifyRequest): void => {
    const one = connection(app, socket, request);
    const extra: Extra = { connection: one, documents: new Set(), open: {}, size: 0 };
    let received = '';
    const closed = server.opened(
      {
        protocol: socket.protocol,
        send(message) {
          if (Buffer.byteLength(message) <= MAX_QUEUED_BYTES) return one.send(message);
          const { id } = JSON.parse(message) as { id: string };
          one.send(refuseResult(one, extra.open, id));
        },
        close: (code = CLOSE.badMessage, reason = '') =>
          one.close(code, reason === INVALID_MESSAGE ? messageFault(received) : reason),
        onMessage(receive) {
          socket.on('message', (data) => {
            sockets.markAlive(one);
            if (!one.isOpen()) return one.countExcess();
            extra.size = (data as Buffer).length;
            received = String(data);
            receive(received).catch((error: unknown) => failed(one, error));
            received = '';
          });
        },
        onPong: one.countExcess,
        async onPing(payload) {
          one.countExcess();
          if (!one.isOpen()) return;
          try {
            if (await one.renew(payload)) await sockets.check(one);
            one.send(`{"type":"${MessageType.Pong}"}`);
          } catch (error) {
            one.refuse(error);
          }
        },
      },
      extra,
    );
    socket.on('pong', () => sockets.markAlive(one));
    // @fastify/websocket logs each frame that ws refuses as an error of the service.
    socket.removeAllListeners('error').on('error', (err) => one.log.debug({ err }, 'a socket was refused'));
    const leave = () => {
      sockets.remove(one);
      void closed();
    };
    socket.once('close', leave);
    one.ended.addEventListener('abort', leave);
  };
}

/** The results of subscriptions: shared executions of streams of rows, and events that only one subscriber gets. @module */

import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Actor } from '../../core/calls/access.js';
import { coalesce } from '../../core/calls/schedulers.js';
import type { GraphQLContext } from '../../core/graphql/context.js';
import { documentHash, textOf } from '../../core/graphql/documents.js';
import type { Engine } from '../../core/graphql/engine.js';
import { type ErrorContext, type ErrorFormatter, formatResult, limitErrors } from '../../core/graphql/errors.js';
import type { PreparedOperation } from '../../core/graphql/operation-check.js';
import { toFailure } from '../../core/http/failures.js';
import { type EntryJson, type Feed, type FeedSubscription, feedOf, type Schedule, type Sink } from './feed.js';
import type { Entry, StreamSource } from './streams.js';

/** Caches rendered entries briefly for clients that reconnect together. */
const RENDERED_CACHE = { max: 1000, maxSize: 8 * 1024 * 1024, ttl: 1000 } as const;

const LOG_INTERVAL_MS = 5000;

export interface Selection {
  source: StreamSource;
  key: string;
  prepared: PreparedOperation;
  context: () => GraphQLContext;
  errors: ErrorContext;
}

interface SubscriptionsOptions {
  engine: Pick<Engine, 'executeSubscriptionEvent' | 'inTurn'>;
  format: ErrorFormatter;
  log: FastifyBaseLogger;
}

/** Tracks the subscriptions to durable streams. Equal shared selections of one key have one feed and its executions. */
export function subscriptions({ engine, format, log }: SubscriptionsOptions) {
  const feeds = new Map<string, { feed: Feed; stop: () => void }>();
  const cache = new LRUCache<string, EntryJson, () => Promise<EntryJson>>({
    ...RENDERED_CACHE,
    sizeCalculation: (payload) => payload.length + 1,
    fetchMethod: (_key, _stale, { context: render }) => render(),
  });
  let reportedAt = Number.NEGATIVE_INFINITY;
  // Every feed fails twice a second without a database.
  const onFault = (err: unknown) => {
    if (performance.now() - reportedAt < LOG_INTERVAL_MS) return;
    reportedAt = performance.now();
    log.warn({ err }, 'a stream could not be read; trying again');
  };

  async function render({ prepared, context, errors }: Selection, entry: Entry): Promise<EntryJson> {
    try {
      const execution = { ...prepared, contextValue: context() };
      const result = await engine.inTurn(execution, () => engine.executeSubscriptionEvent(execution, entry));
      return encoded(formatResult(result, format, errors));
    } catch (error) {
      return encoded({ errors: limitErrors(format.formatThrown(error, errors)) });
    }
  }

  function feedFor(name: string, selection: Selection, sink: Sink) {
    const { stream, key, isShared } = selection.source;
    const found = feeds.get(name);
    if (found) return found;
    const { schedule, turn }: Schedule = isShared ? { schedule: (page) => page(), turn: async () => {} } : sink;
    const feed = feedOf({
      schedule,
      turn,
      head: coalesce(() => stream.head(key)),
      lastGiven: stream.lastGiven,
      after: (id, limit) => stream.after(key, id, limit),
      render: isShared
        ? async (entry) =>
            (await cache.fetch(`${entry.id} ${name}`, { context: () => render(selection, entry) })) as EntryJson
        : (entry) => render(selection, entry),
      onFault,
    });
    const unwatch = stream.watch(key, feed.wake);
    const stop = () => {
      unwatch();
      feeds.delete(name);
    };
    feeds.set(name, { feed, stop });
    return { feed, stop };
  }

  return {
    open(selection: Selection, sink: Sink): FeedSubscription {
      const { stream, key, since } = selection.source;
      const { feed, stop } = feedFor(`${stream.name} ${key} ${selection.key}`, selection, sink);
      const { started, leave } = feed.follow(sink, since);
      let left = false;
      return {
        started,
        leave: () => {
          if (left) return;
          left = true;
          leave();
          if (feed.isEmpty()) stop();
        },
      };
    },
  };
}

const encoded = (payload: object): EntryJson => Buffer.from(JSON.stringify(payload));

const known = new WeakMap<DocumentNode, string[]>();

/** The argument that sets the start of a durable stream. It does not change the results. */
const SINCE = 'since';

function variablesOf(schema: GraphQLSchema, document: DocumentNode): string[] {
  const names = new Set<string>();
  const types = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(types, {
    VariableDefinition: () => false,
    Argument: ({ name }) => {
      const isOfRoot = types.getDirective() == null && types.getParentType() === schema.getSubscriptionType();
      return isOfRoot && name.value === SINCE ? false : undefined;
    },
    Variable: ({ name }) => void names.add(name.value),
  });
  visit(document, visitor);
  return [...names].sort();
}

/**
 * Returns a hash that is equal for subscriptions with equal results: document, operation, relevant variables, and role.
 * Each subscription that is not shared has its own.
 */
export function selectionKey(
  { schema, document, operationName, variableValues: variables }: PreparedOperation,
  { role }: Actor,
  { isShared }: Pick<StreamSource, 'isShared'>,
): string {
  if (!isShared) return crypto.randomUUID();
  const names = known.get(document) ?? variablesOf(schema, document);
  known.set(document, names);
  const mattering = names.filter((name) => Object.hasOwn(variables, name)).map((name) => [name, variables[name]]);
  return documentHash(JSON.stringify([role, operationName, mattering, textOf(document)]));
}

interface EventsOptions {
  source: AsyncIterable<unknown>;
  execute: (event: unknown) => Promise<ExecutionResult>;
  /** Resolves when the client is ready for the next result. */
  drained: () => Promise<void>;
  onEnd: () => void;
  onFault: (error: unknown) => void;
}

const DONE = { done: true, value: undefined } as const;

/**
 * Returns the results of a subscription with its own event source. Reads an event when the previous result was sent
 * and the client keeps up. `subscribe` of graphql-js is unsuitable: it passes one context to all
 * events, and cannot end while a generator waits.
 * @throws the error of the source's iterator
 */
export function subscriptionResults({
  source,
  execute,
  drained,
  onEnd,
  onFault,
}: EventsOptions): AsyncIterableIterator<ExecutionResult, void> {
  const iterator = source[Symbol.asyncIterator]();
  let isOver = false;
  let stop = (): void => {};

  function finish(): void {
    isOver = true;
    onEnd();
  }

  async function close(): Promise<void> {
    // The iterator of a readable stream waits for data before it returns.
    if (source instanceof Readable) source.destroy();
    await iterator.return?.();
  }

  function end(): void {
    if (isOver) return;
    finish();
    stop();
    close().catch(onFault);
  }

  async function nextEvent(): Promise<IteratorResult<unknown>> {
    try {
      const next = await iterator.next();
      if (next.done && !isOver) finish();
      return next;
    } catch (error) {
      if (!isOver) finish();
      throw error;
    }
  }

  async function read(): Promise<IteratorResult<ExecutionResult, void>> {
    await drained();
    // A source that never waits must not block other work.
    await nextTurn();
    if (isOver) return DONE;
    const { value } = await nextEvent();
    return isOver ? DONE : { done: false, value: await execute(value) };
  }

  return iteratorOf(
    () =>
      new Promise((resolve, reject) => {
        if (isOver) return resolve(DONE);
        stop = () => resolve(DONE);
        read().then(resolve, (error: unknown) => {
          // The first call settles the promise: `end` would resolve it.
          reject(toFailure(error));
          end();
        });
      }),
    end,
  );
}

/**
 * Returns an iterator for graphql-ws that yields nothing and ends with the subscription to a stream. It rejects if the
 * subscription cannot begin.
 */
export function emptyResults(
  { started, leave }: FeedSubscription,
  onEnd: () => void,
): AsyncIterableIterator<never, void> {
  let finish = (): void => {};
  const ended = new Promise<void>((resolve, reject) => {
    finish = resolve;
    started.catch(reject);
  });
  ended.catch(() => {}); // `next` throws the error
  const end = () => {
    leave();
    onEnd();
    finish();
  };
  return iteratorOf(() => ended.finally(end).then(() => DONE), end);
}

function iteratorOf<T>(next: () => Promise<IteratorResult<T, void>>, end: () => void): AsyncIterableIterator<T, void> {
  const close = async () => {
    end();
    return DONE;
  };
  return {
    next,
    return: close,
    throw: close,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

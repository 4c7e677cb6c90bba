import type { FastifyBaseLogger } from 'fastify';
import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Actor } from '../calls/access.js';
import { coalesced } from '../calls/schedulers.js';
import type { GraphQLContext } from '../graphql/context.js';
import { documentHash, textOf } from '../graphql/documents.js';
import type { Engine } from '../graphql/engine.js';
import { boundedErrors, type ErrorContext, type ErrorFormatter, formatted } from '../graphql/errors.js';
import type { PreparedOperation } from '../graphql/operation-check.js';
import { type Feed, feedOf, type Rendered, type Sink } from './feed.js';
import type { Entry, StreamSource } from './streams.js';

/** Rendered entries are remembered for a moment, for clients that come back together and are shown the same ones. */
const REMEMBERED = { max: 1000, maxSize: 8 * 1024 * 1024, ttl: 1000 } as const;

/** Milliseconds between two lines of the log about the same trouble. */
const QUIET = 5000;

/** What one subscription asked for, checked. */
export interface Selection {
  source: StreamSource;
  /** See `selectionKey`. */
  key: string;
  prepared: PreparedOperation;
  /** A fresh context for each event. */
  context: () => GraphQLContext;
  errors: ErrorContext;
}

interface SubscriptionsOptions {
  engine: Pick<Engine, 'executeSubscriptionEvent'>;
  format: ErrorFormatter;
  log: FastifyBaseLogger;
}

/** The subscriptions to durable streams on this instance. Those to one key with the same selection share one feed, and one execution. */
export function subscriptions({ engine, format, log }: SubscriptionsOptions) {
  const feeds = new Map<string, { feed: Feed; stop: () => void }>();
  const remembered = new LRUCache<string, Rendered, () => Promise<Rendered>>({
    ...REMEMBERED,
    sizeCalculation: (payload) => payload.length + 1,
    fetchMethod: (_key, _stale, { context: render }) => render(),
  });
  let reportedAt = Number.NEGATIVE_INFINITY;
  // While the database is away, every feed says so twice a second.
  const onFault = (err: unknown) => {
    if (performance.now() - reportedAt < QUIET) return;
    reportedAt = performance.now();
    log.warn({ err }, 'a stream could not be read; trying again');
  };

  /** The payload of `next`. */
  async function render({ prepared, context, errors }: Selection, entry: Entry): Promise<Rendered> {
    try {
      const result = await engine.executeSubscriptionEvent({ ...prepared, contextValue: context() }, entry);
      return encoded(formatted(result, format, errors));
    } catch (error) {
      return encoded({ errors: boundedErrors(format.ofThrown(error, errors)) });
    }
  }

  function feedFor(name: string, selection: Selection) {
    const { stream, key } = selection.source;
    const found = feeds.get(name);
    if (found) return found;
    const feed = feedOf({
      head: coalesced(() => stream.head(key)),
      after: (id, limit) => stream.after(key, id, limit),
      render: async (entry) =>
        (await remembered.fetch(`${entry.id} ${name}`, { context: () => render(selection, entry) })) as Rendered,
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
    /** Begins a subscription; see `follow` of a feed. */
    open(selection: Selection, sink: Sink): { joined: Promise<void>; leave: () => void } {
      const { stream, key, since } = selection.source;
      const { feed, stop } = feedFor(`${stream.name} ${key} ${selection.key}`, selection);
      const { joined, leave } = feed.follow(sink, since);
      let left = false;
      return {
        joined,
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

const encoded = (payload: object): Rendered => Buffer.from(JSON.stringify(payload));

const known = new WeakMap<DocumentNode, string[]>();

/** The argument of a subscription's own field that says where a durable stream goes on, and nothing of what is shown. */
const SINCE = 'since';

/** The variables on which the result of an event may depend. */
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
 * The same for all whose events look the same: the same document, operation, variables that matter, and role, or where the
 * stream says so caller. It is short, however long the document and the variables: each subscription has one.
 */
export function selectionKey(
  { schema, document, operationName, variableValues: variables }: PreparedOperation,
  { id, role }: Actor,
  { perCaller }: Pick<StreamSource, 'perCaller'>,
): string {
  const names = known.get(document) ?? variablesOf(schema, document);
  known.set(document, names);
  const mattering = names.filter((name) => Object.hasOwn(variables, name)).map((name) => [name, variables[name]]);
  const caller = perCaller ? [role, id] : [role];
  return documentHash(JSON.stringify([caller, operationName, mattering, textOf(document)]));
}

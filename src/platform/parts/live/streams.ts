/** The streams of rows: a resolver returns a StreamSource, and the socket reads its stored and new entries through a StreamReader. @module */

import { MAX_ID } from '../../core/calls/rows.js';
import { markIncluded } from '../../core/graphql/selection.js';
import type { AnyRow } from '../../core/operations/model.js';
import {
  type DeclaredModels,
  delegateOf,
  type ModelData,
  type ModelStream,
  type ModelStreams,
} from '../../core/operations/model-data.js';
import { scopedArgs } from '../../core/operations/read-scope.js';
import type { PrismaClient } from '../../database/client.js';
import type { Signals } from '../../database/commit-signals.js';

/** The interval of polls, which compensate for lost signals. */
const POLL_INTERVAL_MS = 5000;

const ALL_ROWS = 'all';

/** Ids become visible in ascending order, because an entry gets its id under a lock that its commit releases. */
export interface Entry {
  readonly id: number;
}

interface StreamReader {
  readonly name: string;
  readonly after: (key: string, id: number, limit: number) => Promise<readonly Entry[]>;
  readonly head: (key: string) => Promise<number>;
  /** Returns the last id that any row got, which may be deleted. */
  readonly lastGiven: () => Promise<number>;
  /** @param onEntry gets the newest known id @returns a function that ends the watch */
  readonly watch: (key: string, onEntry: (head: number) => void) => () => void;
}

/**
 * The source of a subscription to a stream. The socket reads its entries, and never iterates the source.
 */
export class StreamSource implements AsyncIterable<never> {
  readonly stream: StreamReader;
  readonly key: string;
  /** The id after which the subscription begins; undefined for new entries only. */
  readonly since: number | undefined;
  /** True if subscribers of one role and selection get the same results. */
  readonly isShared: boolean;

  constructor(stream: StreamReader, key: string, since: number | undefined, isShared: boolean) {
    this.stream = stream;
    this.key = key;
    this.since = since;
    this.isShared = isShared;
  }

  [Symbol.asyncIterator](): never {
    throw new Error('A StreamSource cannot be iterated.');
  }
}

interface StreamsOptions {
  models: DeclaredModels;
  client: PrismaClient;
  signals: Signals;
  onFault: (error: unknown) => void;
}

/**
 * Makes the streams of all models that declare one, without gaps or repetitions on any instance. A signal is only a
 * hint with id and key: it may be repeated or lost. Subscribers read the table.
 */
export async function modelStreams({ models, client, signals, onFault }: StreamsOptions) {
  const watched = new Map<string, WatchedStream>();
  const streams = new Map<string, ModelStream>();
  for (const data of models.all) {
    if (!data.model.stream) continue;
    const stream = watchedStream(data, client);
    const { name } = stream.reader;
    if (!/^\w+$/.test(name) || watched.has(name)) throw new Error(`"${name}" is not a unique stream name.`);
    watched.set(name, stream);
    streams.set(data.model.name, modelStream(data, stream, signals));
  }
  const onSignal = (payload: string) => {
    const [, name = '', id, key = ''] = /^(\S+) (\d+) (.*)$/s.exec(payload) ?? [];
    watched.get(name)?.notify(key, Number(id));
  };
  const poll = () => {
    for (const { poll } of watched.values()) void poll().catch(onFault);
  };
  await signals.listen(onSignal, poll);
  const timer = setInterval(poll, POLL_INTERVAL_MS).unref();
  return {
    streams: streams as ModelStreams,
    async close(): Promise<void> {
      clearInterval(timer);
      await signals.close();
    },
  };
}

type WatchedStream = ReturnType<typeof watchedStream>;

/** Includes the relations of `stream.include`, because a failing resolver would lose the entry for all subscribers. */
function watchedStream(data: ModelData, client: PrismaClient) {
  const { key: member, include = {} } = data.model.stream ?? {};
  const rows = delegateOf(client, data);
  const filterBy = (key: string) => (member === undefined ? {} : { [member]: key });
  const selection = scopedArgs(data, 'findMany', { include }, () => undefined);
  const watchers = new Map<string, Set<(head: number) => void>>();
  const sequenceTable = `public."${data.stored.table}"`;
  const idColumn = data.stored.fields['id']?.column;

  const notify = (key: string, id: number) => {
    for (const watcher of watchers.get(key) ?? []) watcher(id);
  };
  const reader: StreamReader = {
    name: data.stored.table,
    async after(key, id, limit) {
      const where = { ...filterBy(key), id: { gt: Math.min(id, MAX_ID) } };
      const page = { where, orderBy: { id: 'asc' }, take: limit };
      const entries = (await rows.findMany({ ...page, ...selection })) as AnyRow[];
      markIncluded(entries, include);
      return entries;
    },
    async head(key) {
      const newest = await rows.findFirst({ where: filterBy(key), orderBy: { id: 'desc' }, select: { id: true } });
      return (newest as Entry | null | undefined)?.id ?? 0;
    },
    async lastGiven() {
      const [row] = await client.$queryRaw<[{ last: number | null }]>`
        SELECT pg_sequence_last_value(pg_get_serial_sequence(${sequenceTable}, ${idColumn})::regclass)::float8 AS last`;
      return row.last ?? 0;
    },
    watch(key, onEntry) {
      const watchersOfKey = watchers.get(key) ?? new Set();
      watchers.set(key, watchersOfKey.add(onEntry));
      return () => {
        watchersOfKey.delete(onEntry);
        if (watchersOfKey.size === 0 && watchers.get(key) === watchersOfKey) watchers.delete(key);
      };
    },
  };
  const poll = () => Promise.all([...watchers.keys()].map(async (key) => notify(key, await reader.head(key))));
  return { reader, notify, poll };
}

function modelStream({ model, stored }: ModelData, { reader, notify }: WatchedStream, signals: Signals): ModelStream {
  const member = model.stream?.key;
  const signalOf = ({ id, key }: { id: number; key: string }) => `${reader.name} ${id} ${key}`;
  return {
    keyOf: (written) => (member === undefined ? ALL_ROWS : String(written[member])),
    lockName: (key) => (member === undefined ? stored.table : key),
    announce: (tx, added) => signals.announce(tx, signalOf(added)),
    committed(added) {
      signals.committed(signalOf(added));
      notify(added.key, added.id);
    },
    from: (key, since, isShared) => new StreamSource(reader, key, since, isShared),
  };
}

import { MAX_ID } from '../calls/pages.js';
import type { PrismaClient } from '../database/client.js';
import type { AnyRow } from '../operations/model.js';
import { type DeclaredModels, delegateOf } from '../operations/model-data.js';
import { type ModelStream, type ModelStreams, markIncluded } from '../operations/model-streams.js';
import { shownMembers } from '../operations/read-scope.js';
import type { durableStreams } from './durable-streams.js';

/** The key of a model whose rows are one stream. */
const ALL_ROWS = 'all';

/**
 * Makes the live streams of the models that declare one. Entries are read with the relations of `stream.include`, where a failure
 * is retried: a failure in a resolver would lose the entry for all subscribers.
 */
export function modelStreams(
  models: DeclaredModels,
  client: PrismaClient,
  durableStream: Awaited<ReturnType<typeof durableStreams>>['durableStream'],
): ModelStreams {
  const streams = new Map<string, ModelStream>();
  for (const data of models.all) {
    const { model, stored } = data;
    if (!model.stream) continue;
    const { key, include = {} } = model.stream;
    const rows = delegateOf(client, data);
    const under = (value: string) => (key === undefined ? {} : { [key]: value });
    const { selection } = shownMembers(data, { include }, () => undefined);
    const stream = durableStream<AnyRow>({
      name: stored.table,
      async newest(keys) {
        const newest = await Promise.all(
          keys.map(async (value) => {
            const found = await rows.findFirst({
              where: under(value),
              orderBy: { id: 'desc' },
              select: { id: true },
            });
            return [value, (found as AnyRow | null | undefined)?.id ?? 0] as const;
          }),
        );
        return new Map(newest);
      },
      async after(value, id, limit) {
        const page = {
          where: { ...under(value), id: { gt: Math.min(id, MAX_ID) } },
          orderBy: { id: 'asc' },
          take: limit,
        };
        const entries = (await rows.findMany({ ...page, ...selection })) as AnyRow[];
        markIncluded(entries, include);
        return { entries, last: entries.at(-1)?.id ?? id, more: entries.length === limit };
      },
    });
    streams.set(model.name, {
      ...stream,
      keyOf: (written) => (key === undefined ? ALL_ROWS : String(written[key])),
      lockName: (value) => (key === undefined ? stored.table : value),
    });
  }
  return streams;
}

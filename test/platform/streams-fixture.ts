import {
  authorise,
  type Call,
  type DurableStream,
  type GraphQLContext,
  type PlatformServices,
} from '../../src/platform/index.js';
import type { Own } from './own-application.js';

export const TABLE =
  'CREATE TABLE entries (id SERIAL PRIMARY KEY, stream TEXT NOT NULL, key TEXT NOT NULL, text TEXT NOT NULL)';

const ANYONE = '@permission(action: "messages.subscribe", viewer: ANY, developer: ANY, admin: ANY)';

const sdl = `
type Query { nothing: String ${ANYONE} }
type Price { id: ID!, value: String!, currency: String! }
type Alarm { id: ID!, text: String!, shownTo: Int! }
type Tick { value: String!, nested: Tick }
type Subscription {
  priceSet(symbol: String!, currency: String, since: ID): Price! ${ANYONE}
  alarmRaised(since: ID): Alarm! ${ANYONE}
  ticks(of: String!): Tick! ${ANYONE}
}
`;

interface Entry {
  id: number;
  text: string;
}

/** What a subscription to `ticks` subscribes to: by its name, whatever a test wants it to be. */
export type Sources = Record<string, (context: GraphQLContext) => unknown>;

/** The key under which all alarms are. */
const ALL = 'all alarms: of every kind';

/** An application with two durable streams and one subscription whose events are nobody else's. */
export function streamsApplication(sources: Sources) {
  /** How often an entry of each stream, and an event, was executed. */
  const shown = { prices: 0, alarms: 0, ticks: 0 };
  let added: ((stream: 'prices' | 'alarms', key: string, text: string) => Promise<number>) | undefined;

  function services({ client, durableStream }: PlatformServices) {
    const options = (name: string) => ({
      name,
      async newest(keys: readonly string[]) {
        const rows = await client.$queryRaw<{ key: string; id: number }[]>`
          SELECT key, max(id)::int AS id FROM entries WHERE stream = ${name} AND key = ANY(${keys}::text[]) GROUP BY key`;
        return new Map(rows.map(({ key, id }) => [key, id]));
      },
      async after(key: string, id: number, limit: number) {
        const entries = await client.$queryRaw<Entry[]>`
          SELECT id, text FROM entries WHERE stream = ${name} AND key = ${key} AND id > ${id}::int ORDER BY id LIMIT ${limit}::int`;
        return { entries, last: entries.at(-1)?.id ?? id, more: entries.length === limit };
      },
    });
    const streams: Record<'prices' | 'alarms', DurableStream> = {
      prices: durableStream(options('prices')),
      alarms: durableStream({ ...options('alarms'), perCaller: true }),
    };
    added = async (stream, key, text) => {
      const [one] = await client.$transaction(async (db) => {
        await db.$executeRaw`SELECT pg_advisory_xact_lock(7, hashtext(${stream}))`;
        const rows = await db.$queryRaw<Entry[]>`
          INSERT INTO entries (stream, key, text) VALUES (${stream}, ${key}, ${text}) RETURNING id, text`;
        for (const { id } of rows) await streams[stream].announce(db, { id, key });
        return rows;
      });
      const { id } = one as Entry;
      streams[stream].committed({ id, key });
      return id;
    };
    return {
      streams,
      allow: async (call: Call) => {
        authorise(call, 'messages.subscribe');
        await call.checkpoint();
      },
    };
  }

  type Context = GraphQLContext<ReturnType<typeof services>>;
  interface Args {
    symbol: string;
    currency?: string;
    since?: string;
    of: string;
  }
  const since = (args: Args) => (args.since === undefined ? undefined : Number(args.since));
  const resolvers = {
    Subscription: {
      priceSet: {
        async subscribe(_parent: unknown, args: Args, { call, services: { streams, allow } }: Context) {
          await allow(call);
          return streams.prices.from(args.symbol, since(args));
        },
        resolve({ id, text }: Entry, { currency = 'EUR' }: Args) {
          shown.prices++;
          if (text === 'broken') throw new Error('a secret of the resolver');
          return { id, value: text, currency };
        },
      },
      alarmRaised: {
        async subscribe(_parent: unknown, args: Args, { call, services: { streams, allow } }: Context) {
          await allow(call);
          return streams.alarms.from(ALL, since(args));
        },
        resolve({ id, text }: Entry, _args: Args, { call }: Context) {
          shown.alarms++;
          return { id, text, shownTo: call.actor?.id };
        },
      },
      ticks: {
        async subscribe(_parent: unknown, { of }: Args, context: Context) {
          await context.services.allow(context.call);
          return sources[of]?.(context);
        },
        resolve(event: unknown) {
          shown.ticks++;
          if (event === 'broken') throw new Error('a secret of the resolver');
          return { value: String(event), nested: null };
        },
      },
    },
  };
  const own: Own = { sdl, services, resolvers };
  return {
    ...own,
    shown,
    setPrice: (symbol: string, text: string) => (added as NonNullable<typeof added>)('prices', symbol, text),
    raiseAlarm: (text: string) => (added as NonNullable<typeof added>)('alarms', ALL, text),
  };
}

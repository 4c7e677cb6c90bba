import {
  type ApplicationPlatform,
  type Db,
  type GraphQLContext,
  model,
  notWritten,
  type Operation,
  type Row,
  stream,
} from '../../../src/platform/index.js';
import { type Own, route, withoutRow } from '../../support/own-application.js';

const ANYONE = '@permission(action: "messages.subscribe", viewer: ANY, developer: ANY, admin: ANY)';

const sdl = `
type Query { nothing: String ${ANYONE} }
type Price { id: ID!, text: String!, value: String!, currency(code: String): String! }
interface Named { id: ID!, shownTo: Int! }
type Alarm implements Named { id: ID!, title: String!, shownTo: Int!, orders: Int!, sameRole: [Int!]!, again: Alarm! }
type Notice implements Named { id: ID!, shownTo: Int! }
type Comment { id: ID!, author: User! }
type User { id: ID!, name: String!, orders(limit: Int): [Order!]! }
type Order { id: ID! }
type Tick { value: String!, nested: Tick }
type Subscription {
  priceSet(channelId: String!, since: ID): Price! ${ANYONE}
  alarmRaised(since: ID): Alarm! ${ANYONE}
  namedRaised(since: ID): Named! ${ANYONE}
  commentAdded(since: ID): Comment! ${ANYONE}
  ticks(of: String!): Tick! ${ANYONE}
}
`;

const Message = model('Message', { read: 'messages.subscribe', stream: { key: 'channelId' } });
const Post = model('Post', { read: 'messages.subscribe', stream: {} });
const Comment = model('Comment', { read: 'messages.subscribe', stream: { include: { author: true } } });
const Order = model('Order', { read: 'orders.create', owner: (caller) => ({ userId: caller.id }) });

/** The sources of `ticks`, by name. */
export type Sources = Record<string, (operation: Operation) => unknown>;

const shownTo = (_: unknown, __: unknown, { call }: GraphQLContext) => call.actor?.id;

/** An application with three durable streams, and one subscription without a stream. */
export function streamsApplication(sources: Sources) {
  /** The number of executions of an entry and of an event. */
  const shown = { prices: 0, ticks: 0 };
  let transact: ApplicationPlatform['transact'] | undefined;
  const add = (create: (db: Db, authorId: number) => PromiseLike<{ id: number }>): Promise<number> =>
    (transact as ApplicationPlatform['transact'])(async (db) => {
      const { id: authorId } = await db.user.findFirstOrThrow({ orderBy: { id: 'asc' } });
      return (await create(db, authorId)).id;
    });

  const resolvers = {
    Query: { nothing: notWritten },
    Price: {
      value({ text }: Row<'Message'>) {
        shown.prices++;
        if (text === 'broken') throw new Error('a secret of the resolver');
        return text;
      },
      currency: (_: unknown, { code = 'EUR' }: { code?: string }) => code,
    },
    Alarm: {
      shownTo,
      orders: (_: unknown, __: unknown, context: GraphQLContext) => ({ ...context }).db.order.count(),
      sameRole: (_: unknown, __: unknown, { batch, call }: GraphQLContext) =>
        batch(call, 'own', 1, async ({ actor }) => new Map([[1, [actor?.id]]])),
      again: (row: unknown) => row,
    },
    Notice: { shownTo },
    Named: {
      __resolveType: (_: unknown, { call }: GraphQLContext) => (Number(call.actor?.id) % 2 === 0 ? 'Alarm' : 'Notice'),
    },
    Tick: {
      value(event: unknown) {
        shown.ticks++;
        if (event === 'broken') throw new Error('a secret of the resolver');
        return String(event);
      },
      nested: () => null,
    },
    Subscription: {
      priceSet: route({ target: stream(Message) }),
      alarmRaised: route({ target: stream(Post) }),
      namedRaised: route({ target: stream(Post) }),
      commentAdded: route({ target: stream(Comment) }),
      ticks: withoutRow(({ of }: { of: string }, operation) => sources[of]?.(operation)),
    },
  };
  const own: Own = {
    sdl,
    resolvers,
    models: [Message, Post, Comment, Order],
    services(platform) {
      ({ transact } = platform);
      return {};
    },
  };
  return {
    ...own,
    shown,
    setPrice: (channelId: string, text: string) =>
      add((db, authorId) => db.message.create({ data: { channelId, text, authorId } })),
    raiseAlarm: (title: string) => add((db, authorId) => db.post.create({ data: { title, authorId } })),
    /** Creates a comment. */
    comment: (authorId: number) =>
      add(async (db, writer) => {
        const { id: postId } = await db.post.create({ data: { title: 'commented', authorId: writer } });
        return db.comment.create({ data: { text: 'said', postId, authorId } });
      }),
  };
}

import DataLoader from 'dataloader';
import type { GraphQLResolveInfo } from 'graphql';
import type { User } from '../../platform/accounts/users.js';
import type { Call } from '../../platform/calls/access.js';
import { Failure } from '../../platform/calls/errors.js';
import type { OffsetPage } from '../../platform/calls/pages.js';
import { selects } from '../../platform/graphql/selection.js';
import type { Services } from '../../platform/services.js';
import type { Comment } from '../services/comments.js';
import type { Post } from '../services/posts.js';

/** Reads what stands below many parents in one statement for each field, its arguments and the level it stands on. */
export type Loaders = ReturnType<typeof loaders>;

/**
 * Loaders for one operation, or for one event of a subscription. All that is asked for in one turn is asked of the database
 * once. Nothing is kept beyond the turn: a later field of a mutation sees what an earlier one changed.
 */
export function loaders({ users, posts, comments }: Services) {
  type Batch = (call: Call, ids: readonly number[]) => Promise<ReadonlyMap<number, unknown>>;
  const known = new Map<string, DataLoader<number, unknown>>();

  /** @param name says what is read: the same name always comes with the same `batch` */
  async function read<Value>(call: Call, name: string, id: number, batch: Batch): Promise<Value | undefined> {
    await call.checkpoint();
    let loader = known.get(name);
    if (!loader) {
      const readAll = async (ids: readonly number[]) => {
        const found = await batch(call, [...new Set(ids)]);
        return ids.map((one) => found.get(one));
      };
      loader = new DataLoader(readAll, { cache: false });
      known.set(name, loader);
    }
    return loader.load(id) as Promise<Value | undefined>;
  }

  return {
    /** @throws Failure GONE for a user who was deleted since the parent was read */
    async user(call: Call, id: number): Promise<User> {
      const user = await read<User>(call, 'users', id, (one, ids) => users.byIds(one, ids));
      if (user) return user;
      throw new Failure('GONE', 'This user was deleted.');
    },

    async postsOf(call: Call, userId: number, page: OffsetPage, info: GraphQLResolveInfo): Promise<Post[]> {
      const content = selects(info, 'content');
      const name = `posts ${page.limit} ${page.offset} ${content}`;
      const batch: Batch = (one, ids) => posts.byAuthors(one, ids, page, { content });
      return (await read<Post[]>(call, name, userId, batch)) ?? [];
    },

    async commentsOn(call: Call, postId: number, page: OffsetPage): Promise<Comment[]> {
      const name = `comments ${page.limit} ${page.offset}`;
      const batch: Batch = (one, ids) => comments.byPosts(one, ids, page);
      return (await read<Comment[]>(call, name, postId, batch)) ?? [];
    },
  };
}

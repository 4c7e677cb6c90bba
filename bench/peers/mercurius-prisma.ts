import Fastify from 'fastify';
import mercurius from 'mercurius';
import { ready } from './listening.js';
import { commentsOn, postsOf, typeDefs, userById } from './posts.js';

/** Mercurius over Prisma, with its loaders and its JIT compiler. */
interface Asked {
  obj: { id: number };
  params: { limit: number };
}

const app = Fastify();
await app.register(mercurius, {
  schema: typeDefs,
  jit: 1,
  resolvers: { Query: { user: (_: unknown, { id }: { id: string }) => userById(id) } },
  loaders: {
    User: {
      posts: async (asked: Asked[]) => {
        const posts = await postsOf(asked.map(({ obj }) => obj.id));
        return posts.map((some, i) => some.slice(0, asked[i]?.params.limit));
      },
    },
    Post: {
      comments: async (asked: Asked[]) => {
        const comments = await commentsOn(asked.map(({ obj }) => obj.id));
        return comments.map((some, i) => some.slice(0, asked[i]?.params.limit));
      },
    },
  },
} as never);
await app.listen({ port: 0, host: '127.0.0.1' });
ready(app.server);

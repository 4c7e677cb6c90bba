import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import DataLoader from 'dataloader';
import { commentsOn, postsOf, typeDefs, userById } from './posts.js';

/** Apollo Server over Prisma, with a DataLoader per list and request. */
const loaders = () => ({
  posts: new DataLoader(postsOf),
  comments: new DataLoader(commentsOn),
});
type Context = ReturnType<typeof loaders>;
interface Parent {
  id: number;
}
interface Page {
  limit: number;
}

const server = new ApolloServer<Context>({
  typeDefs,
  resolvers: {
    Query: { user: (_: unknown, { id }: { id: string }) => userById(id) },
    User: {
      posts: async ({ id }: Parent, { limit }: Page, { posts }: Context) => (await posts.load(id)).slice(0, limit),
    },
    Post: {
      comments: async ({ id }: Parent, { limit }: Page, { comments }: Context) =>
        (await comments.load(id)).slice(0, limit),
    },
  },
});
const { url } = await startStandaloneServer(server, {
  listen: { port: 0, host: '127.0.0.1' },
  context: async () => loaders(),
});
console.log(`ready http://127.0.0.1:${new URL(url).port}`);

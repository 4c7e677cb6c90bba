import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { graphql } from './gql';

const Users = graphql(`
  query Users($first: Int!) {
    me {
      id
      name
      role
    }
    usersConnection(first: $first) {
      edges {
        node {
          id
          name
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

/** By the typed documents of graphql-codegen's client preset and Apollo Client, out of its cache. */
export async function consume(baseUrl: string, email: string, password: string) {
  const headers = { Authorization: `Basic ${btoa(`${email}:${password}`)}` };
  const link = new HttpLink({ uri: `${baseUrl}/graphql`, headers });
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  await client.query({ query: Users, variables: { first: 2 } });
  const data = client.readQuery({ query: Users, variables: { first: 2 } });
  if (!data?.me || !data.usersConnection) throw new Error('Nobody is logged in.');
  const names: string[] = data.usersConnection.edges.map(({ node }) => node.name);
  // @ts-expect-error there is no such role
  if (data.me.role === 'KING') throw new Error();
  client.stop();
  return { names, more: data.usersConnection.pageInfo.hasNextPage, name: data.me.name, role: data.me.role };
}

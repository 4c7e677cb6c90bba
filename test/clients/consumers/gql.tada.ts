import { Client, fetchExchange } from '@urql/core';
import { initGraphQLTada } from 'gql.tada';
import type { introspection } from './graphql-env';

const graphql = initGraphQLTada<{ introspection: introspection }>();

const Users = graphql(`
  query Users($first: Int!) {
    me {
      name
      role
    }
    usersConnection(first: $first) {
      edges {
        node {
          name
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

/** By documents whose types gql.tada makes as they are written, and urql. */
export async function consume(baseUrl: string, email: string, password: string) {
  const client = new Client({
    url: `${baseUrl}/graphql`,
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers: { Authorization: `Basic ${btoa(`${email}:${password}`)}` } },
  });
  const { data, error } = await client.query(Users, { first: 2 });
  if (!data?.me || !data.usersConnection) throw error ?? new Error('Nobody is logged in.');
  const names: string[] = data.usersConnection.edges.map(({ node }) => node.name);
  // @ts-expect-error there is no such role
  if (data.me.role === 'KING') throw new Error();
  // @ts-expect-error it was not asked for
  data.me.email;
  return { names, more: data.usersConnection.pageInfo.hasNextPage, name: data.me.name, role: data.me.role };
}

import { Client, fetchExchange } from '@urql/core';
import { graphql } from './gql';

const Users = graphql(`
  query Users($first: Int!) {
    usersConnection(first: $first) {
      nodes: edges {
        node {
          name
          posts(limit: 1) {
            createdAt
          }
        }
      }
      pageInfo {
        hasNextPage
      }
    }
    me {
      id
      role
    }
  }
`);

const CreateUser = graphql(`
  mutation CreateUser($input: CreateUserInput!) {
    createUser(input: $input) {
      id
      name
      role
    }
  }
`);

/** By the typed documents of graphql-codegen's client preset and urql. */
export async function consume(baseUrl: string, email: string, password: string) {
  const client = new Client({
    url: `${baseUrl}/graphql`,
    exchanges: [fetchExchange],
    preferGetMethod: false,
    fetchOptions: { headers: { Authorization: `Basic ${btoa(`${email}:${password}`)}` } },
  });
  const { data, error } = await client.query(Users, { first: 2 });
  if (!data?.usersConnection || !data.me) throw error ?? new Error('Nobody is logged in.');
  const names: string[] = data.usersConnection.nodes.map(({ node }) => node.name);
  // @ts-expect-error there is no such role
  if (data.me.role === 'KING') throw new Error();
  // @ts-expect-error it was not asked for
  data.me.email;

  const input = { name: 'Barbara Liskov', email: 'barbara@example.com', role: 'DEVELOPER' } as const;
  const created = await client.mutation(CreateUser, { input });
  const refused = await client.mutation(CreateUser, { input });
  // @ts-expect-error there is no such role
  await client.mutation(CreateUser, { input: { ...input, role: 'KING' } });
  return {
    names,
    more: data.usersConnection.pageInfo.hasNextPage,
    role: data.me.role,
    created: { name: created.data?.createUser?.name, role: created.data?.createUser?.role },
    refused: { data: refused.data, codes: refused.error?.graphQLErrors.map(({ extensions }) => extensions['code']) },
  };
}

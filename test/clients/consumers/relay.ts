import { Environment, fetchQuery, graphql, Network, RecordSource, Store } from 'relay-runtime';
import Users, { type programUsersQuery } from './__generated__/programUsersQuery.graphql';

/** For the compiler alone: what bundles a program puts what was compiled in its place, which here is imported. */
export const written = () => graphql`
  query programUsersQuery($first: Int!) {
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
`;

/** By the artifacts of Relay's compiler, out of Relay's store. */
export async function consume(baseUrl: string, email: string, password: string) {
  const headers = {
    'Content-Type': 'application/json',
    Authorization: `Basic ${btoa(`${email}:${password}`)}`,
  };
  const network = Network.create(async ({ text }, variables) => {
    const body = JSON.stringify({ query: text, variables });
    return (await fetch(`${baseUrl}/graphql`, { method: 'POST', headers, body })).json();
  });
  const environment = new Environment({ network, store: new Store(new RecordSource()) });
  const data = await fetchQuery<programUsersQuery>(environment, Users, { first: 2 }).toPromise();
  if (!data?.me || !data.usersConnection) throw new Error('Nobody is logged in.');
  const names: string[] = data.usersConnection.edges.map(({ node }) => node.name);
  // @ts-expect-error there is no such role
  if (data.me.role === 'KING') throw new Error();
  return { names, more: data.usersConnection.pageInfo.hasNextPage, name: data.me.name, role: data.me.role };
}

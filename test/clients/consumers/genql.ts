import { createClient } from './client';

/** By the client of GenQL, whose queries are objects. */
export async function consume(baseUrl: string, email: string, password: string) {
  const headers = { Authorization: `Basic ${btoa(`${email}:${password}`)}` };
  const client = createClient({ url: `${baseUrl}/graphql`, headers });
  const data = await client.query({
    me: { name: true, role: true },
    usersConnection: { __args: { first: 2 }, edges: { node: { name: true } }, pageInfo: { hasNextPage: true } },
  });
  if (!data.me || !data.usersConnection) throw new Error('Nobody is logged in.');
  const names: string[] = data.usersConnection.edges.map(({ node }) => node.name);
  // @ts-expect-error there is no such role
  if (data.me.role === 'KING') throw new Error();
  return { names, more: data.usersConnection.pageInfo.hasNextPage, name: data.me.name, role: data.me.role };
}

import { createApiClient } from './api';

/** By openapi-zod-client and Zodios, which parses each answer by the schemas that were generated. */
export async function consume(baseUrl: string, username: string, password: string) {
  const client = createApiClient(baseUrl, { axiosConfig: { auth: { username, password } } });
  const users = await client.listUsers({ queries: { after: '', limit: 2 } });
  if (Array.isArray(users)) throw new Error('That is no page.');
  const names: string[] = users.data.map(({ name }) => name);

  const me = await client.getCurrentUser();
  // @ts-expect-error there is no such role
  if (me.role === 'king') throw new Error();
  return { names, more: users.cursor.hasMore, name: me.name, role: me.role };
}

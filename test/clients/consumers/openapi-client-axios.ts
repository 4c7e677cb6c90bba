import { OpenAPIClientAxios } from 'openapi-client-axios';
import type { Client } from './client';

/** By openapi-client-axios, which reads the served contract when it runs, and the types of openapi-client-axios-typegen. */
export async function consume(baseUrl: string, username: string, password: string) {
  const api = new OpenAPIClientAxios({
    definition: `${baseUrl}/openapi.json`,
    axiosConfigDefaults: { auth: { username, password } },
  });
  const client = await api.init<Client>();
  const { data: users } = await client.listUsers({ after: '', limit: 2 });
  if (Array.isArray(users)) throw new Error('That is no page.');
  const names: string[] = users.data.map(({ name }) => name);

  const { data: me } = await client.getCurrentUser();
  // @ts-expect-error there is no such role
  if (me.role === 'king') throw new Error();
  return { names, more: users.cursor.hasMore, name: me.name, role: me.role };
}

import { setConfig } from '@kubb/plugin-client/clients/axios';
import { getCurrentUser, listUsers } from './client';

/** By the functions of Kubb, one for each operation, over axios. */
export async function consume(baseURL: string, email: string, password: string) {
  setConfig({ baseURL, headers: { Authorization: `Basic ${btoa(`${email}:${password}`)}` } });
  const users = await listUsers({ after: '', limit: 2 });
  if (Array.isArray(users)) throw new Error('That is no page.');
  const names: string[] = users.data.map(({ name }) => name);

  const me = await getCurrentUser();
  // @ts-expect-error there is no such role
  if (me.role === 'king') throw new Error();
  return { names, more: users.cursor.hasMore, name: me.name, role: me.role };
}

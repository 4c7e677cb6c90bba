import { defaults, getCurrentUser, listUsers } from './api';

/** By the functions of oazapfts, over fetch: responses are distinguished by their status. */
export async function consume(_baseUrl: string, email: string, password: string) {
  defaults.headers = { Authorization: `Basic ${btoa(`${email}:${password}`)}` };
  const users = await listUsers({ after: '', limit: 2 });
  if (users.status !== 200 || Array.isArray(users.data)) throw new Error('That is no page.');
  const names: string[] = users.data.data.map(({ name }) => name);

  const me = await getCurrentUser();
  if (me.status !== 200) throw new Error('Nobody is logged in.');
  // @ts-expect-error there is no such role
  if (me.data.role === 'king') throw new Error();
  return { names, more: users.data.cursor.hasMore, name: me.data.name, role: me.data.role };
}

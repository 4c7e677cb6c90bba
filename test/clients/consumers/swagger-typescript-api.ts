import { Api, Role } from './Api';

/** By the class of swagger-typescript-api, over fetch. */
export async function consume(baseUrl: string, email: string, password: string) {
  const headers = { Authorization: `Basic ${btoa(`${email}:${password}`)}` };
  const { api } = new Api({ baseUrl, baseApiParams: { headers } });
  const { data: users } = await api.listUsers({ after: '', limit: 2 });
  if (Array.isArray(users)) throw new Error('That is no page.');
  const names: string[] = users.data.map(({ name }) => name);

  const { data: me } = await api.getCurrentUser();
  // @ts-expect-error there is no such role
  if (me.role === 'king') throw new Error();
  if (me.role !== Role.Admin) throw new Error('Somebody else is logged in.');
  return { names, more: users.cursor.hasMore, name: me.name, role: me.role };
}

import createClient from 'openapi-fetch';
import type { paths } from './api';

/** By openapi-typescript's types and openapi-fetch. */
export async function consume(baseUrl: string, email: string, password: string) {
  const client = createClient<paths>({ baseUrl });
  const { data: tokens } = await client.POST('/api/v1/auth/login', { body: { email, password } });
  if (!tokens || !('access_token' in tokens)) throw new Error('The login was refused.');
  client.use({
    onRequest: ({ request }) => request.headers.set('Authorization', `${tokens.token_type} ${tokens.access_token}`),
  });

  const { data: users } = await client.GET('/api/v1/users', { params: { query: { after: '', limit: 2 } } });
  if (!users || Array.isArray(users)) throw new Error('That is no page.');
  const names: string[] = users.data.map(({ name }) => name);

  const { data: me } = await client.GET('/api/v1/auth/me');
  if (!me) throw new Error('Nobody is logged in.');
  // @ts-expect-error there is no such role
  if (me.role === 'king') throw new Error();
  const params = { path: { user_id: me.id } };
  const created = await client.POST('/api/v1/users/{user_id}/orders', {
    params: { ...params, header: { 'Idempotency-Key': crypto.randomUUID() } },
    body: { total: { amount: 1999, currency: 'EUR' } },
  });
  if (!created.data) throw new Error(created.error.detail);
  const { status, total } = created.data;
  const refused = await client.POST('/api/v1/users/{user_id}/orders', {
    params,
    body: { total: { amount: 0, currency: 'EUR' } },
  });
  // @ts-expect-error the total has a currency
  await client.POST('/api/v1/users/{user_id}/orders', { params, body: { total: { amount: 1 } } });

  const { code, errors = [] } = refused.error ?? {};
  // @ts-expect-error there is no such code
  if (code === 'BAD_LUCK') throw new Error();
  return {
    names,
    more: users.cursor.hasMore,
    role: me.role,
    order: { status, amount: total.amount },
    refused: { code, pointers: errors.map(({ pointer }) => pointer) },
  };
}

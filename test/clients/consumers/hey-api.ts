import { createOrder, getCurrentUser, listUsers, login } from './client';
import { client } from './client/client.gen';

/** By the functions of @hey-api/openapi-ts, one for each operation. */
export async function consume(baseUrl: string, email: string, password: string) {
  client.setConfig({ baseUrl });
  const { data: tokens } = await login({ body: { email, password }, throwOnError: true });
  if (!('access_token' in tokens)) throw new Error('That is another flow.');
  client.setConfig({ auth: tokens.access_token });

  const { data: users } = await listUsers({ query: { after: '', limit: 2 }, throwOnError: true });
  if (Array.isArray(users)) throw new Error('That is no page.');
  const names: string[] = users.data.map(({ name }) => name);

  const { data: me } = await getCurrentUser({ throwOnError: true });
  // @ts-expect-error there is no such role
  if (me.role === 'king') throw new Error();
  const path = { user_id: me.id };
  const created = await createOrder({
    path,
    headers: { 'Idempotency-Key': crypto.randomUUID() },
    body: { total: { amount: 1999, currency: 'EUR' } },
    throwOnError: true,
  });
  const { status, total } = created.data;
  const { error } = await createOrder({ path, body: { total: { amount: 0, currency: 'EUR' } } });
  // @ts-expect-error the total has a currency
  await createOrder({ path, body: { total: { amount: 1 } } });

  // @ts-expect-error there is no such code
  if (error?.code === 'BAD_LUCK') throw new Error();
  return {
    names,
    more: users.cursor.hasMore,
    role: me.role,
    order: { status, amount: total.amount },
    refused: { code: error?.code, pointers: error?.errors?.map(({ pointer }) => pointer) },
  };
}

import axios from 'axios';
import { createOrder, ErrorCode, getCurrentUser, listUsers, login, type Problem } from './api';

/** By the functions of orval, one for each operation, over axios. */
export async function consume(baseUrl: string, email: string, password: string) {
  axios.defaults.baseURL = baseUrl;
  const { data: tokens } = await login({ email, password });
  if (!('access_token' in tokens)) throw new Error('That is another flow.');
  axios.defaults.headers.common['Authorization'] = `${tokens.token_type} ${tokens.access_token}`;

  const { data: users } = await listUsers({ after: '', limit: 2 });
  if (Array.isArray(users)) throw new Error('That is no page.');
  const names: string[] = users.data.map(({ name }) => name);

  const { data: me } = await getCurrentUser();
  // @ts-expect-error there is no such role
  if (me.role === 'king') throw new Error();
  const { data: order } = await createOrder(me.id, { total: { amount: 1999, currency: 'EUR' } }, undefined, {
    headers: { 'Idempotency-Key': crypto.randomUUID() },
  });
  const failed = await createOrder(me.id, { total: { amount: 0, currency: 'EUR' } }).catch((error: unknown) => error);
  // @ts-expect-error the total has a currency
  await createOrder(me.id, { total: { amount: 1 } }).catch(() => undefined);

  if (!axios.isAxiosError<Problem>(failed)) throw new Error('That was to fail.');
  const { code, errors } = failed.response?.data ?? {};
  // @ts-expect-error there is no such code
  if (code === 'BAD_LUCK') throw new Error();
  return {
    names,
    more: users.cursor.hasMore,
    role: me.role,
    order: { status: order.status, amount: order.total.amount },
    refused: { code: code && ErrorCode[code], pointers: errors?.map(({ pointer }) => pointer) },
  };
}

import { configureStore } from '@reduxjs/toolkit';
import { enhancedApi as api } from './api';

/** By the endpoints of RTK Query, in a store. */
export async function consume(baseUrl: string, email: string, password: string) {
  const prepareHeaders = (headers: Headers) => headers.set('Authorization', `Basic ${btoa(`${email}:${password}`)}`);
  const store = configureStore({
    reducer: { [api.reducerPath]: api.reducer },
    middleware: (standard) =>
      standard({ thunk: { extraArgument: { baseUrl, prepareHeaders } } }).concat(api.middleware),
  });
  const users = await store.dispatch(api.endpoints.listUsers.initiate({ after: '', limit: 2 })).unwrap();
  if (Array.isArray(users)) throw new Error('That is no page.');
  const names: string[] = users.data.map(({ name }) => name);

  const me = await store.dispatch(api.endpoints.getCurrentUser.initiate({})).unwrap();
  // @ts-expect-error there is no such role
  if (me.role === 'king') throw new Error();
  store.dispatch(api.util.resetApiState());
  return { names, more: users.cursor.hasMore, name: me.name, role: me.role };
}

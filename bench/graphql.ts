import { login, stopAll } from './accord.js';
import { AUTHORS } from './data.js';
import { FLOWS, LOADERS, STATEMENT } from './flows.js';
import { type Asked, measureRequests, type Variant } from './measure.js';
import { peersOn } from './peers.js';
import { documents, idOf, likeDocument, NESTED, NESTED_BY_ROWS, SHALLOW, SHALLOW_BY_ROWS, users } from './requests.js';
import type { Measurements } from './results.js';

/** Measures GraphQL on PostgreSQL and the peers that answer the same documents. */
export async function graphql(ours: Variant, database: string, beside: readonly Variant[]): Promise<Measurements> {
  const peer = peersOn(database);
  const others = [
    await peer(STATEMENT, 'limit', 'json-pg'),
    await peer(LOADERS, 'peer', 'mercurius-prisma'),
    await peer('Apollo + DataLoader + Prisma', 'peer', 'apollo-prisma'),
  ];
  const postgraphile = await peer('PostGraphile', 'peer', 'postgraphile');
  const headers = await login(ours.server);
  const asked = (query: string, byRows: string): Asked[] => [
    ...[ours, ...beside].map((variant) => ({ ...variant, requests: documents(query, headers) })),
    ...others.map((variant) => ({ ...variant, requests: documents(query) })),
    { ...postgraphile, requests: documents(byRows, {}, Number) },
  ];
  const get: Asked = { ...ours, name: 'Accord, GET', kind: 'beside', requests: users(headers, AUTHORS) };
  const measured: Measurements = {
    nested: await measureRequests(FLOWS.nested.title, asked(NESTED, NESTED_BY_ROWS), { comparable: likeDocument }),
    shallow: await measureRequests(FLOWS.shallow.title, [...asked(SHALLOW, SHALLOW_BY_ROWS), get], {
      comparable: idOf,
    }),
  };
  await stopAll([...others, postgraphile]);
  return measured;
}

import { emailOf, LISTED, login, PASSWORD, placesAfter, stopAll } from './accord.js';
import { WRITERS } from './data.js';
import { ACCORD, BARE, FLOWS, GLUE, NEST } from './flows.js';
import type { Outcome, Request } from './load.js';
import { type Asked, burden, measureRequests, SECONDS, type Variant } from './measure.js';
import { peersOn } from './peers.js';
import { likeNewUser, likePage, newUsers, pageByOffset, pagesAfter, users, usersOf } from './requests.js';
import type { Measurements } from './results.js';

const LOGINS = 4;

/** Measures REST on PostgreSQL and its peers. */
export async function rest(ours: Variant, database: string, beside: readonly Variant[]): Promise<Measurements> {
  const peer = peersOn(database);
  const bare = await peer(BARE, 'limit', 'node-pg');
  const others = [
    bare,
    await peer(`${BARE}, pipelined`, 'limit', 'node-pg', { PIPELINE: 'on' }),
    await peer(GLUE, 'peer', 'glue-pg'),
    await peer(NEST, 'peer', 'nest-prisma'),
    await peer('Express + validator + Prisma', 'peer', 'express-prisma'),
  ];
  const headers = await login(ours.server);
  const asked = (of: Request[], theirs: Request[]): Asked[] => [
    ...[ours, ...beside].map((variant) => ({ ...variant, requests: of })),
    ...others.map((variant) => ({ ...variant, requests: theirs })),
  ];
  const places = await placesAfter(ours.server, headers, LISTED);
  const cursors = places.map(({ cursor }) => cursor);
  const ids = places.map(({ id }) => id);
  const measured: Measurements = {
    read: await measureRequests(FLOWS.read.title, asked(users(headers), users())),
    list: await measureRequests(FLOWS.list.title, asked(pagesAfter(cursors, headers), pagesAfter(ids)), {
      comparable: likePage,
    }),
    create: await measureRequests(FLOWS.create.title, asked(newUsers(headers), newUsers()), {
      comparable: likeNewUser,
    }),
    tail: await measureRequests(
      FLOWS.tail.title,
      [ours, ...others].map((variant) => ({ ...variant, requests: users(variant === ours ? headers : undefined) })),
      { connections: 32, value: ({ p50, p99 }) => p99 / p50 },
    ),
    offset: await firstPage(ours, bare),
    logins: await amidLogins(ours),
  };
  await stopAll(others);
  return measured;
}

/** Measures the latency of the first page of a long list without other load. */
async function firstPage(ours: Variant, bare: Variant) {
  const headers = await login(ours.server);
  const variants: Asked[] = [
    { ...ours, requests: pageByOffset(headers) },
    { ...ours, name: 'Accord, by cursor', kind: 'beside', requests: pagesAfter([''], headers) },
    { ...bare, requests: pageByOffset() },
  ];
  const value = ({ p50 }: Outcome) => p50;
  return measureRequests(FLOWS.offset.title, variants, { connections: 1, comparable: usersOf, value });
}

/** Measures the latency of reads during logins, whose passwords are hashed in parallel. */
async function amidLogins(ours: Variant) {
  const alone: Asked = {
    ...ours,
    name: 'Accord, no logins',
    kind: 'beside',
    requests: users(await login(ours.server)),
  };
  const latency = { connections: 2, seconds: Math.max(1, SECONDS), value: ({ p99 }: Outcome) => p99 };
  const quiet = await measureRequests(`${FLOWS.logins.title}: without`, [alone], latency);
  const requests = WRITERS.map((id): Request => {
    const body = JSON.stringify({ email: emailOf(id), password: PASSWORD });
    return { method: 'POST', path: '/api/v1/auth/login', body };
  });
  const logins = burden({ url: ours.server.url, requests, connections: LOGINS });
  const amid = await measureRequests(FLOWS.logins.title, [{ ...alone, name: ACCORD, kind: 'accord' }], latency);
  logins.stop();
  return [...amid, ...quiet];
}

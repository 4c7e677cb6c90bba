import { login, placesAfter, startAccord, stopAll, withSubscribers } from './accord.js';
import { onPostgresql, postgresqlData } from './data.js';
import { ACCORD } from './flows.js';
import { startTrivial } from './in-process.js';
import type { Outcome, Request } from './load.js';
import { type Asked, measureDeliveries, measureRequests, type Variant } from './measure.js';
import { document, newUsers, pageByOffset, pagesAfter, users } from './requests.js';
import type { Growth, GrowthRow } from './results.js';
import type { Measured } from './server.js';

/**
 * Measures how the cost grows with the size of one thing. All sizes are measured in turn, as the variants of a flow
 * are. Figures of a database are times to the answer over one connection, so they include the database.
 */

const SIZES = {
  users: [1000, 10_000, 100_000, 1_000_000],
  depth: [1, 10, 100, 1000],
  operations: [20, 200, 2000],
  subscribers: [10, 100, 1000, 10_000],
  fields: [1, 10, 100, 1000],
};

/** The subscribers: so many that each needs at most a user's twenty sockets. */
const SUBSCRIBERS = { first: 1001, last: 1500 };
/** The number of deliveries for each number of subscribers, so that the operating system's clock ticks count them. */
const DELIVERIES = 20_000;

type Headers = Awaited<ReturnType<typeof login>>;

const alike = () => null;

/** Measures the same request at each size. */
async function row(
  what: string,
  unit: GrowthRow['unit'],
  sizes: readonly { name: string; server: Measured; requests: Request[] }[],
): Promise<GrowthRow> {
  const variants = sizes.map((size): Asked => ({ ...size, kind: 'accord' }));
  const alone = unit === 'ms p50' && { connections: 1, value: ({ p50 }: Outcome) => p50 };
  const figures = await measureRequests(what, variants, { comparable: alike, ...alone });
  return { what, unit, values: figures.map(({ value }) => value) };
}

/** Measures databases with more users. */
async function byUsers(): Promise<Growth> {
  const databases = [];
  for (const count of SIZES.users) databases.push(await postgresqlData(count));
  const on = await Promise.all(
    databases.map(async ({ url }, i) => {
      const server = await startAccord(url);
      return { name: `${SIZES.users[i]} users`, server, headers: await login(server) };
    }),
  );
  const asked = (what: string, requests: (headers: Headers) => Request[]) =>
    row(
      what,
      'ms p50',
      on.map(({ name, server, headers }) => ({ name, server, requests: requests(headers) })),
    );
  try {
    return {
      title: 'users',
      sizes: SIZES.users,
      rows: [
        await asked('GET a user by id', users),
        await asked('A page by cursor', (headers) => pagesAfter([''], headers)),
        await asked('Page 1 by offset, with its count', pageByOffset),
        await asked('POST a user', newUsers),
      ],
    };
  } finally {
    await Promise.all(on.map(({ server }) => server.stop()));
    for (const { drop } of databases) await drop();
  }
}

/** Measures deeper pages of one list. */
async function byDepth({ server }: Variant): Promise<Growth> {
  const headers = await login(server);
  const before = SIZES.depth.map((page) => page - 1);
  const places = await placesAfter(server, headers, before);
  const sizes = places.map(({ cursor }, i) => ({
    name: `page ${SIZES.depth[i]}`,
    server,
    requests: pagesAfter([cursor], headers),
  }));
  return { title: 'pages before this one', sizes: SIZES.depth, rows: [await row('A page by cursor', 'ms p50', sizes)] };
}

/** Measures contracts with more operations, which are requested in turn. */
async function byOperations(): Promise<Growth> {
  const sizes: (Variant & { requests: Request[] })[] = [];
  for (const count of SIZES.operations) {
    const server = await startTrivial({ OPERATIONS: String(count) });
    const headers = { authorization: `Bearer ${server.said[0]}` };
    const requests = Array.from({ length: 20 }, (_, i): Request => {
      const path = `/api/v1/greetings/${Math.floor((i * count) / 20)}`;
      return { method: 'GET', path, headers };
    });
    sizes.push({ name: `${count} operations`, kind: 'accord', server, requests });
  }
  const measured = await row('Trivial handlers, in memory', 'µs CPU', sizes);
  await stopAll(sizes);
  return { title: 'operations in the contract', sizes: SIZES.operations, rows: [measured] };
}

/** Measures more subscribers to one channel, each with its own socket. */
async function bySubscribers(ours: Variant, database: string): Promise<Growth> {
  const { first, last } = SUBSCRIBERS;
  await onPostgresql(
    database,
    `UPDATE users SET role = 'DEVELOPER', password_hash = (SELECT password_hash FROM users WHERE id = 1)
     WHERE id BETWEEN ${first} AND ${last}`,
  );
  const ids = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const published = [await withSubscribers(ours, ids)];
  const values: number[] = [];
  // The largest number comes first, so that the small numbers do not pay for compilation.
  for (const count of SIZES.subscribers.toReversed()) {
    const messages = Math.min(200, Math.max(5, DELIVERIES / count));
    const [figure] = await measureDeliveries(`A message to ${count} sockets`, published, { count, messages });
    values.unshift(figure?.value ?? Number.NaN);
  }
  return {
    title: 'subscribers to a channel',
    sizes: SIZES.subscribers,
    rows: [{ what: 'A message, with what it costs to add it', unit: 'µs CPU a delivery', values }],
  };
}

/** Measures documents with more fields. */
async function byFields(database: string): Promise<Growth> {
  const most = String(10 * Math.max(...SIZES.fields));
  const server = await startAccord(database, {
    GRAPHQL_MAX_ALIASES: most,
    GRAPHQL_MAX_TOKENS: most,
    GRAPHQL_MAX_COMPLEXITY: most,
  });
  const headers = await login(server);
  const sizes = SIZES.fields.map((count) => {
    const fields = Array.from({ length: count }, (_, i) => `f${i}: name`).join(' ');
    return { name: `${count} fields`, server, requests: document(`{ user(id: 101) { ${fields} } }`, headers) };
  });
  const measured = await row('A user with so many fields', 'µs CPU', sizes);
  await server.stop();
  return { title: 'fields in a document', sizes: SIZES.fields, rows: [measured] };
}

/** Measures all growth. @param database the URL of the benchmark's database, which Accord uses too */
export async function measureGrowth(database: string): Promise<Record<string, Growth>> {
  const server = await startAccord(database);
  const ours: Variant = { name: ACCORD, kind: 'accord', server };
  const depth = await byDepth(ours);
  const subscribers = await bySubscribers(ours, database);
  await server.stop();
  const fields = await byFields(database);
  return { users: await byUsers(), depth, operations: await byOperations(), subscribers, fields };
}

import { connect } from 'node:net';
import { buildClientSchema, buildSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql';
import t, { type Test } from 'tap';
import type { AnyPart, ApplicationPlatform } from '../../../src/platform/core/application.js';
import { platformCodes } from '../../../src/platform/core/contract/codes.js';
import { hasQueries } from '../../../src/platform/core/contract/published.js';
import { refuseMissingNeeds } from '../../../src/platform/core/marks.js';
import type { PartName } from '../../../src/platform/core/order.js';
import { dataModel } from '../../../src/platform/database/client.js';
import { notWritten } from '../../../src/platform/index.js';
import { allParts } from '../../../src/platform/server/all-parts.js';
import { memoryDatabase } from '../../support/databases.js';
import { type Own, serve, withoutRow } from '../../support/own-application.js';
import type { Json } from '../../support/people.js';

type Service = Awaited<ReturnType<typeof serve>>;

const answers = (description: string) => ({
  description,
  content: { 'application/json': { schema: { type: 'object' } } },
});
const problem = { description: 'refused', content: { 'application/problem+json': { schema: { type: 'object' } } } };
const operation = (operationId: string, more: object) => ({
  operationId,
  tags: ['things'],
  responses: { 200: answers('done'), default: problem },
  ...more,
});
/** A contract that needs no part. */
const openapi = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1.0.0' },
  paths: {
    '/status': { get: operation('status', { security: [], 'x-permission': 'public' }) },
    '/things': {
      get: operation('listThings', {
        security: [{ jwt: [] }],
        'x-permission': { action: 'users.read', roles: { viewer: 'any', developer: 'any', admin: 'any' } },
      }),
    },
  },
  components: { securitySchemes: { jwt: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
};
const status = async () => ({ status: 200, body: { on: true } });
const own = {
  openapi,
  handlers: {
    things: {
      status,
      listThings: withoutRow(() => ({ status: 200, body: { things: 1 } })),
    },
  },
};

/** Opens a WebSocket by hand. @returns the status of the answer */
const upgrade = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port) }, () =>
      socket.write(
        `GET /graphql HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`,
      ),
    );
    const giveUp = () => {
      resolve(0);
      socket.destroy();
    };
    socket.setTimeout(5000, giveUp).on('error', reject);
    socket.once('data', (bytes) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString())?.[1]));
      socket.destroy();
    });
  });

/** What each part adds to a service, as its caller sees it. */
const promises: Partial<Record<PartName, (url: string) => Promise<boolean>>> = {
  limits: async (url) => (await fetch(`${url}/status`)).headers.has('x-rate-limit-limit'),
  browsers: async (url) =>
    (await fetch(`${url}/status`, { headers: { origin: 'http://localhost:1' } })).headers.has(
      'access-control-allow-origin',
    ),
  pages: async (url) => (await fetch(`${url}/docs`)).status === 200,
  live: async (url) => (await upgrade(url)) === 101,
};

const ANYBODY = '@permission(action: "users.read", viewer: ANY, developer: ANY, admin: ANY)';

const isPublic = { '/status': openapi.paths['/status'] };

/** Without accounts a contract has public operations of REST only. */
const applicationWith = (parts: readonly AnyPart[]): Own =>
  parts.some(({ name }) => name === 'identity')
    ? { ...own, parts }
    : { openapi: { ...openapi, paths: isPublic }, sdl: '', handlers: { things: { status } }, parts };

async function keepsTheCore(t: Test, { url, person, graphql }: Service, hasAccounts: boolean): Promise<void> {
  const get = async (path: string, headers: Record<string, string> = {}) =>
    (await fetch(url + path, { headers })).status;
  t.equal(await get('/status'), 200);
  t.equal(await get('/status?unknown=1'), 400);
  t.equal(await get('/nowhere'), 404);
  if (!hasAccounts) {
    t.equal(await get('/graphql'), 404);
    return;
  }
  const ada = await person('Ada');
  t.equal(await get('/things'), 401);
  t.equal(await get('/things', ada.headers), 200);
  t.match(await graphql(ada, '{ __typename }'), { data: { __typename: 'Query' } });
  t.match(await graphql(ada, '{ unknown }'), { errors: [{ extensions: { code: 'BAD_REQUEST' } }] });
}

for (const { name } of allParts) {
  t.test(`a service without ${name} keeps everything else`, async (t) => {
    const parts = allParts.filter((part) => part.name !== name);
    const service = await serve(t, await memoryDatabase(t), applicationWith(parts));
    await keepsTheCore(t, service, name !== 'identity');
    for (const [other, isKept] of Object.entries(promises))
      t.equal(await isKept(service.url), other !== name && !(other === 'live' && name === 'identity'), other);
  });
}

t.test('a service without parts answers, and needs no table of a part', async (t) => {
  const database = await memoryDatabase(t);
  const tables = await database.client.$queryRaw<{ name: string }[]>`
    SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '%migrations'`;
  for (const { name } of tables) await database.client.$executeRawUnsafe(`DROP TABLE "${name}" CASCADE`);
  const service = await serve(t, database, applicationWith([]));
  await keepsTheCore(t, service, false);
  for (const isKept of Object.values(promises)) t.equal(await isKept(service.url), false);
});

const detailOf = async (url: string): Promise<string> => ((await (await fetch(url)).json()) as Json).detail;

/** The texts of failures that advise to use a part. */
const ADVICE: [part: PartName, word: string, ask: (service: Service) => Promise<string>][] = [
  ['pages', '/docs', ({ url }) => detailOf(`${url}/nowhere`)],
  ['live', 'WebSocket', ({ url }) => detailOf(`${url}/graphql`)],
  [
    'live',
    'WebSocket',
    async ({ graphql, person }) => (await graphql(await person('Ada'), 'subscription { news }')).errors[0].message,
  ],
];

t.test('no advice names a part that is left out', async (t) => {
  const sdl = `type Query { news: String ${ANYBODY} } type Subscription { news: String ${ANYBODY} }`;
  const resolvers = { Query: { news: withoutRow(() => '') }, Subscription: { news: notWritten } };
  const all = await serve(t, await memoryDatabase(t), { ...own, sdl, resolvers });
  for (const [part, word, ask] of ADVICE) {
    const parts = allParts.filter(({ name }) => name !== part);
    const service = await serve(t, await memoryDatabase(t), { ...own, parts });
    t.match(await ask(all), word, part);
    t.notMatch(await ask(service), word, part);
  }
});

t.test('a variable of a part that is left out stops the start', async (t) => {
  const environment = { CORS_ORIGINS: 'https://app.example.com' };
  await t.rejects(serve(t, await memoryDatabase(t), applicationWith([]), { environment }), {
    message: 'CORS_ORIGINS: needs a part that is left out. Unset it, or add browsers() to `parts`.',
  });
});

/** The contract with operations of parts. */
const withParts = {
  ...openapi,
  'x-parts': ['core', 'observability'],
  paths: {
    ...isPublic,
    '/livez': { get: operation('getLiveness', { security: [], 'x-permission': 'public' }) },
    '/readyz': { get: operation('getReadiness', { security: [], 'x-permission': 'public' }) },
  },
};

t.test('a part answers its operations if the contract names it, and the application may replace them', async (t) => {
  const sdl = `type Query { me: User ${ANYBODY} } type User { id: ID! role: String }`;
  const cookieAuth = { type: 'apiKey', in: 'cookie', name: 'own_access' };
  const named = {
    ...withParts,
    'x-parts': ['core', 'observability', 'identity'],
    security: [{ jwt: [] }],
    components: { securitySchemes: { cookieAuth } },
  };
  const handlers = { things: { status, getLiveness: async () => ({ status: 200, body: { status: 'mine' } }) } };
  const service = await serve(t, await memoryDatabase(t), { openapi: named, sdl, handlers });
  const answerOf = async (path: string) => (await (await fetch(service.url + path)).json()) as Json;
  t.match(await answerOf('/readyz'), { status: 'ok', checks: { database: 'ok' } });
  t.same(await answerOf('/livez'), { status: 'mine' });
  const ada = await service.person('Ada', 'DEVELOPER');
  t.same(await service.graphql(ada, '{ me { id role } }'), { data: { me: { id: String(ada.id), role: 'DEVELOPER' } } });
});

t.test('the published SDL contains what the part core states of it, with the roles of the contract', async (t) => {
  const all = '(action: "users.read", viewer: ANY, developer: ANY, admin: ANY)';
  const sdl = `type Query { things("How many." limit: Int = 20 @constraint(max: 50)): String @permission${all} }`;
  const resolvers = { Query: { things: withoutRow(() => 'things') } };
  const handlers = { things: { status } };
  const service = await serve(t, await memoryDatabase(t), { openapi: withParts, sdl, handlers, resolvers });
  const textOf = async (path: string) => (await fetch(service.url + path)).text();
  const published = await textOf('/schema.graphql');
  t.match(published, sdl);
  const schema = buildSchema(published);
  t.same(
    schema.getDirective('permission')?.args.map(({ name }) => name),
    ['action', 'viewer', 'developer', 'admin', 'when'],
  );
  t.match(published, '"The rows that a caller with the role `DEVELOPER` may act on."');
  const { data } = JSON.parse(await textOf('/schema.json'));
  t.equal(printSchema(buildClientSchema(data)), printSchema(schema));
  const ada = await service.person('Ada');
  const introspected = buildClientSchema(
    (await service.graphql(ada, getIntrospectionQuery({ directiveIsRepeatable: true })))['data'] as never,
  );
  const sorted = [introspected, schema].map((found) => printSchema(lexicographicSortSchema(found)));
  t.equal(sorted[0], sorted[1]);
  t.match(await service.graphql(ada, '{ things(limit: 51) }'), {
    errors: [{ extensions: { code: 'VALIDATION_FAILED' } }],
  });
});

t.test('each part adds its checks of readiness and its metrics', async (t) => {
  const handlers = { things: { status } };
  const found = async (parts: readonly AnyPart[]) => {
    const { app, url } = await serve(t, await memoryDatabase(t), { openapi: withParts, sdl: '', handlers, parts });
    const { checks } = (await (await fetch(`${url}/readyz`)).json()) as Json;
    const metrics = await app.core.seams.observability.metrics();
    const names = [...metrics.matchAll(/^# TYPE (\w+) (?:gauge|counter)$/gm)].map(([, name]) => name);
    return {
      checks: Object.keys(checks),
      metrics: names.filter((name) => !/^(nodejs|process|graphql)_/.test(name ?? '')),
    };
  };
  const core = ['database', 'accepting', 'clock'];
  const ofLimits = ['requests_under_way', 'requests_waiting', 'requests_shed_total', 'answer_bytes'];
  const without = (name: PartName) => found(allParts.filter((part) => part.name !== name));
  const own = ['database_connections', 'clock_difference_seconds', 'dependency_up'];
  t.same(await found(allParts), {
    checks: [...core, 'load'],
    metrics: ['password_hashes', ...ofLimits, ...own, 'websockets_open'],
  });
  t.same(await without('limits'), { checks: core, metrics: ['password_hashes', ...own, 'websockets_open'] });
  t.same(await without('identity'), { checks: [...core, 'load'], metrics: [...ofLimits, ...own, 'websockets_open'] });
});

t.test('a catalogue of errors without a code of a part stops the start', async (t) => {
  const { RATE_LIMITED: _, ...errors } = platformCodes;
  const start = (parts: readonly AnyPart[]) =>
    memoryDatabase(t).then((database) => serve(t, database, { ...applicationWith(parts), errors }));
  const named = (...names: PartName[]) => allParts.filter(({ name }) => names.includes(name));
  await t.rejects(start(named('identity', 'limits')), {
    message: 'The `errors` lack RATE_LIMITED, with which the part identity answers. Run `npx accord codegen`.',
  });
  await t.rejects(start(named('limits')), { message: /with which the part limits answers/ });
  const { url } = await serve(t, await memoryDatabase(t), { ...applicationWith([]), errors });
  t.equal((await fetch(`${url}/status`)).status, 200);
});

t.test('a data model without a table of a part stops the start', async (t) => {
  const { KnownNetwork: _, ...models } = dataModel.models;
  t.doesNotThrow(() => refuseMissingNeeds(allParts, platformCodes, dataModel));
  t.throws(() => refuseMissingNeeds(allParts, platformCodes, { models }), {
    message:
      'prisma/schema.prisma has no model of the table known_networks, which the part identity uses. Run `npx accord upgrade`.',
  });
  t.doesNotThrow(() => refuseMissingNeeds([], {}, { models }));
});

t.test('an operation that neither the application nor a part answers stops the start', async (t) => {
  const database = await memoryDatabase(t);
  const start = (own: Own) => serve(t, database, { handlers: { things: { status } }, ...own });
  const { 'x-parts': _, ...unnamed } = withParts;
  await t.rejects(start({ openapi: unnamed }), {
    message:
      /^openapi\.yaml: nothing answers getLiveness\. Write it in `things` of the handlers, or name observability in `x-parts` of openapi\.yaml\.$/,
  });
  const unknown = { '/other': { get: operation('other', { security: [], 'x-permission': 'public' }) } };
  await t.rejects(start({ openapi: { ...openapi, paths: unknown } }), {
    message: 'openapi.yaml: nothing answers other. Write it in `things` of the handlers.',
  });
  await t.rejects(
    start({ openapi: { ...openapi, paths: {} }, sdl: `type Query { me: User ${ANYBODY} } type User { id: ID }` }),
    {
      message:
        'schema.graphql: nothing answers Query.me. Write it in the resolvers, or name identity in `x-parts` of openapi.yaml.',
    },
  );
  const parts = allParts.filter(({ name }) => name !== 'observability');
  await t.rejects(start({ openapi: withParts, parts }), {
    message: /^openapi\.yaml:\d+ names observability in x-parts\. Add observability\(\) to `parts`\.$/,
  });
});

t.test(
  'without the part of jobs an application cannot add jobs, and the log names the work of other parts',
  async (t) => {
    const parts = allParts.filter(({ name }) => name !== 'jobs');
    const services = ({ jobs }: ApplicationPlatform) => {
      jobs.add([]);
      return {};
    };
    await t.rejects(serve(t, await memoryDatabase(t), { ...own, parts, services }), {
      message: 'The application has background jobs. Add jobs() to `parts`.',
    });
    const { log } = await serve(t, await memoryDatabase(t), { ...own, parts });
    t.ok(log.some((line) => line.includes('"jobs":["expiry","keys","idempotency"]')));
  },
);

t.test('a schema with queries has GraphQL, however it names them', async (t) => {
  for (const sdl of [
    'type  Query { a: Int }',
    'schema { query: Root }',
    'schema @a {\n  mutation: M\n  query : Q\n}',
    'extend type Query { a: Int }',
  ])
    t.ok(hasQueries(sdl), sdl);
  for (const sdl of ['', '# nothing', 'input Search {\n  query: String\n}', 'type QueryResult { a: Int }'])
    t.notOk(hasQueries(sdl), sdl);
});

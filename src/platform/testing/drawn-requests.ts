import { Agent, request } from 'node:http';
import fc from 'fast-check';
import t from 'tap';
import { type Drawn, requestTo, type World } from '../support/arbitrary-requests.js';
import { contractOperations, undeclared } from '../support/contract.js';
import { memoryDatabase } from '../support/databases.js';
import { SEED } from '../support/seed.js';
import { type Service, startService } from '../support/service.js';

/** Requests that are drawn. */
const RUNS = process.env['CI'] === 'true' ? 5000 : 300;

/** Accounts that may be harmed: whatever is drawn may delete them. The callers are left alone, so that they can call. */
async function makeWorld({ database: { client }, admin, developer, viewer }: Service): Promise<World> {
  const ids: Record<string, string[]> = { user_id: [], order_id: [], session_id: [] };
  for (let i = 0; i < 30; i++) {
    const email = `any${i}@example.com`;
    const { id } = await client.user.create({ data: { name: `Any ${i}`, email, emailKey: email, role: 'VIEWER' } });
    const order = await client.order.create({ data: { userId: id, amount: 100, currency: 'EUR' } });
    ids['user_id']?.push(String(id));
    ids['order_id']?.push(String(order.id));
  }
  for (const { id } of await client.session.findMany({ orderBy: { createdAt: 'asc' } })) ids['session_id']?.push(id);
  return { ids, credentials: [admin, admin, developer, viewer].map(({ headers }) => headers) };
}

/** 5xx that the contract promises and the embedded gateway really sends; whose 501 it may be, `breaches` knows. */
function isPromised({ url, payload = '' }: Drawn, status: number): boolean {
  return status === 501 || (url.includes('/payment') && /tok_(fail|delay)/.test(payload));
}

/** Over a socket, as a client does: an injected request has no raw headers. */
const send = (agent: Agent, base: string, { method, url, headers, payload }: Drawn) =>
  new Promise<{ status: number; headers: Headers; text: string }>((resolve, reject) => {
    const sent = { ...headers, ...(payload !== undefined && { 'content-length': Buffer.byteLength(payload) }) };
    const outgoing = request(new URL(base), { agent, method, path: url, headers: sent }, (incoming) => {
      let text = '';
      incoming.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      incoming.on('end', () => {
        const received = new Headers();
        for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
          for (const value of values) received.append(name, value);
        }
        resolve({ status: incoming.statusCode ?? 0, headers: received, text });
      });
    });
    outgoing.on('error', reject).end(payload);
  });

t.test(`${RUNS} requests drawn from the contract: no 5xx, and nothing that it does not declare`, async (t) => {
  const database = await memoryDatabase(t);
  const service = await startService(t, database, { RATE_CEILING: '10000000', LOGIN_LIMIT: '1000000' });
  const { app, log } = service;
  const world = await makeWorld(service);
  const drawn = fc.oneof(...contractOperations.map((operation) => requestTo(operation, world)));
  const statuses = new Map<number, number>();

  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const wrongWith = async (drawn: Drawn): Promise<string[]> => {
    const { status, headers, text } = await send(agent, service.url, drawn);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const fault = status >= 500 && !isPromised(drawn, status) ? [`answered ${status}: ${log.at(-1)}`] : [];
    const { method, url, payload: body } = drawn;
    const [path = '', query = ''] = url.split('?');
    const exchange = {
      method,
      path,
      request: { query, headers: new Headers(drawn.headers), body },
      status,
      headers,
      text,
    };
    return [...fault, ...undeclared(exchange, app.notWritten)];
  };

  const property = fc.asyncProperty(drawn, async (request) => {
    const wrong = await wrongWith(request);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  });
  console.error(`${RUNS} requests are drawn with PROPERTY_SEED=${SEED}`);
  const result = await fc.check(property, { seed: SEED, numRuns: RUNS, endOnFailure: true });
  const why = result.errorInstance instanceof Error ? result.errorInstance.message : '';
  t.notOk(result.failed, `${why} ${fc.defaultReportMessage(result) ?? 'no counterexample'}`);
  t.equal(result.numRuns, RUNS);
  const drawnStatuses = JSON.stringify(Object.fromEntries([...statuses].sort()));
  t.ok(statuses.has(200) && statuses.has(400), `of all kinds: ${drawnStatuses}`);
});

import { Agent, request } from 'node:http';
import fc from 'fast-check';
import t from 'tap';
import { openDatabase } from '../../src/database/open.js';
import { type Drawn, requestTo, type World } from '../support/arbitrary-requests.js';
import { breaches, contractOperations } from '../support/contract.js';
import { type Service, startService } from '../support/service.js';

/** The same requests each time, so that a change and not chance turns it red; PROPERTY_SEED draws others. */
const SEED = Number(process.env['PROPERTY_SEED'] ?? 1);
/** Requests that are drawn, and milliseconds within which they must be answered. */
const RUNS = process.env['CI'] === 'true' ? 5000 : 300;
const TIME = 100_000;

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
  for (const { id } of await client.session.findMany()) ids['session_id']?.push(id);
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

/** The path, and of a subdomain that names another version what the contract says of such: that it matches nothing. */
function pathOf({ url, headers }: Drawn): string {
  const path = url.split('?')[0] as string;
  const isVersioned = /^\/(api\/v\d+|users|orders|auth)(\/|$)/.test(path);
  return isVersioned && headers['host']?.startsWith('v9.') ? `/api/v9${path}` : path;
}

// The default of tap is too short for so many.

t.test(`${RUNS} requests drawn from the contract: no 5xx, and nothing that it does not declare`, async (t) => {
  const database = Object.assign(await openDatabase('pglite://memory'), { url: undefined });
  t.teardown(database.close);
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
    const sent = { query: url.split('?')[1] ?? '', headers: new Headers(drawn.headers), body };
    const exchange = { method, path: pathOf(drawn), request: sent, status, headers, text };
    return [...fault, ...breaches(exchange, app.notWritten)];
  };

  const property = fc.asyncProperty(drawn, async (request) => {
    const wrong = await wrongWith(request);
    if (wrong.length > 0) throw new Error(wrong.join('\n'));
  });
  const result = await fc.check(property, {
    seed: SEED,
    numRuns: RUNS,
    interruptAfterTimeLimit: TIME,
    endOnFailure: true,
  });
  const [why = ''] = [result.errorInstance].map((error) => (error instanceof Error ? error.message : ''));
  t.notOk(result.failed, `${why} ${fc.defaultReportMessage(result) ?? 'no counterexample'}`);
  t.equal(result.numRuns, RUNS, 'within the time');
  t.comment(`statuses: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}`);
  // Few draws may miss a rare one.
  for (const status of RUNS < 5000
    ? [200, 400]
    : [200, 201, 204, 206, 304, 400, 401, 403, 404, 405, 406, 410, 412, 415, 422])
    t.ok(statuses.has(status), `some answered ${status}`);
});

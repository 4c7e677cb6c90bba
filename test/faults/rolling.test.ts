import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { eventually, type Server, startServer } from '../support/process.js';
import { skipWithoutPostgresql } from '../support/servers.js';
import { CREDENTIALS } from './load.js';
import { freshDatabase } from './world.js';

/** Milliseconds between two checks of the balancer, and of DRAIN_DELAY. */
const POLL = 100;
const DRAIN = 1000;
const CLIENTS = 8;

interface Backend {
  server: Server;
  ready: boolean;
}

/** A common balancer: keeps connections, sends requests to instances that were ready lately, and never retries. */
async function balancer(t: Test, backends: Backend[]): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const isReady = ({ server }: Backend) =>
    fetch(`${server.url}/readyz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  const poll = setInterval(async () => {
    for (const backend of backends) backend.ready = await isReady(backend);
  }, POLL);
  let turn = 0;
  const proxy = createServer((incoming, outgoing) => {
    const ready = backends.filter((backend) => backend.ready);
    const backend = ready[turn++ % ready.length];
    if (!backend) return void outgoing.writeHead(504).end();
    const { method, headers, url = '/' } = incoming;
    const forwarded = request(backend.server.url + url, { agent, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode as number, answer.headers);
      answer.pipe(outgoing);
      answer.on('error', () => outgoing.destroy());
    });
    forwarded.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
    incoming.pipe(forwarded);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => proxy.once('listening', resolve));
  t.teardown(() => {
    clearInterval(poll);
    agent.destroy();
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

// Six starts take long on a busy machine.
t.setTimeout(0);

t.test(
  'no request fails while three instances are replaced one by one',
  { skip: skipWithoutPostgresql, buffered: true },
  async (t) => {
    const { href } = await freshDatabase(t);
    const environment = { DATABASE_URL: href, RATE_LIMIT: '10000000', LOG_LEVEL: 'warn', DRAIN_DELAY: String(DRAIN) };
    const start = async (): Promise<Backend> => ({ server: await startServer(t, environment), ready: true });
    const backends = [await start(), await start(), await start()];
    const url = await balancer(t, backends);

    const outcomes = new Map<number | string, number>();
    let over = false;
    const client = async () => {
      while (!over) {
        const outcome = await fetch(`${url}/api/v1/users/1`, { headers: CREDENTIALS }).then(
          async (answer) => (await answer.arrayBuffer()) && answer.status,
          (error: Error) => String(error.cause),
        );
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        await delay(5);
      }
    };
    const clients = Array.from({ length: CLIENTS }, client);
    for (const [place, { server }] of [...backends].entries()) {
      const fresh = await start();
      backends.push(fresh);
      await eventually('requests that are served', () => (outcomes.get(200) ?? 0) > 100 * (place + 1));
      server.kill('SIGTERM');
      t.equal((await server.ended).code, 0);
      backends.splice(
        backends.findIndex((backend) => backend.server === server),
        1,
      );
    }
    over = true;
    await Promise.all(clients);
    t.same([...outcomes.keys()], [200], [...outcomes].map(([outcome, times]) => `${outcome}: ${times}`).join(', '));
  },
);

import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { demoDirectory } from '../../support/demo.js';
import { eventually, refusedServer, startServer, withoutDelays } from '../../support/process.js';
import { freePort } from '../../support/servers.js';

const MEMORY = { DATABASE_URL: 'pglite://memory' };

const statusOf = (url: string) =>
  fetch(url).then(
    async (response) => {
      await response.text();
      return response.status;
    },
    () => 'nobody listens' as const,
  );

/** Starts a service with HEALTH_PORT. @returns the two origins */
async function withProbes(t: Test, environment: Record<string, string> = {}) {
  const port = await freePort();
  const directory = { DATABASE_URL: await demoDirectory(t) };
  const server = await startServer(t, { ...directory, HEALTH_PORT: String(port), ...environment });
  return { server, main: server.url.replace('localhost', '127.0.0.1'), probes: `http://127.0.0.1:${port}` };
}

t.test('HEALTH_PORT answers health and metrics, and nothing else', async (t) => {
  const { main, probes } = await withProbes(t);
  for (const path of ['/livez', '/readyz', '/metrics'])
    t.same([await statusOf(main + path), await statusOf(probes + path)], [200, 200], path);
  t.match(await (await fetch(`${probes}/metrics`)).text(), /^http_request_duration_seconds_count/m);
  const { headers } = await fetch(`${probes}/livez`);
  t.equal(headers.get('x-content-type-options'), 'nosniff', 'as on the port of the service');
  for (const path of ['/', '/api/v1/users', '/docs', '/openapi.yaml', '/graphql', '/livez/', '//livez'])
    t.equal(await statusOf(probes + path), 404, path);
  t.match(await (await fetch(`${probes}/docs`)).text(), 'This port answers /livez, /readyz, /metrics.\n');
});

t.test(
  'while the service stops, HEALTH_PORT says that it is not ready, until the last request has its answer',
  async (t) => {
    const { server, main, probes } = await withProbes(t, { DRAIN_DELAY: '1500' });
    server.kill('SIGTERM');
    await eventually('not ready', async () => (await statusOf(`${probes}/readyz`)) === 503);
    t.same([await statusOf(`${main}/livez`), await statusOf(`${probes}/livez`)], [200, 200], 'both still answer');
    const { code, stderr } = await server.ended;
    t.same([code, withoutDelays(stderr)], [0, '']);
    t.equal(await statusOf(`${probes}/livez`), 'nobody listens');
  },
);

t.test('a port that cannot be used ends the start with its name', async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  t.teardown(() => other.close());
  await eventually('a port', () => other.address() !== null);
  const { port } = other.address() as { port: number };
  const taken = await refusedServer(t, { ...MEMORY, HEALTH_PORT: String(port) });
  t.match(taken, { code: 1, stderr: new RegExp(`HEALTH_PORT: another process listens on ${port}`) });
  const same = await refusedServer(t, { ...MEMORY, PORT: '3999', HEALTH_PORT: '3999' });
  t.match(same, { code: 1, stderr: /PORT, HEALTH_PORT: must be different ports/ });
  const wrong = await refusedServer(t, { ...MEMORY, HEALTH_PORT: '0' });
  t.match(wrong, { code: 1, stderr: /HEALTH_PORT/ });
});

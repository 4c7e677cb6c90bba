import t from 'tap';
import { onEachDatabase } from '../../support/databases.js';
import { ARRIVAL, PROXIED } from '../../support/production.js';
import { startInstance, startService } from '../../support/service.js';

onEachDatabase(t, async (t, open) => {
  const { rest } = await startService(t, await open());

  t.test('a running service is alive and ready, and counts its requests', async (t) => {
    t.same((await rest('GET', '/livez')).body, { status: 'ok' });
    t.equal((await rest('GET', '/readyz')).status, 200);
    t.match(
      (await rest('GET', '/metrics')).text,
      /http_request_duration_seconds_count\{method="GET",route="\/livez",operation="getLiveness",status="200"/,
    );
  });

  t.test('metrics without a token are served to direct loopback callers only', async (t) => {
    const database = await open();
    const { app } = await startInstance(t, database);
    const behind = await startInstance(t, database, { DEMO: 'on', TRUST_PROXY: 'loopback' });
    const secret = { METRICS_TOKEN: 'a token for the metrics' };
    const withToken = await startInstance(t, database, { DEMO: 'on', TRUST_PROXY: 'loopback', ...secret });
    const status = async (instance: typeof app, remoteAddress: string, headers = {}) =>
      (await instance.inject({ method: 'GET', url: '/metrics', remoteAddress, headers })).statusCode;
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) t.equal(await status(app, address), 200, address);
    for (const address of ['198.51.100.4', '::ffff:198.51.100.4', '10.127.0.1']) {
      t.equal(await status(app, address), 401, address);
      t.equal(await status(app, address, { 'x-forwarded-for': '127.0.0.1' }), 401, 'whatever it claims');
    }
    for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
      t.equal(await status(app, '127.0.0.1', { [name]: '127.0.0.1' }), 401, `a proxy that nobody named, by ${name}`);
    }
    for (const headers of [{}, { 'x-forwarded-for': '127.0.0.1' }, { 'x-forwarded-for': '203.0.113.7, 127.0.0.1' }]) {
      t.equal(await status(behind.app, '127.0.0.1', headers), 401, JSON.stringify(headers));
    }
    const authorization = `Bearer ${secret.METRICS_TOKEN}`;
    const proxied = { 'x-forwarded-for': '203.0.113.7', ...ARRIVAL };
    t.equal(await status(withToken.app, '127.0.0.1', { authorization, ...proxied }), 200);
    t.equal(await status(withToken.app, '127.0.0.1'), 401);
  });

  t.test('the metrics token passes over plain HTTP from listed addresses only, and not through a proxy', async (t) => {
    const database = await open();
    const METRICS_TOKEN = 'a token for the metrics';
    const plain = await startInstance(t, database, { ...PROXIED, METRICS_TOKEN });
    const METRICS_HTTP_FROM = 'uniquelocal, 100.64.0.0/10, 2001:db8::1';
    const listed = await startInstance(t, database, { ...PROXIED, METRICS_TOKEN, METRICS_HTTP_FROM });
    const status = async ({ app }: typeof plain, remoteAddress: string, headers = {}, token = METRICS_TOKEN) => {
      const authorization = `Bearer ${token}`;
      const request = {
        method: 'GET',
        url: '/metrics',
        remoteAddress,
        headers: { authorization, ...headers },
      } as const;
      return (await app.inject(request)).statusCode;
    };
    const inside = ['10.1.2.3', '::ffff:192.168.0.9', '172.31.0.1', '100.127.0.1', 'fd00::1', '2001:db8::1'];
    for (const address of inside) {
      t.equal(await status(plain, address), 403, `${address}, not configured`);
      t.equal(await status(listed, address), 200, address);
      t.equal(await status(listed, address, {}, 'another token'), 401, `${address} with another token`);
      for (const header of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip'])
        t.equal(await status(listed, address, { [header]: '10.1.2.3' }), 403, `${address} with ${header}`);
    }
    for (const address of ['198.51.100.4', '127.0.0.1', '172.32.0.1', '2001:db8::2'])
      t.equal(await status(listed, address), 403, address);
    t.equal((await listed.app.inject({ url: '/metrics', remoteAddress: '10.1.2.3' })).statusCode, 401, 'no token');
  });
});

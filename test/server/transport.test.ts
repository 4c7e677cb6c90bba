import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, type RequestOptions, request } from 'node:https';
import { json } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import t, { type Test } from 'tap';
import { selfSigned, tlsFiles } from '../support/certificate.js';
import { slowClock } from '../support/clock.js';
import { onEachDatabase } from '../support/databases.js';
import { demoDirectory } from '../support/demo.js';
import { type Json, PASSWORD } from '../support/people.js';
import { basic, eventually, refusedServer } from '../support/process.js';
import { PRODUCTION, PROXIED } from '../support/production.js';
import { codeOf, type Service, startInstance, startService } from '../support/service.js';

const USERS = '/api/v1/users';
const LOGIN = '/api/v1/auth/login';

interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Json;
}

/** Asks over HTTPS by HTTP/1.1. */
async function ask(url: string, options: RequestOptions, body?: object): Promise<Answer> {
  const sent = request(url, options);
  sent.end(body && JSON.stringify(body));
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, headers: response.headers, body: await json(response) };
}

/** The production service behind a proxy, whose people have logged in over HTTPS. */
async function production(t: Test, open: () => Promise<Service['database']>, environment: Record<string, string> = {}) {
  return startService(t, await open(), { ...PROXIED, ...environment }, Date.now);
}

onEachDatabase(t, async (t, open) => {
  t.test('production refuses credentials over plain HTTP without a redirect', async (t) => {
    const { rest, graphql, admin, url, database } = await production(t, open);
    const password = { email: admin.email, password: PASSWORD };
    const plain: Record<string, string>[] = [
      {},
      { 'x-forwarded-proto': 'http' },
      { 'x-forwarded-proto': 'https, http' },
    ];
    const looks = () => database.client.auditEvent.count({ where: { event: { not: 'access.refused' } } });
    const before = await looks();
    for (const headers of plain) {
      const credentials = [basic(admin.email, PASSWORD), admin.headers, { authorization: 'Bearer x' }];
      for (const credential of credentials) {
        const answer = await rest('GET', USERS, { headers: { ...credential, ...headers } });
        t.same(codeOf(answer), [403, 'FORBIDDEN']);
        t.equal(answer.headers.get('location'), null);
        const { codes } = await graphql({ ...admin, headers: { ...credential, ...headers } }, '{ me { id } }');
        t.same(codes, ['FORBIDDEN']);
      }
      t.same(
        codeOf(await rest('POST', LOGIN, { headers, body: password })),
        [403, 'FORBIDDEN'],
        'a password in a body',
      );
      const token = { refresh_token: `acr_${'x'.repeat(43)}` };
      for (const path of ['refresh', 'logout']) {
        t.same(codeOf(await rest('POST', `/api/v1/auth/${path}`, { headers, body: token })), [403, 'FORBIDDEN'], path);
      }
      const cookie = { cookie: `accord_access=${admin.headers['authorization']?.slice(7)}`, ...headers };
      t.same(codeOf(await rest('GET', USERS, { headers: cookie })), [403, 'FORBIDDEN'], 'a cookie');
      const undeclared = await rest('PUT', USERS, { headers: { ...admin.headers, ...headers } });
      t.same(codeOf(undeclared), [403, 'FORBIDDEN'], 'a method that the path lacks');
    }
    t.equal(await looks(), before, 'nothing of it was looked at');
    t.equal((await rest('GET', USERS)).status, 401, 'without a credential there is nothing to refuse');
    t.equal((await fetch(`${url}/livez`)).status, 200);

    const https = { 'x-forwarded-proto': 'https' };
    const fine = await rest('GET', USERS, { headers: { ...admin.headers, ...https } });
    t.match([fine.status, fine.headers.get('strict-transport-security')], [200, /max-age=31536000/]);
    t.equal((await rest('POST', LOGIN, { headers: https, body: password })).status, 200);
  });

  t.test('headers of untrusted proxies are ignored', async (t) => {
    const claims = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7', 'x-real-ip': '203.0.113.8' };
    const trusted = await production(t, open, { TRUST_PROXY: '192.0.2.1,127.0.0.1', RATE_LIMIT_ANONYMOUS: '100' });
    const behind = { headers: { ...trusted.admin.headers, ...claims } };
    t.equal((await trusted.rest('GET', USERS, behind)).status, 200);
    const limits = { RATE_LIMIT_ANONYMOUS: '5' };
    const { rest, admin, database, log, app } = await startService(t, await open(), limits, slowClock());
    t.equal(
      (await rest('GET', USERS, { headers: { ...admin.headers, ...claims } })).status,
      200,
      'the peer is loopback',
    );
    const left = async (headers: Record<string, string>) =>
      (await rest('GET', '/.well-known/jwks.json', { headers })).headers.get('x-rate-limit-remaining');
    const first = Number(await left(claims));
    t.equal(Number(await left({ ...claims, 'x-forwarded-for': '203.0.113.9' })), first - 1, 'it is one address');
    await rest('POST', LOGIN, { headers: claims, body: { email: admin.email, password: 'a wrong one' } });
    const event = await database.client.auditEvent.findFirstOrThrow({ orderBy: { id: 'desc' } });
    t.equal(event.address, '127.0.0.1');
    t.notMatch(log.join(''), '203.0.113');
    const elsewhere = {
      method: 'GET',
      url: USERS,
      remoteAddress: '198.51.100.4',
      headers: { ...admin.headers, ...claims },
    } as const;
    t.match(
      (await app.inject(elsewhere)).json(),
      { status: 403, code: 'FORBIDDEN' },
      'a peer elsewhere cannot claim HTTPS',
    );
  });

  t.test('outside production plain HTTP is accepted from loopback only', async (t) => {
    const { rest, graphql, admin, app } = await startService(t, await open(), { DEMO: 'on', TRUST_PROXY: 'loopback' });
    t.equal((await rest('GET', USERS, { as: admin })).status, 200);
    const away = [
      { 'x-forwarded-for': '203.0.113.7' },
      { 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'http' },
      { 'x-forwarded-proto': 'http' },
    ];
    for (const forwarded of away) {
      const headers = { ...admin.headers, ...forwarded };
      t.same(codeOf(await rest('GET', USERS, { headers })), [403, 'FORBIDDEN']);
      t.same((await graphql({ ...admin, headers }, '{ me { id } }')).codes, ['FORBIDDEN']);
    }
    const peers = { '198.51.100.4': 403, '::ffff:127.0.0.1': 200, '::1': 200, '10.127.0.1': 403 };
    for (const [remoteAddress, status] of Object.entries(peers)) {
      const { statusCode } = await app.inject({ method: 'GET', url: USERS, remoteAddress, headers: admin.headers });
      t.equal(statusCode, status, remoteAddress);
    }
  });
});

onEachDatabase(t, async (t, open) => {
  t.test('HTTPS serves HTTP/1.1, and reloads a renewed certificate', async (t) => {
    const { files, write } = tlsFiles(t);
    const ca = write('first');
    const people = await production(t, open);
    const instance = await startInstance(t, people.database, { ...PRODUCTION, ...files });
    const { port } = new URL(instance.url);
    const url = `https://localhost:${port}`;
    t.match(instance.url, /^https:/);

    const agent = new Agent({ keepAlive: true, maxSockets: 1, ca });
    const headers = people.admin.headers;
    const first = await ask(url + USERS, { agent, headers });
    t.match([first.status, first.headers['strict-transport-security']], [200, /max-age=31536000/]);
    t.equal((await ask(url + USERS, { agent, headers: basic(people.admin.email, PASSWORD) })).status, 200);
    t.equal((await ask(url + USERS, { agent, headers: { ...headers, 'x-forwarded-proto': 'http' } })).status, 200);
    t.equal((await ask(url + USERS, { agent })).status, 401);

    const serves = async (): Promise<string> => {
      const socket: TLSSocket = connect({ port: Number(port), host: 'localhost', rejectUnauthorized: false });
      await once(socket, 'secureConnect');
      const { subject } = socket.getPeerCertificate();
      socket.destroy();
      return String(subject.CN);
    };
    t.equal(await serves(), 'first');
    const local = async () => (await ask(url + USERS, { agent, headers })).status;
    writeFileSync(files.TLS_CERT, selfSigned('of another key').cert);
    await eventually('a warning', () => instance.log.some((line) => line.includes('cannot be used')) || undefined);
    t.equal(await serves(), 'first', 'files that do not fit each other are not used');
    write('second');
    await eventually('the second certificate', async () => (await serves()) === 'second' || undefined);
    t.equal(await local(), 200, 'a connection of before the renewal goes on');
    agent.destroy();
  });
});

t.test('unusable TLS files are named at the start', async (t) => {
  const { files, write } = tlsFiles(t);
  const environment = { DATABASE_URL: await demoDirectory(t), DEMO: 'on', ...files };
  const missing = await refusedServer(t, environment);
  t.match(missing, { code: 1, stderr: /TLS_CERT, TLS_KEY: ENOENT/ });
  write('first');
  writeFileSync(files.TLS_KEY, selfSigned('another').key);
  t.match(await refusedServer(t, environment), { code: 1, stderr: /TLS_CERT, TLS_KEY: .*mismatch/ });
});

import t from 'tap';
import { onEachDatabase } from '../../support/databases.js';
import { raw } from '../../support/raw.js';
import { startService } from '../../support/service.js';

onEachDatabase(t, async (t, open) => {
  const { rest, url, viewer } = await startService(t, await open());

  t.test('four ways select a version, each with its failure', async (t) => {
    const ask = (path: string, headers = {}) => rest('GET', path, { as: viewer, headers });
    const vendor = 'application/vnd.accord+json';
    for (const [path, headers] of [
      ['/api/v1/users'],
      ['/users'],
      ['/users?version=1'],
      ['/users', { accept: `${vendor}; version=1` }],
      ['/users', { accept: `${vendor};v=1` }],
      ['/users', { accept: vendor }],
      ['/api/v1/users?version=1&limit=1', { accept: `${vendor};v=1` }],
    ] as [string, object?][]) {
      const answer = await ask(path, headers);
      t.same([answer.status, answer.headers.get('api-version')], [200, '1'], path);
      t.match(answer.headers.get('content-type'), headers ? vendor : 'application/json');
      if (headers) t.match(answer.headers.get('vary'), 'Accept');
    }
    t.equal((await ask('/api/v2/users')).status, 404);
    t.equal((await ask('/users?version=2')).status, 400);
    t.equal((await ask('/users', { accept: `${vendor}; version=2` })).status, 406);
    t.equal((await ask('/api/v1/users?version=2')).status, 400, 'selectors that disagree');
    const { port } = new URL(url);
    const host = (name: string) =>
      raw(
        url,
        `GET /livez HTTP/1.1\r\nHost: x\r\n\r\nGET /users HTTP/1.1\r\nHost: ${name}:${port}\r\nAuthorization: ${viewer.headers['authorization']}\r\nConnection: close\r\n\r\n`,
      );
    t.match(await host('v1.api.example.com'), /HTTP\/1\.1 200 OK.*HTTP\/1\.1 200 OK/s);
    t.match(await host('v2.api.example.com'), /HTTP\/1\.1 404/);
  });
});

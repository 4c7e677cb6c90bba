import t from 'tap';
import { parse, stringify } from 'yaml';
import { openDatabase } from '../../src/database/open.js';
import { publishedContracts } from '../../src/http/published.js';
import { startInstance, startService } from '../support/service.js';

const x = { since: '2026-03-01T00:00:00Z', sunset: '2027-03-01T00:00:00Z', link: '/docs/errors#GONE' };

t.test('a deprecated operation says so on every answer, failures included, and no other does', async (t) => {
  const database = Object.assign(await openDatabase('pglite://memory'), { url: undefined });
  t.teardown(database.close);
  const { viewer } = await startService(t, database);
  const document = parse(publishedContracts().openapiYaml.toString());
  Object.assign(document.paths['/api/v1/users'].get, { deprecated: true, 'x-deprecation': x });
  const openapiYaml = Buffer.from(stringify(document));
  const contracts = { ...publishedContracts(), openapi: document, openapiYaml };
  const { url } = await startInstance(t, database, {}, { contracts });
  const ask = (path: string, init = {}) => fetch(`${url}/api/v1${path}`, { headers: viewer.headers, ...init });

  const told = { deprecation: '@1772323200', sunset: 'Mon, 01 Mar 2027 00:00:00 GMT' };
  const link = '</docs/errors#GONE>; rel="deprecation"; type="text/html"';
  const answers = [await ask('/users'), await ask('/users?colour=red'), await ask('/users', { headers: {} })];
  t.same(
    answers.map(({ status }) => status),
    [200, 400, 401],
  );
  for (const { headers } of answers) {
    t.match({ deprecation: headers.get('deprecation'), sunset: headers.get('sunset') }, told);
    t.ok(headers.get('link')?.endsWith(link));
  }
  t.match(answers[0]?.headers.get('link'), /rel="last", </, 'beside the neighbouring pages');
  const head = await ask('/users', { method: 'HEAD' });
  t.equal(head.headers.get('deprecation'), told.deprecation);
  for (const other of [await ask(`/users/${viewer.id}`), await ask('/users', { method: 'POST' })]) {
    for (const name of ['deprecation', 'sunset']) t.equal(other.headers.get(name), null, `${other.url} ${name}`);
  }
});

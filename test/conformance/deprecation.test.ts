import { readFileSync } from 'node:fs';
import t from 'tap';
import { contractsFrom } from '../support/contracts.js';
import { memoryDatabase } from '../support/databases.js';
import { startInstance, startService } from '../support/service.js';

/** Deprecates listUsers, with dates in quotes or without. */
const deprecating = (since: string, sunset: string): string =>
  publishedText.replace(
    /^( +)operationId: listUsers$/m,
    `$&\n$1deprecated: true\n$1x-deprecation: { since: ${since}, sunset: ${sunset}, link: '/docs/errors#GONE' }`,
  );
const publishedText = readFileSync('openapi.yaml', 'utf8');

t.test('every answer of a deprecated operation announces its end, and no other answer does', async (t) => {
  const database = await memoryDatabase(t);
  const { viewer } = await startService(t, database);
  const contracts = await contractsFrom(deprecating("'2026-03-01T00:00:00Z'", "'2027-03-01T00:00:00Z'"));
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
  t.match(answers[0]?.headers.get('link'), /rel="last", </, 'in addition to the neighbouring pages');
  const head = await ask('/users', { method: 'HEAD' });
  t.equal(head.headers.get('deprecation'), told.deprecation);
  for (const other of [await ask(`/users/${viewer.id}`), await ask('/users', { method: 'POST' })]) {
    for (const name of ['deprecation', 'sunset']) t.equal(other.headers.get(name), null, `${other.url} ${name}`);
  }

  for (const [since, sunset] of [
    ['2026-03-01', '2027-03-01'],
    ['2026-03-01T00:00:00Z', '"2027-03-01"'],
    ['2026-03-01T01:00:00+01:00', '2027-03-01T00:00:00.000Z'],
  ] as const) {
    const other = await startInstance(t, database, {}, { contracts: await contractsFrom(deprecating(since, sunset)) });
    const { headers } = await fetch(`${other.url}/api/v1/users`);
    t.match({ deprecation: headers.get('deprecation'), sunset: headers.get('sunset') }, told, `${since} ${sunset}`);
  }
});

import { setTimeout as delay } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { outageLog } from '../../src/platform/database/outages.js';

function watch(t: Test) {
  const told: string[] = [];
  const { dependency, unlessAway, flush } = outageLog({ error: (line) => told.push(line), info() {} });
  t.teardown(flush);
  const reported: string[] = [];
  const report = (name: string) => unlessAway('The database', () => reported.push(name));
  return { told, reported, report, flush, server: dependency('The database'), other: dependency('Redis') };
}

t.test('errors that an outage causes are not reported separately', async (t) => {
  const { reported, report, server, other } = watch(t);
  report('before');
  server.away('it broke');
  other.away('it broke, too');
  report('meanwhile');
  await delay(600);
  server.back();
  report('after');
  await delay(2500);
  report('later');
  await delay(2500);
  t.same(reported, ['later']);
});

t.test('each further reason of an outage is reported once, up to five', async (t) => {
  const { told, server } = watch(t);
  server.away('the connection was lost.');
  server.away('it is read-only');
  await delay(600);
  t.same(told.length, 1);
  t.match(told[0], /is away since .*: the connection was lost; it is read-only\. Requests/);
  for (let i = 0; i < 9; i++) for (const reason of ['it is read-only', `reason ${i}`]) server.away(reason);
  t.same(
    told.slice(1),
    [0, 1, 2].map((i) => `The database is still away: reason ${i}.`),
  );
  server.back();
});

t.test('an outage too short for a report hides no error', async (t) => {
  const { told, reported, report, server } = watch(t);
  report('before');
  server.away('it broke');
  report('meanwhile');
  server.back();
  report('after');
  await delay(3000);
  t.same(told, []);
  t.same(reported, ['before', 'meanwhile', 'after']);
});

t.test('an error shortly before the stop is reported once', async (t) => {
  const { reported, report, flush, server } = watch(t);
  report('at the end');
  server.away('it broke');
  flush();
  t.same(reported, ['at the end']);
  await delay(2500);
  t.same(reported, ['at the end']);
});

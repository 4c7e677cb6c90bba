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

import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { outages } from '../../src/platform/database/outages.js';

t.test('an error that an outage causes is not reported, also if it comes before or after it', async (t) => {
  const { dependency, unlessAway } = outages({ error() {}, info() {} });
  const [server, other] = [dependency('The database'), dependency('Redis')];
  const reported: string[] = [];
  const report = (name: string) => unlessAway('The database', () => reported.push(name));
  report('before');
  server.away('it broke');
  other.away('it broke, too');
  report('meanwhile');
  server.back();
  report('after');
  await delay(1500);
  report('later');
  await delay(1500);
  t.same(reported, ['later']);
});

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { page } from '../support/documentation.js';
import { eventually, type Server, START } from '../support/process.js';
import { skipWithoutPostgresql, skipWithoutRedis } from '../support/servers.js';
import { FAULTS } from './battery.js';
import { startLoad } from './load.js';
import { type Row, summary, writeReport } from './report.js';
import { discrepancies, recovered, world } from './world.js';

/** The whole battery, as `npm run faults` has it; or its short form. */
const whole = process.env['FAULTS'] === 'whole';
const CLIENTS = 4;
/** Milliseconds that a fault lasts which can be made to last. */
const LASTS = whole ? 5000 : 1500;
/** Minutes of the soak, and milliseconds of each client between two rounds of it. */
const SOAK = whole ? 30 : 2;
const SOAK_PAUSE = 250;
/** MiB by which more may be held at the end of a soak than after its first third: less than a leak would make. */
const SLACK = 8;
const WANTED = ['200', '201'];
/** Close codes by which a socket is told why: going away, the service restarts, try again later. */
const CLOSES = [1001, 1012, 1013];

// The whole battery takes longer than any file of tests may.
t.setTimeout(0);
// Each on a service of its own; most of it is waiting.
t.jobs = 3;
const options = { skip: skipWithoutPostgresql || skipWithoutRedis, buffered: true };

t.test('faults of what is around the service', options, async (t) => {
  const service = await world(t);
  const rows: Row[] = [];
  t.teardown(() => whole && writeReport(rows));
  for (const { name, tries, happen, told } of FAULTS) {
    t.test(name, async (t) => {
      const times = whole ? tries[0] : tries[1];
      const channelId = randomUUID();
      const load = startLoad(service.url, channelId, CLIENTS);
      await recovered(load);
      let slowest = 0;
      for (let i = 0; i < times; i++) {
        const began = performance.now();
        await happen(service, LASTS);
        const since = told.includes('gone') ? began : performance.now();
        slowest = Math.max(slowest, await recovered(load, since));
      }
      await load.stop();
      const found = await discrepancies(service, load, channelId);
      rows.push({ name, tries: times, ...found, ...summary(load), recovery: slowest });
      t.same(found, { lost: 0, doubled: 0, gapless: true });
      const unexpected = [...load.outcomes].filter(([outcome]) => ![...WANTED, ...told].includes(outcome));
      t.same(unexpected, [], `${[...load.outcomes].map(([outcome, times]) => `${outcome} ${times} times`).join(', ')}`);
      const closes = told.includes('cut') ? [...CLOSES, 1006] : CLOSES;
      t.same(
        [...load.closed.keys()].filter((code) => !closes.includes(code)),
        [],
      );
    });
  }
});

t.test('the page says of each fault what was measured: nothing lost, nothing doubled, no gap', async (t) => {
  const rows = [
    ...page('docs/faults.md').matchAll(/^\| ([^|]+?) \| (\d+) \| \d+ \| \d+ \| (\d+) \| (\d+) \| (\S+) \|/gm),
  ];
  t.same(
    rows.map(([, name, tries, lost, doubled, gaps]) => [name, Number(tries), lost, doubled, gaps]),
    FAULTS.map(({ name, tries: [tries] }) => [name, tries, '0', '0', 'none']),
  );
});

/** MiB that a service holds (`collecting.js`). */
async function heldBy({ kill, stderr }: Server): Promise<number> {
  const told = () => [...stderr().matchAll(/^held (\d+)$/gm)].map(([, bytes]) => Number(bytes));
  const before = told().length;
  kill('SIGWINCH');
  const bytes = await eventually('a collection', () => told()[before]);
  return bytes / 2 ** 20;
}

t.test('a soak: memory stays flat', options, async (t) => {
  const [node, ...flags] = START;
  const service = await world(t, {}, [node, '--expose-gc', '--import=./test/support/collecting.js', ...flags]);
  const channelId = randomUUID();
  const load = startLoad(service.url, channelId, CLIENTS, SOAK_PAUSE);
  await recovered(load);
  await delay((SOAK / 3) * 60_000);
  const first = await heldBy(service.server());
  await delay((SOAK / 3) * 2 * 60_000);
  const last = await heldBy(service.server());
  await load.stop();
  t.same(await discrepancies(service, load, channelId), { lost: 0, doubled: 0, gapless: true });
  t.same(
    [...load.outcomes.keys()].filter((outcome) => !WANTED.includes(outcome)),
    [],
  );
  const held = `held at first ${first.toFixed(1)} MiB, at last ${last.toFixed(1)} MiB`;
  t.ok(last < first + SLACK, held);
  t.comment(`${SOAK} minutes: ${held}`);
});

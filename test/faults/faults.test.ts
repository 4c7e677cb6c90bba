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

/** True for the whole battery (`npm run faults`) instead of its short form. */
const whole = process.env['FAULTS'] === 'whole';
const CLIENTS = 4;
/** The milliseconds of a lasting fault. */
const LASTS = whole ? 5000 : 1500;
/** The minutes of the soak, which runs alone, and the milliseconds between two rounds of a client. */
const SOAK = whole ? 30 : 1.5;
const SOAK_PAUSE = 250;
/** MiB of growth after the first third of the soak. A leak would cause more. */
const SLACK = 8;
const WANTED = ['200', '201'];
/** Close codes of sockets: going away, restart of the service, try again later. */
const CLOSES = [1001, 1012, 1013];

// The whole battery takes longer than the limit of a file.
t.setTimeout(0);
const options = { skip: skipWithoutPostgresql || skipWithoutRedis, buffered: true };

t.test('no acknowledged write is lost or doubled under any fault', options, async (t) => {
  const service = await world(t);
  const rows: Row[] = [];
  t.teardown(() => whole && writeReport(rows));
  for (const { name, tries, happen, expected } of FAULTS) {
    t.test(name, async (t) => {
      const times = whole ? tries[0] : tries[1];
      const channelId = randomUUID();
      const load = startLoad(t, service.url, channelId, CLIENTS);
      await recovered(load);
      let slowest = 0;
      for (let i = 0; i < times; i++) {
        const began = performance.now();
        await happen(service, LASTS);
        const since = expected.includes('gone') ? began : performance.now();
        slowest = Math.max(slowest, await recovered(load, since));
      }
      await load.stop();
      const found = await discrepancies(service, load, channelId);
      rows.push({ name, tries: times, ...found, ...summary(load), recovery: slowest });
      t.same(found, { lost: 0, doubled: 0, gapless: true });
      const unexpected = [...load.outcomes].filter(([outcome]) => ![...WANTED, ...expected].includes(outcome));
      const said = [...[...load.outcomes].map(([outcome, times]) => `${outcome} ${times} times`), ...load.reasons];
      t.same(unexpected, [], said.join(', '));
      const closes = expected.includes('cut') ? [...CLOSES, 1006] : CLOSES;
      t.same(
        [...load.closed.keys()].filter((code) => !closes.includes(code)),
        [],
      );
    });
  }
});

t.test('the page lists the measurement of each fault: nothing lost, nothing doubled, no gap', async (t) => {
  const rows = [
    ...page('docs/faults.md').matchAll(/^\| ([^|]+?) \| (\d+) \| \d+ \| \d+ \| (\d+) \| (\d+) \| (\S+) \|/gm),
  ];
  t.same(
    rows.map(([, name, tries, lost, doubled, gaps]) => [name, Number(tries), lost, doubled, gaps]),
    FAULTS.map(({ name, tries: [tries] }) => [name, tries, '0', '0', 'none']),
  );
});

/** Returns the MiB of a service's heap (`collecting.js`). */
async function heldBy({ kill, stderr }: Server): Promise<number> {
  const heapSizes = () => [...stderr().matchAll(/^held (\d+)$/gm)].map(([, bytes]) => Number(bytes));
  const before = heapSizes().length;
  kill('SIGWINCH');
  const bytes = await eventually('a collection', () => heapSizes()[before]);
  return bytes / 2 ** 20;
}

t.test('memory does not grow in a soak', options, async (t) => {
  const [node, ...flags] = START;
  const service = await world(t, {}, [node, '--expose-gc', '--import=./test/support/collecting.js', ...flags]);
  const channelId = randomUUID();
  const load = startLoad(t, service.url, channelId, CLIENTS, SOAK_PAUSE);
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
    [...load.reasons].join(', '),
  );
  const held = `held at first ${first.toFixed(1)} MiB, at last ${last.toFixed(1)} MiB`;
  t.ok(last < first + SLACK, held);
  t.comment(`${SOAK} minutes: ${held}`);
});

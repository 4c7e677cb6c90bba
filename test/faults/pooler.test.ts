import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import t from 'tap';
import { pgbouncer, skipWithoutPgbouncer } from '../support/poolers.js';
import { START } from '../support/process.js';
import { skipWithoutPostgresql, skipWithoutRedis } from '../support/servers.js';
import { FAULTS } from './battery.js';
import { startLoad } from './load.js';
import { discrepancies, recovered, world } from './world.js';

const whole = process.env['FAULTS'] === 'whole';
const TRIES = whole ? 10 : 2;
const LASTS = whole ? 5000 : 1500;
const CLIENTS = 4;
const SOUND = ['200', '201'];

t.setTimeout(0);

t.test(
  'behind PgBouncer in transaction mode no request fails, and no acknowledged write is lost or doubled under a fault',
  { skip: skipWithoutPostgresql || skipWithoutRedis || skipWithoutPgbouncer },
  async (t) => {
    const pooler = await pgbouncer(t, 'transaction');
    const service = await world(t, {}, START, pooler);
    const restarted = async () => {
      await pooler.kill();
      await delay(LASTS);
      await pooler.start();
    };
    const sessionsEnd = FAULTS.find(({ name }) => name === 'PostgreSQL ends sessions');
    const faults = {
      nothing: () => delay(LASTS),
      'PgBouncer restarts': restarted,
      'PostgreSQL ends sessions': async () => sessionsEnd?.happen(service, LASTS),
    };
    for (const [name, happen] of Object.entries(faults)) {
      t.test(name, async (t) => {
        const channelId = randomUUID();
        const load = startLoad(t, service.url, channelId, CLIENTS);
        await recovered(load);
        for (let i = 0; i < TRIES; i++) {
          await happen();
          await recovered(load);
        }
        await load.stop();
        t.same(await discrepancies(service, load, channelId), { lost: 0, doubled: 0, gapless: true });
        const expected = name === 'nothing' ? SOUND : [...SOUND, '503', 'UNAVAILABLE'];
        const outcomes = [...load.outcomes].map(([outcome, times]) => `${outcome} ${times} times`).join(', ');
        t.comment(`${name}: ${outcomes}`);
        t.same(
          [...load.outcomes.keys()].filter((outcome) => !expected.includes(outcome)),
          [],
          outcomes,
        );
      });
    }
  },
);

import t, { type Test } from 'tap';
import type { Job } from '../../../src/platform/core/part.js';
import { type Database, openDatabase } from '../../../src/platform/database/open.js';
import { jobRunner } from '../../../src/platform/parts/jobs/index.js';
import { onEachDatabase } from '../../support/databases.js';
import { eventually } from '../../support/process.js';

const HOUR = 3_600_000;

/** A job of an instance, with the number of its runs. */
async function instance(
  t: Test,
  { listen, isListening }: Pick<Database, 'isListening'> & { listen?: Database['listen'] | undefined },
  job: Partial<Job>,
) {
  const seen = { runs: 0, faults: 0, moved: 0 };
  const run = job.run ?? (async () => undefined);
  const jobs = await jobRunner({
    channel: 'test_jobs',
    listen,
    isListening,
    now: () => Date.now() + seen.moved,
    onFault: () => seen.faults++,
  });
  const counted: Job['run'] = (...args) => {
    seen.runs++;
    return run(...args);
  };
  jobs.add([{ name: 'work', every: HOUR, announced: true, ...job, run: counted }]);
  jobs.start();
  t.teardown(jobs.stop);
  const hasRun = (times: number) => eventually(`run ${times}`, async () => seen.runs >= times);
  await hasRun(1);
  return { jobs, seen, hasRun };
}

const deaf = { isListening: () => false };
const alone = { isListening: () => true };

onEachDatabase(t, async (t, open) => {
  const database = await open();

  t.test('all instances are notified of work at the commit of its transaction', async (t) => {
    const { url } = database;
    const { hasRun, seen } = await instance(t, database, {});
    // An embedded database has one instance.
    const elsewhere = url === undefined ? database : await openDatabase(url);
    if (elsewhere !== database) t.teardown(elsewhere.close);
    const { announce } = (await instance(t, url === undefined ? alone : elsewhere, {})).jobs;
    const undone = elsewhere.client.$transaction(async (db) => {
      await announce(db, 'work');
      throw new Error('undone');
    });
    await t.rejects(undone, { message: 'undone' });
    await elsewhere.client.$transaction((db) => announce(db, 'another'));
    await elsewhere.client.$transaction((db) => announce(db, 'work', Date.now() + HOUR));
    t.equal(seen.runs, 1);
    seen.moved = HOUR;
    await hasRun(2);
    await elsewhere.client.$transaction((db) => announce(db, 'work'));
    await hasRun(3);
  });
});

t.test('due jobs run at their time', async (t) => {
  const due = [Date.now() + HOUR];
  const { seen, hasRun } = await instance(t, alone, { run: async () => due.pop() });
  seen.moved = HOUR;
  await hasRun(2);
});

t.test('jobs run without notifications', async (t) => {
  const { hasRun } = await instance(t, deaf, {});
  await hasRun(3);
  const unannounced = await instance(t, deaf, { announced: false });
  const often = await instance(t, alone, { every: 500 });
  await often.hasRun(3);
  t.equal(unannounced.seen.runs, 1);
});

t.test('jobs run after a lost connection', async (t) => {
  let reconnect = () => {};
  const listen: Database['listen'] = async (_channel, _onSignal, onConnect) => {
    reconnect = onConnect;
    onConnect();
  };
  const { hasRun } = await instance(t, { ...alone, listen }, {});
  reconnect();
  await hasRun(2);
});

t.test('concurrency is limited, and notifications during a run cause another run', async (t) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let first = true;
  const { jobs, seen, hasRun } = await instance(t, alone, {
    concurrency: 2,
    async run(_signal, more) {
      if (!first) return held;
      first = false;
      more();
      return held;
    },
  });
  await hasRun(2);
  jobs.wake('work');
  t.equal(seen.runs, 2);
  release();
  await hasRun(3);
});

t.test('a failed job is reported once and retried', async (t) => {
  let failures = 3;
  const { seen, hasRun } = await instance(t, alone, {
    run: async () => {
      if (failures-- > 0) throw new Error('the work fails');
    },
  });
  await hasRun(4);
  t.equal(seen.faults, 1);
});

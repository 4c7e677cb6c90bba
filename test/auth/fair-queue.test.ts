import t from 'tap';
import { fairQueue, QueueFull } from '../../src/platform/accounts/fair-queue.js';

/** A queue whose work ends when the test says so. */
function watched(options: { concurrency: number; capacity: number }) {
  const { run } = fairQueue(options);
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  return {
    started,
    /** Adds work. The first letter of its name is its group. */
    ask: (name: string) => {
      const work = () =>
        new Promise<string>((resolve) => {
          started.push(name);
          ends.set(name, () => resolve(name));
        });
      return run(name[0] as string, work).catch((error: unknown) => (error instanceof QueueFull ? 'full' : 'failed'));
    },
    end: async (name: string) => {
      ends.get(name)?.();
      await settled();
    },
    settled,
  };
}

t.test('groups are served in rotation, one piece of work of each at a time', async (t) => {
  const { ask, end, settled, started } = watched({ concurrency: 2, capacity: 10 });
  const all = ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1'].map(ask);
  await settled();
  t.same(started, ['a1', 'b1']);
  const order = ['a1', 'c1', 'b1', 'a2', 'b2', 'a3', 'a4'];
  for (const name of order) await end(name);
  t.same(started, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
  t.same(await Promise.all(all), ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'c1']);
});

t.test('a full queue removes the last work of the longest group', async (t) => {
  const { ask, end, settled, started } = watched({ concurrency: 1, capacity: 3 });
  const flood = ['a0', 'a1', 'a2', 'a3', 'a4'].map(ask);
  await settled();
  t.equal(await flood[4], 'full', 'no place is left');
  const other = ask('b1');
  t.equal(await flood[3], 'full', 'but for another group');
  const third = ask('c1');
  t.equal(await flood[2], 'full');
  t.equal(await ask('d1'), 'full', 'where all have the same, nobody gives way');
  t.equal(await ask('b2'), 'full');
  for (const name of ['a0', 'b1', 'c1', 'a1']) await end(name);
  t.same(started, ['a0', 'b1', 'c1', 'a1']);
  t.same(await Promise.all([flood[0], flood[1], other, third]), ['a0', 'a1', 'b1', 'c1']);
});

t.test('work that starts at once needs no place', async (t) => {
  const { ask, end, settled } = watched({ concurrency: 2, capacity: 1 });
  const flood = [ask('a1'), ask('a2')];
  await settled();
  const other = ask('b1');
  await settled();
  await end('b1');
  t.equal(await other, 'b1');
  for (const name of ['a1', 'a2']) await end(name);
  t.same(await Promise.all(flood), ['a1', 'a2']);
});

t.test('failed work frees its place', async (t) => {
  const { run } = fairQueue({ concurrency: 1, capacity: 1 });
  await t.rejects(
    run('a', () => Promise.reject(new Error('no'))),
    { message: 'no' },
  );
  await t.rejects(
    run('a', () => {
      throw new Error('at once');
    }),
    { message: 'at once' },
  );
  t.equal(await run('a', async () => 1), 1);
});

import t from 'tap';
import { fairQueue } from '../../../src/platform/core/calls/fair-queue.js';

/** A queue of items that are named by their groups: `a.x.1` is an item of the part `a.x` of the group `a`. */
function queueOf(capacity: number) {
  const queue = fairQueue<{ name: string; path: string[] }>(capacity);
  const items = new Map<string, { name: string; path: string[] }>();
  const itemOf = (name: string) => {
    const parts = name.split('.').slice(0, -1);
    const item = items.get(name) ?? { name, path: parts.map((_, i) => parts.slice(0, i + 1).join('.')) };
    items.set(name, item);
    return item;
  };
  return {
    size: queue.size,
    /** Returns the names of the items without a place. */
    add: (...names: string[]) => names.flatMap((name) => queue.add(itemOf(name))?.name ?? []),
    remove: (name: string) => queue.remove(itemOf(name)),
    rest: () => Array.from({ length: queue.size() }, () => queue.take()?.name),
  };
}

t.test('groups are served in rotation', async (t) => {
  const { add, rest } = queueOf(10);
  add('a.1', 'a.2', 'a.3', 'b.1', 'b.2', 'c.1');
  t.same(rest(), ['a.1', 'b.1', 'c.1', 'a.2', 'b.2', 'a.3']);
  t.same(rest(), []);
});

t.test('the parts of a group are served in rotation, in the turns of the group', async (t) => {
  const { add, rest } = queueOf(20);
  add('a.x.1', 'a.x.2', 'a.y.1', 'a.z.1', 'b.x.1', 'b.x.2', 'b.x.3');
  t.same(rest(), ['a.x.1', 'b.x.1', 'a.y.1', 'b.x.2', 'a.z.1', 'b.x.3', 'a.x.2']);
});

t.test('a full queue removes the last item of the largest group', async (t) => {
  const { add, rest } = queueOf(3);
  t.same(add('a.1', 'a.2', 'a.3', 'a.4'), ['a.4'], 'no place is left');
  t.same(add('b.1'), ['a.3'], 'except for another group');
  t.same(add('c.1'), ['a.2']);
  t.same(add('d.1', 'b.2'), ['d.1', 'b.2'], 'nobody gives way to a group that would be as large');
  t.same(rest(), ['a.1', 'b.1', 'c.1']);
});

t.test('many parts of one group do not displace another group', async (t) => {
  const { add, rest } = queueOf(4);
  t.same(add('a.1.1', 'a.2.1', 'a.3.1', 'a.4.1', 'a.5.1'), ['a.5.1']);
  t.same(add('b.1.1'), ['a.4.1'], 'the group of four parts gives way');
  t.same(add('b.1.2', 'b.1.3'), ['a.3.1', 'b.1.3']);
  t.same(add('b.2.1'), ['b.1.2'], 'within a group the largest part gives way');
  t.same(rest(), ['a.1.1', 'b.1.1', 'a.2.1', 'b.2.1']);
});

t.test('removed items free their places', async (t) => {
  const { add, remove, rest, size } = queueOf(3);
  add('a.x.1', 'a.y.1', 'b.x.1');
  for (const name of ['a.x.1', 'a.x.1', 'c.x.1', 'a.x.9']) remove(name);
  t.equal(size(), 2);
  t.same(add('a.x.2', 'a.x.3'), ['a.x.3']);
  t.same(rest(), ['a.y.1', 'b.x.1', 'a.x.2']);
  t.equal(size(), 0);
});

/** The queue of password hashes. It takes turns between groups (networks), so that one network cannot delay the logins of others. @module */

/** Thrown if the queue is full. */
export class QueueFull extends Error {}

interface Task {
  start: () => Promise<void>;
  reject: () => void;
}

/**
 * Runs the tasks of groups in rotation, one task of each group at a time. In a full queue, a new task replaces the
 * last task of the longest group, unless its own group is as long.
 */
export function fairQueue({ concurrency, capacity }: { concurrency: number; capacity: number }) {
  /** Waiting tasks by group. The order of the groups is the order of service. */
  const queues = new Map<string, Task[]>();
  const busy = new Set<string>();
  let queued = 0;

  function makeRoom(groupSize: number): void {
    const longest = [...queues.values()].reduce((one, other) => (other.length > one.length ? other : one), []);
    if (longest.length <= groupSize + 1) throw new QueueFull();
    longest.pop()?.reject();
    queued -= 1;
  }

  function moveBack(group: string): void {
    const queue = queues.get(group);
    if (queue === undefined) return;
    queues.delete(group);
    queues.set(group, queue);
  }

  function next(): void {
    for (const [group, queue] of queues) {
      if (busy.size >= concurrency) return;
      if (busy.has(group)) continue;
      const [first, ...others] = queue as [Task, ...Task[]];
      queues.delete(group);
      if (others.length > 0) queues.set(group, others);
      queued -= 1;
      busy.add(group);
      first.start().finally(() => {
        busy.delete(group);
        moveBack(group);
        next();
      });
    }
  }

  return {
    /** @throws QueueFull if the queue is full, or if work of another group replaces this work */
    run<T>(group: string, work: () => Promise<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        const startsAtOnce = busy.size < concurrency && !busy.has(group);
        const queue = queues.get(group) ?? [];
        if (queued >= capacity && !startsAtOnce) makeRoom(queue.length);
        const start = () => Promise.resolve().then(work).then(resolve, reject);
        queue.push({ start, reject: () => reject(new QueueFull()) });
        queues.set(group, queue);
        queued += 1;
        next();
      });
    },
  };
}

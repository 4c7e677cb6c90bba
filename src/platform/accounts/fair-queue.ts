/** Thrown if the queue is full. */
export class QueueFull extends Error {}

interface Waiting {
  start: () => Promise<void>;
  refuse: () => void;
}

/**
 * Serves groups in rotation, one piece of work of each group at a time. In a full queue, new work replaces the last of
 * the longest group, unless its own group is as long.
 */
export function fairQueue({ running, places }: { running: number; places: number }) {
  /** Waiting work by group, in the order of service. */
  const lines = new Map<string, Waiting[]>();
  const busy = new Set<string>();
  let taken = 0;

  function makeRoom(joining: number): void {
    const longest = [...lines.values()].reduce((one, other) => (other.length > one.length ? other : one), []);
    if (longest.length <= joining + 1) throw new QueueFull();
    longest.pop()?.refuse();
    taken -= 1;
  }

  function moveBack(group: string): void {
    const line = lines.get(group);
    if (line === undefined) return;
    lines.delete(group);
    lines.set(group, line);
  }

  function next(): void {
    for (const [group, line] of lines) {
      if (busy.size >= running) return;
      if (busy.has(group)) continue;
      const [first, ...others] = line as [Waiting, ...Waiting[]];
      lines.delete(group);
      if (others.length > 0) lines.set(group, others);
      taken -= 1;
      busy.add(group);
      first.start().finally(() => {
        busy.delete(group);
        moveBack(group);
        next();
      });
    }
  }

  return {
    /** @throws QueueFull without a place, or if another group takes the place */
    run<T>(group: string, work: () => Promise<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        const startsAtOnce = busy.size < running && !busy.has(group);
        const line = lines.get(group) ?? [];
        if (taken >= places && !startsAtOnce) makeRoom(line.length);
        const start = () => Promise.resolve().then(work).then(resolve, reject);
        line.push({ start, refuse: () => reject(new QueueFull()) });
        lines.set(group, line);
        taken += 1;
        next();
      });
    },
  };
}

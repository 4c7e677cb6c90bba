/** Thrown if no place is left in a queue. */
export class QueueFull extends Error {}

interface Waiting {
  start: () => Promise<void>;
  refuse: () => void;
}

/**
 * Makes a queue in which groups take turns, and one piece of work of each group runs at a time. If all places are taken, a new one
 * gets the last place of the longest group, unless its own group would then be longer.
 * @param running pieces of work at once
 * @param places for waiting ones
 */
export function fairQueue({ running, places }: { running: number; places: number }) {
  /** Waiting work by group, in the order of their turns. */
  const lines = new Map<string, Waiting[]>();
  const busy = new Set<string>();
  let taken = 0;

  function makeRoom(joining: number): void {
    const longest = [...lines.values()].reduce((one, other) => (other.length > one.length ? other : one), []);
    if (longest.length <= joining + 1) throw new QueueFull();
    longest.pop()?.refuse();
    taken -= 1;
  }

  /** Moves a group that was served behind the others. */
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
    /**
     * Runs the work when it is the group's turn.
     * @throws QueueFull if there is no place for it, or another group has taken its place
     */
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

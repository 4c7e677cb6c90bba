import { LRUCache } from 'lru-cache';

/** Steps in which the window slides. A request counts until the step that it came in has left the window. */
export const STEPS = 60;
/** Callers remembered, each in 60 small numbers; the one that was silent longest is forgotten first. */
const CALLERS = 10_000;

/** Where a key stands. */
export interface Count {
  /** Units in the window, those asked for included; more than the limit where they are refused. */
  current: number;
  /** Milliseconds until the oldest of them leaves the window, and the count falls. */
  ttl: number;
}

interface Window {
  /** Requests by step, at the index of the step modulo STEPS. */
  counts: Uint32Array;
  /** Of all of them. */
  total: number;
  /** The newest step that was counted in. */
  last: number;
}

/**
 * A sliding window for each key, in memory. What is refused is not counted, so that a caller who waits as long as it was
 * told is served, however often it tried in between.
 * @param now milliseconds since the epoch
 */
export function slidingWindows(now: () => number) {
  const windows = new LRUCache<string, Window>({ max: CALLERS });
  function open(key: string, present: number): Window {
    const window = { counts: new Uint32Array(STEPS), total: 0, last: present };
    windows.set(key, window);
    return window;
  }

  /**
   * @param span milliseconds that the window is long
   * @param units what is spent at once: as much of it as there is left
   */
  return (key: string, span: number, limit: number, units = 1): Count => {
    const step = span / STEPS;
    const time = now();
    const present = Math.floor(time / step);
    const window = windows.get(key) ?? open(key, present);
    forget(window, present);
    const current = window.total + units;
    const spent = Math.min(units, Math.max(0, limit - window.total));
    window.counts[window.last % STEPS] = (window.counts[window.last % STEPS] as number) + spent;
    window.total += spent;
    return { current, ttl: Math.ceil((oldestStep(window) + STEPS) * step - time) };
  };
}

/** Empties the steps that have left the window; all of them where the clock was set back. */
function forget(window: Window, present: number): void {
  if (present - window.last >= STEPS || present < window.last - 1) {
    window.counts.fill(0);
    window.total = 0;
    window.last = present;
  }
  for (; window.last < present; window.last++) {
    const step = (window.last + 1) % STEPS;
    window.total -= window.counts[step] as number;
    window.counts[step] = 0;
  }
}

function oldestStep({ counts, last }: Window): number {
  for (let step = last - STEPS + 1; step < last; step++) if (counts[step % STEPS]) return step;
  return last;
}

import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import { BOUNDS } from '../../core/bounds.js';
import type { Seams } from '../../core/part.js';

/** Milliseconds for which a page waits while requests run. It waits as long as requests wait for a place. */
const PATIENCE_MS = 25;
const CHECK_MS = 2;
/** Milliseconds of a turn of the event loop in which pages send entries. */
const TURN_MS = 0.5;

/** Runs few pages of subscriptions at a time, for each caller and in total, after requests. Callers take turns. */
export function background({ figures, runOn }: Pick<Seams['limits']['places'], 'figures' | 'runOn'>) {
  const callers = new Map<string, { begun: number; readonly waiting: (() => void)[] }>();
  let begun = 0;
  let running = 0;
  let lastTurn: Promise<unknown> = Promise.resolve();
  let turnEnds = 0;

  function beginNext(): void {
    for (const [key, caller] of callers) {
      if (begun >= BOUNDS.pages.value) return;
      const begin = caller.begun < BOUNDS.pagesOfCaller.value ? caller.waiting.shift() : undefined;
      if (!begin) continue;
      callers.delete(key);
      callers.set(key, caller);
      caller.begun += 1;
      begun += 1;
      begin();
    }
  }

  async function giveWay(): Promise<void> {
    const until = performance.now() + PATIENCE_MS;
    const isBusy = ({ underWay, waiting }: ReturnType<typeof figures>) =>
      waiting > 0 || (underWay > running && performance.now() < until);
    while (isBusy(figures())) await delay(CHECK_MS, undefined, { ref: false });
  }

  async function run(key: string, page: () => Promise<void>): Promise<void> {
    const caller = callers.get(key) ?? { begun: 0, waiting: [] };
    callers.set(key, caller);
    await new Promise<void>((begin) => {
      caller.waiting.push(begin);
      beginNext();
    });
    try {
      await giveWay();
      running += 1;
      await runOn(page).finally(() => {
        running -= 1;
      });
    } finally {
      begun -= 1;
      caller.begun -= 1;
      if (caller.begun === 0 && caller.waiting.length === 0) callers.delete(key);
      beginNext();
    }
  }

  /** Resolves when a page may send an entry: after other input, unless the turn of the event loop has just begun. */
  function turn(): Promise<unknown> {
    if (performance.now() < turnEnds) return Promise.resolve();
    lastTurn = lastTurn.then(() => nextTurn());
    return lastTurn.then(() => {
      turnEnds = performance.now() + TURN_MS;
    });
  }

  return (key: string) => ({ schedule: (page: () => Promise<void>) => run(key, page), turn });
}

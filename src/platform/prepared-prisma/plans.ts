/** Caches of a prepared client: plans by the shape of a call, and the names of prepared statements. */
import { createHash } from 'node:crypto';
import type { Plan, UnsupportedPlan } from './recorder.js';

const MAX_WAITING = 100;

/** Milliseconds before the first recording, because a starting process has more urgent work. */
const START_DELAY_MS = 1000;

interface Entry {
  plan: Plan | UnsupportedPlan;
  /** True if used since the last eviction, which spares such plans once (second-chance algorithm). */
  isUsed: boolean;
}

export interface PlanCache {
  get: (key: string) => Plan | UnsupportedPlan | undefined;
  /** Records a shape in the background at its second use. @param prepare returns the function that records */
  record: (key: string, prepare: () => () => Promise<Plan | UnsupportedPlan>) => void;
  markUnsupported: (key: string, reason: string) => void;
  clear: () => void;
  /** Resolves when no recording is pending. */
  settled: () => Promise<void>;
}

/** @param perSecond limits recordings, because callers may choose the shapes of their calls */
export function planCache(limit: number, perSecond: number): PlanCache {
  const plans = new Map<string, Entry>();
  const wasSeen = seenBefore(limit);
  const waiting = new Map<string, () => Promise<Plan | UnsupportedPlan>>();
  let generation = 0;
  let nextAt = performance.now() + START_DELAY_MS;
  let recording: Promise<void> | undefined;

  function makeRoom(): void {
    for (const [key, { plan, isUsed }] of plans) {
      if (plans.size < limit) return;
      plans.delete(key);
      if (isUsed) plans.set(key, { plan, isUsed: false });
    }
  }

  async function recordAll(): Promise<void> {
    while (waiting.size > 0) {
      const wait = nextAt - performance.now();
      // Keeps the recording out of the current request.
      await new Promise<void>((resolve) => {
        if (wait > 1) setTimeout(resolve, wait).unref();
        else setImmediate(resolve);
      });
      nextAt = performance.now() + 1000 / perSecond;
      const [next] = waiting;
      if (next === undefined) return;
      const [key, record] = next;
      const before = generation;
      const plan = await record();
      waiting.delete(key);
      if (before !== generation) continue;
      makeRoom();
      plans.set(key, { plan, isUsed: true });
    }
  }

  return {
    get(key) {
      const entry = plans.get(key);
      if (entry === undefined) return undefined;
      entry.isUsed = true;
      return entry.plan;
    },
    record(key, prepare) {
      if (waiting.has(key)) return;
      if (!wasSeen(key)) return;
      if (waiting.size >= MAX_WAITING) return;
      waiting.set(key, prepare());
      recording ??= recordAll().finally(() => {
        recording = undefined;
      });
    },
    markUnsupported: (key, reason) => void plans.set(key, { plan: { reason }, isUsed: true }),
    clear() {
      generation++;
      plans.clear();
    },
    settled: async () => {
      // Keeps a waiting process alive, because the timers of recordings are unreferenced.
      const alive = setInterval(() => {}, 1000);
      while (recording !== undefined) await recording;
      clearInterval(alive);
    },
  };
}

/** Names of prepared statements. A server keeps a statement until its connection ends, so names are not reused. */
export interface StatementNames {
  /** Returns an empty string if the limit is reached. The statement is then not prepared. */
  nameOf: (text: string) => string;
  /** Returns an empty string for the first use of a text. */
  nameOfRepeated: (text: string) => string;
  /** Changes all names, because PostgreSQL rejects statements that were prepared before a table was altered. */
  renew: () => void;
}

export function statementNames(limit: number): StatementNames {
  const names = new Map<string, string>();
  const isSecond = seenBefore(limit);
  let revision = 0;
  function of(text: string): string {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size >= limit) return '';
    // A hash, because a pooler may share a server connection between processes of two versions.
    const hash = createHash('sha256').update(`${text}${revision}`).digest('base64url').slice(0, 22);
    const name = `prepared_${hash}`;
    names.set(text, name);
    return name;
  }
  return {
    nameOf: of,
    nameOfRepeated(text) {
      return names.has(text) || isSecond(text) ? of(text) : '';
    },
    renew() {
      revision++;
      names.clear();
    },
  };
}

/** Returns a function that returns true for the second use of a text. */
function seenBefore(limit: number): (text: string) => boolean {
  const seen = new Set<string>();
  return (text) => {
    if (seen.delete(text)) return true;
    const oldest = seen.size >= limit ? seen.values().next().value : undefined;
    if (oldest !== undefined) seen.delete(oldest);
    seen.add(text);
    return false;
  };
}

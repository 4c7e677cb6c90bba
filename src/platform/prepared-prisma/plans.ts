/** The plans of a client, and the names of their statements. */
import { createHash } from 'node:crypto';
import type { Plan, UnsupportedPlan } from './recorder.js';

const MAX_WAITING = 100;

/** Milliseconds before the first recording, because a starting process has more urgent work. */
const QUIET_MS = 1000;

interface Entry {
  plan: Plan | UnsupportedPlan;
  /** True if used since room was last made. Such plans outlive plans of shapes that are used once. */
  isUsed: boolean;
}

export interface Plans {
  get: (key: string) => Plan | UnsupportedPlan | undefined;
  /** Records a shape in the background at its second use. @param prepare returns the function that records */
  miss: (key: string, prepare: () => () => Promise<Plan | UnsupportedPlan>) => void;
  refuse: (key: string, reason: string) => void;
  clear: () => void;
  /** Waits until nothing is to be recorded. */
  settled: () => Promise<void>;
}

/** @param perSecond limits recordings, because callers may choose the shapes of their calls */
export function plansOf(limit: number, perSecond: number): Plans {
  const plans = new Map<string, Entry>();
  const isSecond = seenBefore(limit);
  const waiting = new Map<string, () => Promise<Plan | UnsupportedPlan>>();
  let generation = 0;
  let nextAt = performance.now() + QUIET_MS;
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
    miss(key, prepare) {
      if (waiting.has(key)) return;
      if (!isSecond(key)) return;
      if (waiting.size >= MAX_WAITING) return;
      waiting.set(key, prepare());
      recording ??= recordAll().finally(() => {
        recording = undefined;
      });
    },
    refuse: (key, refused) => void plans.set(key, { plan: { refused }, isUsed: true }),
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
  /** Returns an empty string when all names are used. The statement is then not prepared. */
  of: (text: string) => string;
  /** Returns an empty string for the first use of a text. */
  ofRepeated: (text: string) => string;
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
    of,
    ofRepeated(text) {
      return names.has(text) || isSecond(text) ? of(text) : '';
    },
    renew() {
      revision++;
      names.clear();
    },
  };
}

/** Returns true for the second use of a text. */
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

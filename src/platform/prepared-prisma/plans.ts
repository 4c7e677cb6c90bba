/** The plans of a client, when they are recorded, and the names of their statements. */
import { createHash } from 'node:crypto';
import type { Plan, Refused } from './recorder.js';

/** Shapes that wait for their recording at most. Others are asked for again with a later call. */
const MOST_WAITING = 100;

/** Milliseconds before the first recording: a process that starts has more urgent work. */
const QUIET_MS = 1000;

interface Entry {
  plan: Plan | Refused;
  /** Used since room was last made. Such a plan outlives plans of shapes that are used once. */
  isUsed: boolean;
}

export interface Plans {
  get: (key: string) => Plan | Refused | undefined;
  /**
   * Says that a shape without a plan is used. The second use has it recorded, in the background.
   * @param prepare called at once if the shape is to be recorded; returns what records it
   */
  miss: (key: string, prepare: () => () => Promise<Plan | Refused>) => void;
  /** Has Prisma run a shape from now on. */
  refuse: (key: string, reason: string) => void;
  /** Forgets all plans. */
  clear: () => void;
  /** Waits until nothing is to be recorded. */
  settled: () => Promise<void>;
}

/**
 * @param limit how many plans are kept
 * @param perSecond how many are recorded in a second, so that callers who choose the shapes of their calls cost no more
 */
export function plansOf(limit: number, perSecond: number): Plans {
  const plans = new Map<string, Entry>();
  const isSecond = seenBefore(limit);
  const waiting = new Map<string, () => Promise<Plan | Refused>>();
  let generation = 0;
  /** When the next recording may begin. */
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
      // Off the path of who called last.
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
      if (waiting.size >= MOST_WAITING) return;
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
      // The timers of recordings keep no process alive; one that waits for them is kept.
      const alive = setInterval(() => {}, 1000);
      while (recording !== undefined) await recording;
      clearInterval(alive);
    },
  };
}

/** Names for prepared statements. A server keeps a named statement until its connection ends, so names are not recycled. */
export interface StatementNames {
  /** Returns the name of a text. Returns an empty string when all names are given away: the statement is not prepared then. */
  of: (text: string) => string;
  /** Like `of`, but gives a name only when the text is seen for the second time. */
  ofRepeated: (text: string) => string;
  /** Gives other names from now on: the tables have changed, and PostgreSQL refuses to run what it prepared before. */
  renew: () => void;
}

/**
 * @param limit how many names are given away at most
 */
export function statementNames(limit: number): StatementNames {
  const names = new Map<string, string>();
  const isSecond = seenBefore(limit);
  let revision = 0;
  function of(text: string): string {
    const known = names.get(text);
    if (known !== undefined) return known;
    if (names.size >= limit) return '';
    // A hash of the text, because a pooler may give one server connection to processes of two versions.
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

/** Returns true for a text that comes for the second time. Remembers at most `limit` texts. */
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

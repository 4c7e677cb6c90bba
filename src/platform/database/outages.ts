/** What the log of the service has of it. */
type Log = Record<'error' | 'info', (message: string) => void>;

/** What every service depends on, and what it does without. */
const DEPENDENCIES: Partial<Record<string, string>> = {
  'The database': 'What needs it is refused with 503.',
  Redis: 'Each instance counts requests for itself, and messages of others are looked for in the tables.',
};
/** What is done without anything else: the services behind this one. */
const OTHERWISE = 'What is handed on to it is refused with 503.';

/** Milliseconds after which an absence is told: a connection that is lost and opened again is none. */
const TOLD_AFTER = 500;

/** Milliseconds between an error and an outage that may have caused it: a busy process notices either one late. */
const NEAR_OUTAGE_MS = 2000;

/** One of the ways by which the service notices whether something that it depends on is there. */
export interface Dependency {
  /** @param reason for an operator, on one line */
  away: (reason: string) => void;
  back: () => void;
}

interface Absence {
  /** Who has noticed it and not taken it back. */
  parts: Set<object>;
  /** On the clock of `performance`. */
  since: number;
  told: boolean;
  timer: NodeJS.Timeout;
}

/**
 * Tells the log once that something is away and once that it is back, however many connections and requests notice it.
 */
export function outageLog(log: Log) {
  const absences = new Map<string, Absence>();
  /** On the clock of `performance`. */
  const lastToldEnds = new Map<string, number>();
  /** Reports that wait, and their timers. */
  const pending = new Map<() => void, NodeJS.Timeout>();
  const watched = new Set<string>();

  function begin(name: string, part: object, reason: string): void {
    const at = new Date().toISOString();
    const tell = () => {
      absence.told = true;
      log.error(`${name} is away since ${at}: ${reason}. ${DEPENDENCIES[name] ?? OTHERWISE}`);
    };
    const timer = setTimeout(tell, TOLD_AFTER).unref();
    const absence: Absence = { parts: new Set([part]), since: performance.now(), told: false, timer };
    absences.set(name, absence);
  }

  function end(name: string, { since, told, timer }: Absence): void {
    clearTimeout(timer);
    absences.delete(name);
    if (!told) return;
    lastToldEnds.set(name, performance.now());
    log.info(`${name} is back after ${((performance.now() - since) / 1000).toFixed(1)} s.`);
  }

  return {
    /** One more of those that notice it. */
    dependency(name: string): Dependency {
      watched.add(name);
      const part = {};
      return {
        away(reason) {
          const known = absences.get(name);
          if (known) known.parts.add(part);
          else begin(name, part, reason);
        },
        back() {
          const known = absences.get(name);
          if (known?.parts.delete(part) && known.parts.size === 0) end(name, known);
        },
      };
    },
    /** While one of those that noticed it has not taken it back. */
    isAway: (name: string): boolean => absences.has(name),
    /**
     * Reports an error that an outage may have caused, unless the log has a line about an outage at that time. The first errors of an
     * outage often come before the service notices it, and the last ones after its end.
     */
    unlessAway(name: string, report: () => void): void {
      const earliest = performance.now() - NEAR_OUTAGE_MS;
      const decide = () => {
        pending.delete(decide);
        if (!absences.get(name)?.told && (lastToldEnds.get(name) ?? Number.NEGATIVE_INFINITY) < earliest) report();
      };
      const wait = () => {
        const absence = absences.get(name);
        // An absence that has just begun gets its line, or ends, within `TOLD_AFTER`.
        if (absence && !absence.told) pending.set(decide, setTimeout(wait, TOLD_AFTER).unref());
        else decide();
      };
      pending.set(decide, setTimeout(wait, NEAR_OUTAGE_MS).unref());
    },
    /** Decides at once on the reports that wait, because the process may end before their time. */
    flush(): void {
      for (const [decide, timer] of pending) {
        clearTimeout(timer);
        decide();
      }
    },
    watched: (): Iterable<string> => watched,
  };
}

export type Outages = ReturnType<typeof outageLog>;

type Log = Record<'error' | 'info', (message: string) => void>;

/** The consequence of an outage, by dependency. */
const CONSEQUENCES: Partial<Record<string, string>> = {
  'The database': 'Requests that need it get 503.',
  Redis: 'Each instance counts requests for itself, and reads messages of others from the tables.',
};
/** The consequence of an outage of another service. */
const UPSTREAM_CONSEQUENCE = 'Requests that need it fail.';

/** Milliseconds after which an outage is logged. Shorter ones are reconnections. */
const LOG_DELAY_MS = 500;

/** Milliseconds between an error and the outage that caused it. */
const NEAR_OUTAGE_MS = 2000;

/** Reports the state of a dependency, from one of the places that notice it. */
export interface Dependency {
  /** @param reason one line for operators */
  away: (reason: string) => void;
  back: () => void;
}

/** The number of reasons that are logged for one outage. The first is often a lost connection, and the next says why. */
const MAX_REASONS = 5;

class Absence {
  /** The places that report the outage. */
  readonly parts = new Set<object>();
  readonly reasons = new Set<string>();
  readonly since = performance.now();
  isLogged = false;
  timer: NodeJS.Timeout | undefined;
}

/** Logs the beginning, the reasons and the end of an outage once each, however many connections and requests notice it. */
export function outageLog(log: Log) {
  const absences = new Map<string, Absence>();
  const lastLoggedEnds = new Map<string, number>();
  /** Delayed reports with their timers. */
  const pending = new Map<() => void, NodeJS.Timeout>();
  const watched = new Set<string>();

  function begin(name: string): Absence {
    const absence = new Absence();
    absences.set(name, absence);
    const at = new Date().toISOString();
    const write = () => {
      absence.isLogged = true;
      const reasons = [...absence.reasons].join('; ');
      log.error(`${name} is away since ${at}: ${reasons}. ${CONSEQUENCES[name] ?? UPSTREAM_CONSEQUENCE}`);
    };
    absence.timer = setTimeout(write, LOG_DELAY_MS).unref();
    return absence;
  }

  function end(name: string, { since, isLogged, timer }: Absence): void {
    clearTimeout(timer);
    absences.delete(name);
    if (!isLogged) return;
    lastLoggedEnds.set(name, performance.now());
    log.info(`${name} is back after ${((performance.now() - since) / 1000).toFixed(1)} s.`);
  }

  return {
    /** Adds a place that notices outages. */
    dependency(name: string): Dependency {
      watched.add(name);
      const part = {};
      return {
        away(text) {
          const reason = text.replace(/\.$/, '');
          const { parts, reasons, isLogged } = absences.get(name) ?? begin(name);
          parts.add(part);
          if (reasons.has(reason) || reasons.size === MAX_REASONS) return;
          reasons.add(reason);
          if (isLogged) log.error(`${name} is still away: ${reason}.`);
        },
        back() {
          const known = absences.get(name);
          if (known?.parts.delete(part) && known.parts.size === 0) end(name, known);
        },
      };
    },
    isAway: (name: string): boolean => absences.has(name),
    /** Reports an error unless the log has an outage at that time. Errors come before and after an outage, too. */
    unlessAway(name: string, report: () => void): void {
      const earliest = performance.now() - NEAR_OUTAGE_MS;
      const decide = () => {
        pending.delete(decide);
        if (!absences.get(name)?.isLogged && (lastLoggedEnds.get(name) ?? Number.NEGATIVE_INFINITY) < earliest)
          report();
      };
      const wait = () => {
        const absence = absences.get(name);
        // A new outage is logged, or ends, within LOG_DELAY_MS.
        if (absence && !absence.isLogged) pending.set(decide, setTimeout(wait, LOG_DELAY_MS).unref());
        else decide();
      };
      pending.set(decide, setTimeout(wait, NEAR_OUTAGE_MS).unref());
    },
    /** Decides on delayed reports now, because the process may end. */
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

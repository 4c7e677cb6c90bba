/** What the log of the service has of it. */
type Log = Record<'error' | 'info', (message: string) => void>;

/** What the service depends on, and what it does without. */
const DEPENDENCIES = {
  'The database': 'What needs it is refused with 503.',
  Redis: 'Each instance counts requests for itself, and messages of others are looked for in the tables.',
} as const;
export type DependencyName = keyof typeof DEPENDENCIES;

/** One of the connections to something that the service depends on, as a whole or as a part of it. */
export interface Dependency {
  /** @param reason for an operator, on one line */
  away: (reason: string) => void;
  back: () => void;
}

/**
 * Tells the log once that something is away and once that it is back, however many connections and requests notice it.
 */
export function outages(log: Log) {
  /** Who of a dependency complains, and since when it is away, on the clock of `performance`. */
  const complaints = new Map<DependencyName, { parts: Set<object>; since: number }>();

  const watched = new Set<DependencyName>();

  return {
    /** One more of those that notice it. */
    dependency(name: DependencyName): Dependency {
      watched.add(name);
      const part = {};
      return {
        away(reason) {
          const known = complaints.get(name);
          if (known) return void known.parts.add(part);
          complaints.set(name, { parts: new Set([part]), since: performance.now() });
          log.error(`${name} is away since ${new Date().toISOString()}: ${reason}. ${DEPENDENCIES[name]}`);
        },
        back() {
          const known = complaints.get(name);
          if (!known?.parts.delete(part) || known.parts.size > 0) return;
          complaints.delete(name);
          log.info(`${name} is back after ${((performance.now() - known.since) / 1000).toFixed(1)} s.`);
        },
      };
    },
    /** Told by one of those that noticed it, and by none that noticed the contrary. */
    isAway: (name: DependencyName): boolean => complaints.has(name),
    watched: (): Iterable<DependencyName> => watched,
  };
}

export type Outages = ReturnType<typeof outages>;

/** Provides the time of the database to all instances, independent of their local clocks. @module */

/** Milliseconds after which a sample is replaced by a less precise one, because clocks run at different speeds. */
const SAMPLE_AGE_MS = 60_000;
/** Milliseconds between the clocks of the process and the database that are logged, and that degrade the service. */
const DIFFERENCES_MS = [1000, 30_000] as const;
/** The share of a difference that must be left before the log says that it has ended. */
const HYSTERESIS = 0.9;

type Log = Record<'warn' | 'info', (message: string) => void>;

export type DatabaseClock = Awaited<ReturnType<typeof databaseClock>>;

/**
 * Samples the clock of the database. Between two samples the time advances with `performance.now()`, which ignores
 * changes of the local clock.
 * @param read returns the time of the database, in milliseconds since the epoch; undefined if it was not used since then
 */
export async function databaseClock(read: () => Promise<number | undefined>) {
  /** `offset`: from `performance.now()` to the database's time. `error`: the maximum error of the offset. */
  let best = { offset: 0, error: Number.POSITIVE_INFINITY, at: 0 };
  let reported = 0;

  async function sample(): Promise<void> {
    const sentAt = performance.now();
    const time = await read();
    if (time === undefined) return;
    const at = performance.now();
    const offset = time - (sentAt + at) / 2;
    // The answer may have been slow.
    const error = (at - sentAt) / 2;
    const isChanged = Math.abs(offset - best.offset) > error + best.error;
    if (error <= best.error || isChanged || at - best.at > SAMPLE_AGE_MS) best = { offset, error, at };
  }

  /** Returns the time of the database, in milliseconds since the epoch. */
  const now = (): number => Math.floor(performance.now() + best.offset);
  /** Returns the local time minus the time of the database, in milliseconds. */
  const difference = (): number => Date.now() - now();

  await sample();
  return {
    now,
    difference,
    isFar: (): boolean => Math.abs(difference()) > DIFFERENCES_MS[1],
    /** Samples the clock unless the database is idle, and logs each change of the difference beyond a limit. */
    async check(log: Log): Promise<void> {
      await sample();
      const ahead = difference();
      const exceeded = DIFFERENCES_MS.filter(
        (limit, i) => Math.abs(ahead) > limit * (i < reported ? HYSTERESIS : 1),
      ).length;
      if (exceeded === reported) return;
      reported = exceeded;
      if (exceeded === 0) return log.info('The clock of this machine agrees with the clock of the database again.');
      log.warn(
        `The clock of this machine is ${(Math.abs(ahead) / 1000).toFixed(1)} s ${ahead > 0 ? 'ahead of' : 'behind'} the clock of the database, whose time the service uses. Synchronise both by NTP.`,
      );
    },
  };
}

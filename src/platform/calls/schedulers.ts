/** Milliseconds after which a failed reading is repeated. */
const RETRY_MS = 1000;

/** Lets calls that come while the work is running share its result: the work never runs twice at once. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Lets calls that come while the work is running share one more run: each call gets the result of a run that began after it. */
export function coalesced<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  return () => {
    next ??= running.then(() => {
      const run = work();
      next = undefined;
      running = run.catch(() => {});
      return run;
    });
    return next;
  };
}

/**
 * Keeps memory like the tables: reads anew whenever it is asked to, never twice at once, so that an older reading cannot overwrite a
 * newer one, and repeats a reading that failed.
 * @param onFault gets the error of a reading; what was read before stays in use
 */
export function refresher(read: () => Promise<void>, onFault: (error: unknown) => void) {
  let isClosed = false;
  const readAnew = coalesced(async () => {
    try {
      await read();
    } catch (error) {
      if (!isClosed) {
        onFault(error);
        setTimeout(request, RETRY_MS).unref();
      }
      throw error;
    }
  });
  function request(): void {
    if (!isClosed) readAnew().catch(() => {});
  }
  return {
    /** Asks for a reading; several requests while one runs are one more afterwards. */
    request,
    /** Resolves when a reading that began after this call is done; rejects if it failed. */
    read: readAnew,
    close(): void {
      isClosed = true;
    },
  };
}

/**
 * Runs work with the same key one after another in this process, so that those that wait for one lock do not each occupy a connection
 * to the database. The lock decides between instances.
 */
export function serialByKey() {
  const last = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const own = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, own);
    try {
      return await own;
    } finally {
      if (last.get(key) === own) last.delete(key);
    }
  };
}

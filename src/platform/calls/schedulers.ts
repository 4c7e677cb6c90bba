const RETRY_MS = 1000;

/** Returns a function whose concurrent calls share one run of `work`. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Returns a function whose waiting calls share one run. Each call gets the result of a run that began after the call. */
export function coalesce<T>(work: () => Promise<T>): () => Promise<T> {
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

/** Schedules reads of tables into memory. Reads never overlap, so an older result cannot overwrite a newer one. */
export function refresher(read: () => Promise<void>, onFault: (error: unknown) => void) {
  let isClosed = false;
  const coalescedRead = coalesce(async () => {
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
    if (!isClosed) coalescedRead().catch(() => {});
  }
  return {
    /** Requests a read. Requests during a read cause one more. */
    request,
    /** Resolves after a read that began after this call. */
    read: coalescedRead,
    close(): void {
      isClosed = true;
    },
  };
}

/** Runs work with the same key serially, so that waiting for its lock occupies one connection. */
export function serialByKey() {
  const tails = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const own = (tails.get(key) ?? Promise.resolve()).then(work, work);
    tails.set(key, own);
    try {
      return await own;
    } finally {
      if (tails.get(key) === own) tails.delete(key);
    }
  };
}

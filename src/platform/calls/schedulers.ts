const RETRY_MS = 1000;

/** Shares the result of running work with calls that come meanwhile. */
export function singleFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => {
    running ??= work().finally(() => {
      running = undefined;
    });
    return running;
  };
}

/** Shares one run among waiting calls. Each gets the result of a run that began after the call. */
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

/** Keeps a copy of tables in memory. Readings never overlap, so an older one cannot overwrite a newer one. */
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
    /** Requests a reading. Several requests during a reading cause one more. */
    request,
    /** Resolves when a reading that began after this call is done. */
    read: readAnew,
    close(): void {
      isClosed = true;
    },
  };
}

/** Runs work with one key one after another, so that waiting for one lock occupies one connection. */
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

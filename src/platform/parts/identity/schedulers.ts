import { inFlight } from '../../core/calls/in-flight.js';
import { coalesce } from '../../core/calls/schedulers.js';

const RETRY_MS = 1000;

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
  const runs = inFlight<{ key: string; end: Promise<unknown> }>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const previous = runs.items().findLast((run) => run.key === key)?.end ?? Promise.resolve();
    const end = previous.then(work, work);
    const place = runs.add({ key, end });
    try {
      return await end;
    } finally {
      runs.remove(place);
    }
  };
}

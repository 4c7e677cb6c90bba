/** Milliseconds after which a reading that failed is tried again. */
const RETRY = 1000;

interface Refresher {
  /** Asks for a reading; several requests while one runs are one more afterwards. */
  request: () => void;
  /** Resolves when a reading that began after this call is done; rejects when it failed. */
  read: () => Promise<void>;
  close: () => void;
}

interface Waiting {
  done: () => void;
  failed: (error: unknown) => void;
}

/**
 * Keeps what is held in memory like the tables: reads anew whenever it is asked to, never twice at once, so that an
 * older reading cannot overwrite a newer one, and until it succeeds.
 * @param onFault gets why a reading failed; what was read before stays in use
 */
export function refresher(read: () => Promise<void>, onFault: (error: unknown) => void): Refresher {
  let running = false;
  let wanted = false;
  let closed = false;
  let waiting: Waiting[] = [];

  async function run(): Promise<void> {
    if (running || closed) return;
    running = true;
    while (wanted && !closed) {
      wanted = false;
      const these = waiting;
      waiting = [];
      try {
        await read();
        for (const { done } of these) done();
      } catch (error) {
        for (const { failed } of these) failed(error);
        if (closed) break;
        onFault(error);
        setTimeout(request, RETRY).unref();
      }
    }
    running = false;
  }

  function request(): void {
    wanted = true;
    void run();
  }

  return {
    request,
    read: () =>
      new Promise((done, failed) => {
        waiting.push({ done, failed });
        request();
      }),
    close() {
      closed = true;
    },
  };
}

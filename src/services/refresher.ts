/** Milliseconds after which a reading that failed is tried again. */
const RETRY = 1000;

export interface Refresher {
  /** Asks for a reading; several requests while one runs are one more afterwards. */
  request: () => void;
  close: () => void;
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

  async function run(): Promise<void> {
    if (running || closed) return;
    running = true;
    while (wanted && !closed) {
      wanted = false;
      await read().catch((error: unknown) => {
        if (closed) return;
        onFault(error);
        setTimeout(request, RETRY).unref();
      });
    }
    running = false;
  }

  function request(): void {
    wanted = true;
    void run();
  }

  return {
    request,
    close() {
      closed = true;
    },
  };
}

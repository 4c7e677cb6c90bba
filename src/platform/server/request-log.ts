import type { Bindings, ChildLoggerOptions, FastifyBaseLogger } from 'fastify/types/logger.js';

const METHODS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent', 'child'] as const;

/** The log of a request. Most requests write no line, so the child of the log is made for the first one. */
class RequestLog {
  readonly #make: () => FastifyBaseLogger;
  #made: FastifyBaseLogger | undefined;

  constructor(make: () => FastifyBaseLogger) {
    this.#make = make;
  }

  get level(): string {
    return this.made.level;
  }

  get made(): FastifyBaseLogger {
    this.#made ??= this.#make();
    return this.#made;
  }
}
for (const method of METHODS) {
  const write = function (this: RequestLog, ...line: unknown[]): unknown {
    return (this.made[method] as (...line: unknown[]) => unknown)(...line);
  };
  Object.defineProperty(RequestLog.prototype, method, { value: write });
}

/** Returns the log of a request, whose lines have its id. */
export const requestLog = (log: FastifyBaseLogger, id: Bindings, options: ChildLoggerOptions): FastifyBaseLogger =>
  new RequestLog(() => log.child(id, options)) as unknown as FastifyBaseLogger;

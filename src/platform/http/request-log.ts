/** Writes a line of the log for each request, and for each operation of a socket. @module */

import type { FastifyBaseLogger, FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { traceOf } from './request.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** In milliseconds of `performance.now()`. */
    arrivedAt: number;
    /** The GraphQL root fields that were called. */
    fields: Set<string> | null;
    /** The codes of its failures, separated by commas. */
    codes: string | null;
  }
  interface FastifyInstance {
    /** Writes the line of a request unless this second has its lines. @param about called for a line that is written */
    writeRequestLine: (log: FastifyBaseLogger, about: () => object) => void;
  }
}

/** Returns the facts of a request for its line, and for the line of its failure: no values of the caller but the ids. */
export const aboutRequest = (request: FastifyRequest, status?: number, codes = request.codes): object => ({
  method: request.method,
  ...(request.ws && { transport: 'socket' }),
  route: request.route?.url,
  operation: request.route?.plan?.operation.operationId ?? (request.fields ? [...request.fields].join() : undefined),
  status,
  code: codes ?? undefined,
  caller: request.actor?.id,
  ms: Math.round((performance.now() - request.arrivedAt) * 10) / 10,
  traceId: traceOf(request.headers)?.traceparent.slice(3, 35),
});

/** @param rate lines per second */
export const requestLogPlugin = fp<{ rate: number }>(
  async (app, { rate }) => {
    app.decorateRequest('arrivedAt', 0);
    app.decorateRequest('fields', null);
    app.decorateRequest('codes', null);
    let lines = 0;
    function endSecond(): void {
      if (lines > rate) app.log.info({ omitted: lines - rate }, 'lines of requests were left out');
      lines = 0;
    }
    app.addHook('onClose', async () => endSecond());
    app.decorate('writeRequestLine', (log: FastifyBaseLogger, about: () => object) => {
      if (rate === 0) return;
      if (lines === 0) setTimeout(endSecond, 1000).unref();
      lines += 1;
      if (lines <= rate) log.info(about(), 'request');
    });
    app.stage('request-line', (request, { statusCode }) =>
      app.writeRequestLine(request.log, () => aboutRequest(request, statusCode)),
    );
  },
  { name: 'request-log', dependencies: ['pipeline'] },
);

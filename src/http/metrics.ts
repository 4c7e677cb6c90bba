import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { Failure } from '../services/errors.js';
import { isLoopback } from './confidential.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The metrics in Prometheus' text format. */
    metrics: () => Promise<string>;
    /** @throws Failure UNAUTHENTICATED for who may not see the metrics */
    refuseMetrics: (request: FastifyRequest) => Promise<void>;
  }
}

/** Times every request by route and status. With a token the metrics are for its bearer, else for loopback. */
export const metricsPlugin = fp<{ token: string | undefined }>(async (app, { token }) => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to its answer, in seconds.',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
  });
  app.addHook('onResponse', async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    duration.observe({ method, route: routeOptions.url ?? 'none', status: statusCode }, elapsedTime / 1000);
  });
  app.addHook('onClose', async () => registry.clear());

  app.decorate('metrics', () => registry.metrics());
  app.decorate('refuseMetrics', async (request: FastifyRequest) => {
    const { headers, ip } = request;
    if (token !== undefined && headers.authorization !== undefined) app.refusePlainHttp(request);
    if (token === undefined ? isLoopback(ip) : isBearer(headers.authorization, token)) return;
    throw new Failure('UNAUTHENTICATED', 'The metrics need the metrics token, or the loopback address.');
  });
});

function isBearer(header: string | undefined, token: string): boolean {
  const [given, expected] = [Buffer.from(header ?? ''), Buffer.from(`Bearer ${token}`)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

import { timingSafeEqual } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import { isLoopbackAddress } from '../loopback.js';
import { Failure } from '../services/errors.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The metrics in Prometheus' text format. */
    metrics: () => Promise<string>;
    /** @throws Failure UNAUTHENTICATED for who may not see the metrics */
    refuseMetrics: (request: FastifyRequest) => Promise<void>;
  }
}

export interface MetricsOptions {
  /** METRICS_TOKEN; with it the metrics are for its bearer. */
  token: string | undefined;
  /** Whether there are trusted proxies; then who is not one of them cannot be told from who came by one. */
  proxied: boolean;
}

/** Times every request by route and status. Without a token the metrics are for who calls from this machine directly. */
export const metricsPlugin = fp<MetricsOptions>(async (app, { token, proxied }) => {
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
    const { headers } = request;
    if (token !== undefined && headers.authorization !== undefined) app.refusePlainHttp(request);
    if (token === undefined ? !proxied && isDirect(request) : isBearer(headers.authorization, token)) return;
    throw new Failure('UNAUTHENTICATED', 'The metrics need the metrics token, or a direct call from the same machine.');
  });
});

/** What a proxy adds, trusted or not. */
const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

/** The other end of the connection decides, never what a header claims. */
const isDirect = ({ raw, headers }: FastifyRequest): boolean =>
  isLoopbackAddress(raw.socket.remoteAddress ?? '') && FORWARDED.every((name) => headers[name] === undefined);

function isBearer(header: string | undefined, token: string): boolean {
  const [given, expected] = [Buffer.from(header ?? ''), Buffer.from(`Bearer ${token}`)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

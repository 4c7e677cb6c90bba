/** Shows operators the requests: a line of the log for each request and each operation of a socket, and the metrics. @module */

import { timingSafeEqual } from 'node:crypto';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { Failure } from '../../core/calls/errors.js';
import { addressOfSocket, isLoopbackAddress } from '../../core/calls/networks.js';
import { aboutRequest, type LineKind, lineKind } from '../../core/http/about-request.js';
import type { Metric, Seams } from '../../core/part.js';
import type { RouteConfig, StagesOf } from '../../core/stages.js';

/** The status in lines and metrics of a request whose client left before the answer, as in nginx. */
const CLIENT_LEFT = 499;
const statusOf = ({ raw, statusCode }: FastifyReply): number => (raw.writableEnded ? statusCode : CLIENT_LEFT);

/** The shares of the lines of a second: reads leave half of them to others, and writes and refusals a tenth to faults. */
const SHARES: Readonly<Record<LineKind, number>> = { fault: 1, change: 0.9, read: 0.5 };

/** @param rate lines per second */
export function requestLogStages(app: FastifyInstance, { rate }: { rate: number }) {
  let seen = 0;
  let written = 0;
  function endSecond(): void {
    if (seen > written) app.log.info({ omitted: seen - written }, 'lines of requests were left out');
    seen = 0;
    written = 0;
  }
  app.addHook('onClose', async () => endSecond());
  function writeLine(log: FastifyBaseLogger, kind: LineKind, about: () => object): void {
    if (rate === 0) return;
    if (seen === 0) setTimeout(endSecond, 1000).unref();
    seen += 1;
    if (written >= Math.max(1, Math.floor(rate * SHARES[kind]))) return;
    written += 1;
    log.info(about(), 'request');
  }
  const stages = {
    'request-line': () => (request, reply) => {
      const status = statusOf(reply);
      writeLine(request.log, lineKind(request, status), () => aboutRequest(request, status));
    },
  } satisfies Partial<StagesOf<'observability'>>;
  return { stages, writeLine };
}

export interface MetricsOptions {
  token: string | undefined;
  /** The addresses that may send the token over plain HTTP. */
  httpFrom: readonly string[];
  /** True behind a trusted proxy, whose address hides the addresses of callers. */
  proxied: boolean;
  /** Returns the metrics of all parts, by name. */
  ofParts: () => Readonly<Record<string, Metric>>;
}

/** Registers a metric that is read on demand. */
function register(registry: Registry, name: string, { help, label, read }: Metric): void {
  const Kind = (name.endsWith('_total') ? Counter : Gauge) as typeof Gauge;
  new Kind({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [registry],
    collect() {
      this.reset();
      const found = read();
      if (typeof found === 'number') this.inc(found);
      else for (const [value, number] of Object.entries(found)) this.inc({ [label as string]: value }, number);
    },
  });
}

/** Measures requests by route and status. Without a token, direct callers of this machine may read the metrics. */
export function metricsStages(
  app: FastifyInstance,
  writeLine: Seams['observability']['writeLine'],
  { token, httpFrom, proxied, ofParts }: MetricsOptions,
) {
  const registry = new Registry();
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to its answer, in seconds.',
    labelNames: ['method', 'route', 'operation', 'status'],
    registers: [registry],
  });
  /** Returns the function that counts the time of a request of a route, whose labels are made once for each status. */
  const timesOf = ({ url = 'none', plan }: RouteConfig) => {
    const operation = plan?.operation.operationId ?? 'none';
    const times = new Map<string, { observe: (seconds: number) => void }>();
    return (method: string, status: number, milliseconds: number) => {
      const key = method + status;
      const known = times.get(key) ?? duration.labels({ method, route: url, operation, status });
      if (!times.has(key)) times.set(key, known);
      known.observe(milliseconds / 1000);
    };
  };
  app.core.seams.limits.places.left.add((request) => {
    timesOf(request.route)(request.method, CLIENT_LEFT, performance.now() - request.arrivedAt);
    writeLine(request.log, 'change', () => aboutRequest(request, CLIENT_LEFT));
  });

  const fields = new Counter({
    name: 'graphql_fields_total',
    help: 'Root fields by result, and nested fields that failed. The code is that of the failure, or OK.',
    labelNames: ['type', 'field', 'code'],
    registers: [registry],
  });
  const refused = new Counter({
    name: 'graphql_operations_refused_total',
    help: 'GraphQL operations that were refused as a whole, by error code. Excludes requests that HTTP sheds.',
    labelNames: ['code'],
    registers: [registry],
  });
  const fieldDuration = new Histogram({
    name: 'graphql_field_duration_seconds',
    help: 'Time from the call of a root field to its result, in seconds; of a subscription, to its start.',
    labelNames: ['type', 'field'],
    registers: [registry],
  });
  const countField: Seams['observability']['countField'] = (type, field, code, began) => {
    fields.inc({ type, field, code });
    if (began !== undefined) fieldDuration.observe({ type, field }, (performance.now() - began) / 1000);
  };
  const countRefused: Seams['observability']['countRefused'] = (codes) => {
    for (const code of codes) refused.inc({ code });
  };

  app.addHook('onClose', async () => registry.clear());

  let isCollecting = false;
  const metrics = (): Promise<string> => {
    // Default metrics sample the event loop, so their collection begins with the first scrape.
    if (!isCollecting) {
      collectDefaultMetrics({ register: registry });
      for (const [name, metric] of Object.entries(ofParts())) register(registry, name, metric);
    }
    isCollecting = true;
    return registry.metrics();
  };
  const isListed = proxyAddr.compile([...httpFrom]);
  const authorize = async (request: FastifyRequest): Promise<void> => {
    const { headers, raw } = request;
    const from = FORWARDED.some((name) => headers[name] !== undefined) ? '' : (addressOfSocket(raw.socket) ?? '');
    if (token !== undefined && headers.authorization !== undefined && !isListed(from, 0))
      app.core.requireHttps(request);
    if (token === undefined ? !proxied && isLoopbackAddress(from) : isBearer(headers.authorization, token)) return;
    throw new Failure(
      'UNAUTHENTICATED',
      'The metrics need the metrics token or, if none is set, a direct request from the same machine.',
    );
  };
  const stages = {
    metrics: (route) => {
      const observe = timesOf(route);
      return (request, reply) => observe(request.method, statusOf(reply), reply.elapsedTime);
    },
  } satisfies Partial<StagesOf<'observability'>>;
  return { stages, seam: { countField, countRefused, metrics, authorize } };
}

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

function isBearer(header: string | undefined, token: string): boolean {
  const given = Buffer.from((header ?? '').replace(/^bearer /i, 'Bearer '));
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

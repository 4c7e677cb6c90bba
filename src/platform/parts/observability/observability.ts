/** Shows operators the requests: a line of the log for each request and each operation of a socket, and the metrics. @module */

import { timingSafeEqual } from 'node:crypto';
import proxyAddr from '@fastify/proxy-addr';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { Failure } from '../../core/calls/errors.js';
import { addressOfSocket, isLoopbackAddress } from '../../core/calls/networks.js';
import { aboutRequest } from '../../core/http/about-request.js';
import type { Seams } from '../../core/part.js';
import type { StagesOf } from '../../core/stages.js';
import type { Database } from '../../database/open.js';
import type { Outages } from '../../database/outages.js';

/** The status in lines and metrics of a request whose client left before the answer, as in nginx. */
const CLIENT_LEFT = 499;
const statusOf = ({ raw, statusCode }: FastifyReply): number => (raw.writableEnded ? statusCode : CLIENT_LEFT);

/** @param rate lines per second */
export function requestLogStages(app: FastifyInstance, { rate }: { rate: number }) {
  let lines = 0;
  function endSecond(): void {
    if (lines > rate) app.log.info({ omitted: lines - rate }, 'lines of requests were left out');
    lines = 0;
  }
  app.addHook('onClose', async () => endSecond());
  function writeLine(log: FastifyBaseLogger, about: () => object): void {
    if (rate === 0) return;
    if (lines === 0) setTimeout(endSecond, 1000).unref();
    lines += 1;
    if (lines <= rate) log.info(about(), 'request');
  }
  const stages = {
    'request-line': () => (request, reply) => writeLine(request.log, () => aboutRequest(request, statusOf(reply))),
  } satisfies Partial<StagesOf<'observability'>>;
  return { stages, writeLine };
}

export interface MetricsOptions {
  token: string | undefined;
  /** The addresses that may send the token over plain HTTP. */
  httpFrom: readonly string[];
  /** True behind a trusted proxy, whose address hides the addresses of callers. */
  proxied: boolean;
  database: Pick<Database, 'connections' | 'clock'>;
  outages: Outages;
  hashes: () => Record<string, number>;
}

/** Measures requests by route and status. Without a token, direct callers of this machine may read the metrics. */
export function metricsStages(
  app: FastifyInstance,
  writeLine: Seams['observability']['writeLine'],
  { token, httpFrom, proxied, database: { connections, clock }, outages, hashes }: MetricsOptions,
) {
  const registry = new Registry();
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to its answer, in seconds.',
    labelNames: ['method', 'route', 'operation', 'status'],
    registers: [registry],
  });
  const observe = ({ method, route }: FastifyRequest, status: number, milliseconds: number) => {
    const { url = 'none', plan } = route;
    const operation = plan?.operation.operationId ?? 'none';
    duration.observe({ method, route: url, operation, status }, milliseconds / 1000);
  };
  app.core.seams.limits.places.left.add((request) => {
    observe(request, CLIENT_LEFT, performance.now() - request.arrivedAt);
    writeLine(request.log, () => aboutRequest(request, CLIENT_LEFT));
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

  /** Adds a gauge that is read on demand: one number, or one for each value of a label. */
  const gauge = (name: string, help: string, read: () => number | Record<string, number>, label?: string) =>
    new Gauge({
      name,
      help,
      labelNames: label === undefined ? [] : [label],
      registers: [registry],
      collect() {
        const found = read();
        if (typeof found === 'number') this.set(found);
        else for (const [value, number] of Object.entries(found)) this.set({ [label as string]: value }, number);
      },
    });
  const admission = () => app.core.seams.limits.places.figures();
  gauge('requests_under_way', 'Requests and operations that have a place.', () => admission().underWay);
  gauge('requests_waiting', 'Requests and operations that wait for a place.', () => admission().waiting);
  gauge('websockets_open', 'Sockets that are open.', () => app.websocketServer?.clients.size ?? 0);
  gauge(
    'database_connections',
    'Connections to the database server by state: busy or idle in the pool, or listening for signals; and waiting callers.',
    () => ({ ...connections() }),
    'state',
  );
  gauge(
    'clock_difference_seconds',
    "The time by which the clock of this process is ahead of the database's.",
    () => clock.difference() / 1000,
  );
  gauge('answer_bytes', 'Bytes of large answers that clients have not received.', app.core.seams.limits.answerBytes);
  gauge('password_hashes', 'Password hashes by state: running, or waiting for their turn.', hashes, 'state');
  gauge(
    'dependency_up',
    '0 during an outage of the dependency, otherwise 1.',
    () => Object.fromEntries([...outages.watched()].map((name) => [name, outages.isAway(name) ? 0 : 1])),
    'dependency',
  );
  new Counter({
    name: 'requests_shed_total',
    help: 'Requests and operations that were refused because no place became free in time.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(admission().shed);
    },
  });
  app.addHook('onClose', async () => registry.clear());

  let isCollectingDefaults = false;
  const metrics = (): Promise<string> => {
    // Default metrics sample the event loop, so their collection begins with the first scrape.
    if (!isCollectingDefaults) collectDefaultMetrics({ register: registry });
    isCollectingDefaults = true;
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
    metrics: () => (request, reply) => observe(request, statusOf(reply), reply.elapsedTime),
  } satisfies Partial<StagesOf<'observability'>>;
  return { stages, seam: { countField, countRefused, metrics, authorize } };
}

const FORWARDED = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'];

function isBearer(header: string | undefined, token: string): boolean {
  const given = Buffer.from((header ?? '').replace(/^bearer /i, 'Bearer '));
  const expected = Buffer.from(`Bearer ${token}`);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

import { performance } from 'node:perf_hooks';
import underPressure from '@fastify/under-pressure';
import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import { Failure } from '../services/errors.js';

/** When requests are shed. Leave it out where the loop blocks for other reasons, as in tests. */
export interface PressureOptions {
  /** Milliseconds by which the event loop may be late, on the average of a sample. */
  delay: number;
  /** The part of its time that the event loop may be busy, over the last samples: 0 to 1. */
  utilisation: number;
  /** Milliseconds of a sample. */
  sample?: number;
}

/** As the service runs (security.md, "Defaults"). */
export const PRESSURE: PressureOptions = { delay: 250, utilisation: 0.98 };

/** Samples over which utilisation is looked at, so that a start or one heavy request is no overload. */
const SAMPLES = 5;
/** Seconds after which to try again: at least, and up to so many more, so that those who were shed do not return together. */
const RETRY_AFTER = 1;
const JITTER = 4;

declare module 'fastify' {
  interface FastifyInstance {
    /** Whether the process has more to do than it can; false where nothing watches. */
    overloaded: () => boolean;
  }
}

/**
 * Refuses requests with 503 while the process is overloaded, before anything else is done for them: all of them while the
 * event loop is late, every second one while it merely has no idle time left, for then half of the work still gets done.
 * Exempt is what does not declare 503 (`/livez`) and what tells it in a report of its own (`/readyz`).
 */
export const pressurePlugin = fp<{ pressure: PressureOptions | undefined }>(async (app, { pressure }) => {
  let saturated = false;
  // A start blocks the loop, and is in the samples until the second one after it.
  let started = false;
  app.decorate('overloaded', () => started && (saturated || app.isUnderPressure()));
  if (!pressure) return;
  const { delay, utilisation, sample = 1000 } = pressure;
  let refused = 0;
  app.addHook('onReady', async () => {
    setTimeout(() => (started = true), 2 * sample).unref();
  });

  await app.register(underPressure, {
    maxEventLoopDelay: delay,
    sampleInterval: sample,
    pressureHandler: async (request) => {
      if (started) refuse(request);
    },
  });

  // The package's own figure is the average since the start, which a long idle night makes blind.
  const marks = [performance.eventLoopUtilization()];
  const timer = setInterval(() => {
    const present = performance.eventLoopUtilization();
    saturated =
      marks.length === SAMPLES && performance.eventLoopUtilization(present, marks[0]).utilization > utilisation;
    marks.push(present);
    if (marks.length > SAMPLES) marks.shift();
  }, sample).unref();
  app.addHook('onClose', async () => clearInterval(timer));
  app.addHook('onRequest', async (request) => {
    if (saturated && refused++ % 2 === 0) refuse(request);
  });
});

/** @throws Failure UNAVAILABLE, unless the operation is exempt */
function refuse({ routeOptions }: FastifyRequest): void {
  const { operation } = routeOptions.config;
  const content = operation?.operation.responses['503']?.content;
  if (operation && !content?.['application/problem+json']) return;
  const retryAfter = RETRY_AFTER + Math.floor(Math.random() * (JITTER + 1));
  throw new Failure('UNAVAILABLE', 'The service is overloaded.', { retryAfter });
}

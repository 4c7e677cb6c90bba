import type { FastifyInstance } from 'fastify';
import type { Seams } from '../../core/part.js';
import type { StagesOf } from '../../core/stages.js';
import { type MetricsOptions, metricsStages, requestLogStages } from './observability.js';

interface ObservabilityOptions extends MetricsOptions {
  /** Lines of the log about requests in a second. */
  readonly rate: number;
}

/** Shows operators the requests, in the log and as metrics. */
export function observability(app: FastifyInstance, options: ObservabilityOptions) {
  const log = requestLogStages(app, options);
  const measured = metricsStages(app, log.writeLine, options);
  const stages: StagesOf<'observability'> = { ...measured.stages, ...log.stages };
  const seam: Seams['observability'] = { writeLine: log.writeLine, ...measured.seam };
  return { stages, seam };
}

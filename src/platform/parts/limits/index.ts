import type { FastifyInstance } from 'fastify';
import type { Seams } from '../../core/part.js';
import type { StagesOf } from '../../core/stages.js';
import { ADMISSION, type AdmissionLimits, type AdmissionOptions, admissionStages } from './admission.js';
import { ANSWER_LIMITS, type AnswerLimits, answerBytes } from './answer-bytes.js';
import { type RateLimitOptions, rateStages } from './rate-limit.js';

export type { AdmissionLimits } from './admission.js';
export type { AnswerLimits } from './answer-bytes.js';

interface LimitsOptions extends RateLimitOptions, Omit<AdmissionOptions, 'limits'> {
  readonly admission: Partial<AdmissionLimits> | undefined;
  readonly answers: Partial<AnswerLimits> | undefined;
}

/** Limits requests by address and caller, requests that run, and answers that wait. */
export function limits(app: FastifyInstance, options: LimitsOptions) {
  const rates = rateStages(app, options);
  const admitted = admissionStages(app, { ...options, limits: { ...ADMISSION, ...options.admission } });
  const stages: StagesOf<'limits'> = { ...rates.stages, ...admitted.stages };
  const seam: Seams['limits'] = {
    count: rates.count,
    refuseExcess: rates.refuseExcess,
    places: admitted.places,
    ...answerBytes({ ...ANSWER_LIMITS, ...options.answers }),
  };
  return { stages, seam };
}

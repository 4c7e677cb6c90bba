import type { AnyPart } from '../core/application.js';
import { browsers } from '../parts/browsers/index.js';
import { idempotency } from '../parts/idempotency/index.js';
import { identity } from '../parts/identity/index.js';
import { jobs } from '../parts/jobs/index.js';
import { limits } from '../parts/limits/index.js';
import { live } from '../parts/live/index.js';
import { observability } from '../parts/observability/index.js';
import { pages } from '../parts/pages/index.js';
import { versions } from '../parts/versions/index.js';

/** The parts of an application that names none. */
export const allParts: readonly AnyPart[] = [
  jobs(),
  identity(),
  idempotency(),
  versions(),
  browsers(),
  limits(),
  observability(),
  live(),
  pages(),
];

/** Whether requests can be served now, and a word on each thing that it depends on. */
export interface Readiness {
  status: 'ok' | 'degraded' | 'unavailable';
  checks: Record<string, 'ok' | 'degraded' | 'failed'>;
}

import type { PublishedContracts } from '../pages/published.js';

/** What the service tells of itself, apart from its resources. */
export interface Platform {
  /** The contracts as they are published at the address by which this request calls. */
  contracts: () => Promise<PublishedContracts>;
  /** Whether requests can be served now, with a word on each dependency. */
  ready: () => Promise<Readiness>;
  /** The metrics in Prometheus' text format. */
  metrics: () => Promise<string>;
}

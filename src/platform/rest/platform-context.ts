/** Whether requests can be served now, and a word on each thing that it depends on. */
export interface Readiness {
  status: 'ok' | 'degraded' | 'unavailable';
  checks: Record<string, 'ok' | 'degraded' | 'failed'>;
}

import type { PublishedContracts } from '../pages/published.js';

/** Bytes, with the headers of a contract that may be asked for by its release. */
interface PublishedDocument {
  headers: { 'content-location': string; 'cache-control': string };
  body: Buffer;
}

/** What the service tells of itself, apart from its resources. */
export interface Platform {
  /**
   * A contract as it is published at the address by which this request calls, and how long it may be kept.
   * @param release the one that is asked for; the newest when it is left out
   * @throws Failure NOT_FOUND for one that is not served
   */
  document: (name: keyof PublishedContracts['documents'], release?: string) => Promise<PublishedDocument>;
  /** Whether requests can be served now, with a word on each dependency. */
  ready: () => Promise<Readiness>;
  /** The metrics in Prometheus' text format. */
  metrics: () => Promise<string>;
}

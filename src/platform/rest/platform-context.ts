import type { Readiness } from '../../../generated/operations.js';

/** What the service tells of itself, apart from its resources. */
export interface Platform {
  /** The contracts, byte for byte as in the repository (JSON: the YAML converted). */
  contracts: { openapiYaml: Buffer; openapiJson: Buffer; schemaGraphql: Buffer };
  /** Whether requests can be served now, with a word on each dependency. */
  ready: () => Promise<Readiness>;
  /** The metrics in Prometheus' text format. */
  metrics: () => Promise<string>;
}

/** Whether requests can be served now, and a word on each thing that it depends on. */
export interface Readiness {
  status: 'ok' | 'degraded' | 'unavailable';
  checks: Record<string, 'ok' | 'degraded' | 'failed'>;
}

/** What the service tells of itself, apart from its resources. */
export interface Platform {
  /** The contracts, byte for byte as in the repository (JSON: the YAML converted). */
  contracts: { openapiYaml: Buffer; openapiJson: Buffer; schemaGraphql: Buffer };
  /** Whether requests can be served now, with a word on each dependency. */
  ready: () => Promise<Readiness>;
  /** The metrics in Prometheus' text format. */
  metrics: () => Promise<string>;
}

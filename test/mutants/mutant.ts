/** A planted fault: one edit of one file, as a developer could make it by mistake. */
export interface Mutant {
  /** In `src/`. */
  file: string;
  /** Occurs exactly once in the file. */
  before: string;
  after: string;
  /** Test files in `test/`, the one that should notice it first. */
  tests: string[];
  /** The place comes from `draw.ts`, not from a known test. */
  drawn?: true;
  /** The fault is visible on a PostgreSQL server or with Redis only. */
  servers?: true;
}

import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../support/process.js';
import type { Load } from './load.js';

export interface Row {
  name: string;
  tries: number;
  requests: number;
  refused: number;
  lost: number;
  doubled: number;
  gapless: boolean;
  /** Milliseconds of the longest request that was answered. */
  worst: number;
  /** Milliseconds from the end of the fault to the next write that was acknowledged, at most. */
  recovery: number;
}

/** What a load has seen, for the table. */
export function summary({ outcomes, worst }: Load): Pick<Row, 'requests' | 'refused' | 'worst'> {
  const requests = [...outcomes.values()].reduce((sum, times) => sum + times, 0);
  const good = (outcomes.get('200') ?? 0) + (outcomes.get('201') ?? 0);
  return { requests, refused: requests - good, worst: worst() };
}

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`;

const line = (row: Row): string =>
  `| ${[
    row.name,
    row.tries,
    row.requests,
    row.refused,
    row.lost,
    row.doubled,
    row.gapless ? 'none' : '**yes**',
    seconds(row.worst),
    seconds(row.recovery),
  ].join(' | ')} |`;

/** Writes the page of the documentation, with what was measured now. */
export function writeReport(rows: readonly Row[]): void {
  const text = `# What a fault does

Made by \`npm run faults\`: each fault is done to a running service from outside, while four clients write orders under
idempotency keys and messages without, retry what was not acknowledged, and a subscriber goes on after the last message it
got. PostgreSQL and Redis are reached by lines that the battery damages. A short form of it is part of \`npm test\`.

- **refused**: requests that were told to come back (503, \`UNAVAILABLE\`, for a full disk 507), or whose process was not there.
- **lost**: writes that were acknowledged and are not stored. **doubled**: orders that were stored twice for one key.
- **gaps**: whether the subscriber missed a message, or got one twice or out of order.
- **longest**: the longest time until a request was answered. **back after**: from the end of the fault to the next
  acknowledged write, at most; for a process, from the signal, so its start is in it.

| fault | tries | requests | refused | lost | doubled | gaps | longest | back after |
|---|---|---|---|---|---|---|---|---|
${rows.map(line).join('\n')}

Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} on ${cpus().length} cores, which the service shared with PostgreSQL, Redis and the clients.
`;
  writeFileSync(join(ROOT, 'docs/faults.md'), text);
}

import { readFileSync, writeFileSync } from 'node:fs';
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
  /** Milliseconds of the longest request with an answer. */
  worst: number;
  /** Maximum milliseconds from the end of the fault to the next acknowledged write. */
  recovery: number;
}

/** Summarises a load for the table. */
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

const PAGE = join(ROOT, 'docs/faults.md');

/** Writes the measurements into the page. */
export function writeReport(rows: readonly Row[]): void {
  const table = `| fault | tries | requests | refused | lost | doubled | gaps | longest | back after |
|---|---|---|---|---|---|---|---|---|
${rows.map(line).join('\n')}

Measured on ${new Date().toISOString().slice(0, 10)} with Node ${process.versions.node} on ${cpus().length} cores, which the service shared with PostgreSQL, Redis and the clients.`;
  const place = /(<!-- measured -->\n).*?(\n<!-- \/measured -->)/s;
  writeFileSync(
    PAGE,
    readFileSync(PAGE, 'utf8').replace(place, (_all, start, end) => `${start}\n${table}\n${end}`),
  );
}

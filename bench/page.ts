import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { picture } from './picture.js';
import { report } from './report.js';
import type { AllResults } from './results.js';
import { ROOT } from './server.js';

export const PERFORMANCE = 'docs/performance.md';
export const PICTURE = 'docs/performance.svg';
const PLACE = /(<!-- measured -->\n).*?(\n<!-- \/measured -->)/s;

/** Returns the page with the measured figures. */
export const withResults = (page: string, results: AllResults): string =>
  page.replace(PLACE, (_all, start, end) => `${start}\n${report(results)}\n${end}`);

/** Writes the figures into the documentation, and the picture. */
export function writePage(results: AllResults): void {
  const page = join(ROOT, PERFORMANCE);
  writeFileSync(page, withResults(readFileSync(page, 'utf8'), results));
  writeFileSync(join(ROOT, PICTURE), picture(results));
}

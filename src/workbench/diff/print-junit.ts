import { escaped } from './markup.js';
import type { Report, Reported } from './report.js';
import { groupOf, placeOf } from './words.js';

function testcase(change: Reported, report: Report): string {
  const group = groupOf(change);
  const head = `    <testcase classname="${escaped(change.rule)}" name="${escaped(change.id)}" file="${escaped(change.place.file)}" line="${change.place.line}"`;
  const text = escaped(`${placeOf(change, report)}: ${change.message}`);
  const requests = change.requests.map(({ method, path }) => `${method} ${path}`);
  const more = [...(change.advice === undefined ? [] : [change.advice]), ...requests].join('\n');
  if (group === 'breaking')
    return `${head}><failure type="breaking" message="${text}">${escaped(more)}</failure></testcase>`;
  if (group === 'accepted') return `${head}><skipped message="${escaped(change.accepted ?? '')}"/></testcase>`;
  return `${head}><system-out>${group}: ${text}</system-out></testcase>`;
}

/** A report as JUnit XML: each change is a test, which fails when it is a break that was not accepted. */
export function printJunit(report: Report): string {
  const { changes, counts } = report;
  const cases = changes.map((change) => testcase(change, report));
  // A suite without a test is taken for one that did not run.
  const none = '    <testcase classname="diff" name="nothing changed that a client sees"/>';
  const size = `tests="${Math.max(1, changes.length)}" failures="${counts.breaking}" skipped="${counts.accepted}"`;
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', `  <testsuite name="accord diff" ${size}>`];
  return [...lines, ...(cases.length > 0 ? cases : [none]), '  </testsuite>', '</testsuites>'].join('\n');
}

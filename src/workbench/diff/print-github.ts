import { FILES } from './change.js';
import type { Report } from './report.js';
import { groupOf, summary, versionSentence } from './words.js';

const LEVEL = { breaking: 'error', risky: 'warning', accepted: 'notice', safe: undefined } as const;

/** What a workflow command needs escaped, in its message and besides that in its properties. */
const message = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string) => message(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/**
 * A report as workflow commands, one a line: GitHub shows them beside the lines of a pull request. What is safe is left out.
 * @see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
 */
export function printGithub(report: Report): string {
  const annotations = report.changes.flatMap((change) => {
    const group = groupOf(change);
    const level = LEVEL[group];
    if (level === undefined) return [];
    const { file, line, column, old } = change.place;
    // A line of the old file is nowhere in the new one.
    const place = old ? `file=${property(file)}` : `file=${property(file)},line=${line},col=${column}`;
    const was = old ? ` (it was at line ${line})` : '';
    const more = change.accepted ?? change.advice;
    const text = `${change.message}${was}${more === undefined ? '' : `\n${more}`}\n${change.id}`;
    return [`::${level} ${place},title=${property(`Contract: ${group}`)}::${message(text)}`];
  });
  const stale = report.stale.map(
    (id) =>
      `::warning file=${FILES.rest},title=Contract%3A stale::${message(`x-accepted-breaks names ${id}, which is no break of this diff: remove it.`)}`,
  );
  const { enough } = report.version;
  const end = `::notice title=${property('Contract: changes')}::${message(`${summary(report) || 'none'}. ${versionSentence(report.version)}`)}`;
  return [...annotations, ...stale, ...(report.changes.length === 0 && enough ? [] : [end])].join('\n');
}

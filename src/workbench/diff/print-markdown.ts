import type { Report, Reported } from './report.js';
import { acceptance, GROUPS, type Group, inGroup, placeOf, summary, touches, versionSentence } from './words.js';

const TITLE: Record<Group, string> = {
  breaking: '❌ Breaking',
  risky: '⚠️ Risky',
  accepted: '☑️ Breaking, accepted',
  safe: '✅ Safe',
};

/** Text that Markdown and HTML leave alone, outside code. */
const plain = (text: string) => text.replaceAll(/[<>|*_[\]]/g, (sign) => `\\${sign}`);

/** Messages name things in backticks; what is between them is left as it is. */
export const prose = (text: string) =>
  text
    .split('`')
    .map((part, index) => (index % 2 === 0 ? plain(part) : `\`${part}\``))
    .join('');

function item(change: Reported, report: Report): string {
  const lines = [`- **${prose(change.message)}** (\`${placeOf(change, report)}\`)`];
  if (change.accepted !== undefined) lines.push(`  - because: ${prose(change.accepted)}`);
  else if (change.advice !== undefined) lines.push(`  - instead: ${prose(change.advice)}`);
  for (const [label, text] of touches(change)) lines.push(`  - ${label}: \`${text}\``);
  if (change.verdict === 'breaking') lines.push(`  - id: \`${change.id}\``);
  return lines.join('\n');
}

/** A report as a comment on a pull request. What is safe is folded away. */
export function printMarkdown(report: Report): string {
  const title = `## Contract changes\n\n${report.changes.length === 0 ? 'None that a client sees.' : `**${summary(report)}.**`} ${versionSentence(report.version)}`;
  const groups = GROUPS.flatMap((group) => {
    const changes = inGroup(report, group);
    if (changes.length === 0) return [];
    const items = changes.map((change) => item(change, report)).join('\n');
    if (group !== 'safe') return [`### ${TITLE[group]}\n\n${items}`];
    return [`<details><summary>${TITLE[group]} (${changes.length})</summary>\n\n${items}\n\n</details>`];
  });
  const [first] = inGroup(report, 'breaking');
  const how = `A break that must be is accepted at the root of \`openapi.yaml\`:\n\n\`\`\`yaml\n${first && acceptance(first.id)}\n\`\`\``;
  const stale = report.stale.map(
    (id) => `- \`x-accepted-breaks\` names \`${id}\`, which is no break of this diff: remove it.`,
  );
  return [
    title,
    ...groups,
    ...(first === undefined ? [] : [how]),
    ...(stale.length > 0 ? [stale.join('\n')] : []),
  ].join('\n\n');
}

/** Lines shown of each text. */
const SHOWN_LINES = 3;

/**
 * Returns the first difference between a generated file and its new text: up to three lines of each, `-` for the file on disk and
 * `+` for the new text.
 */
export function hintOf(before: string | undefined, after: string): string {
  if (before === undefined) return '  It does not exist.';
  const [old, now] = [before.split('\n'), after.split('\n')];
  const length = Math.max(old.length, now.length);
  let at = 0;
  while (at < length && old[at] === now[at]) at += 1;
  const take = (lines: string[], sign: string) => lines.slice(at, at + SHOWN_LINES).map((line) => `  ${sign} ${line}`);
  return [`  from line ${at + 1}:`, ...take(old, '-'), ...take(now, '+')].join('\n');
}

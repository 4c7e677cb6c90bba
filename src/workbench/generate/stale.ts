/** Lines shown of each side. */
const SHOWN = 3;

/**
 * The first place at which a generated file differs from what the contract now gives: up to three lines of each, `-` for
 * what is on disk and `+` for what would be written.
 */
export function hintOf(before: string | undefined, after: string): string {
  if (before === undefined) return '  It does not exist.';
  const [old, now] = [before.split('\n'), after.split('\n')];
  const length = Math.max(old.length, now.length);
  let at = 0;
  while (at < length && old[at] === now[at]) at += 1;
  const take = (lines: string[], sign: string) => lines.slice(at, at + SHOWN).map((line) => `  ${sign} ${line}`);
  return [`  from line ${at + 1}:`, ...take(old, '-'), ...take(now, '+')].join('\n');
}

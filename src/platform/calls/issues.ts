/** One mistake in a request: a JSON pointer into the body (RFC 6901), or the name of a parameter. */
export interface Issue {
  pointer?: string;
  parameter?: string;
  detail: string;
}

/** The first mistakes in a request, and the number of the others. */
export interface Issues {
  readonly issues: readonly Issue[];
  readonly omitted: number;
}

export const NO_ISSUES: Issues = { issues: [], omitted: 0 };

/** Issues in a failure, and bytes of each text in JSON: together less than 16 KiB. */
const MAX_ISSUES = 20;
const MAX_TEXT_BYTES = 256;

/** Collects the first issues, and counts the others. */
export function issueList() {
  const issues: Issue[] = [];
  let omitted = 0;
  return {
    /** @param make is called for the first issues only */
    add(make: () => Issue): void {
      if (issues.length < MAX_ISSUES) issues.push(make());
      else omitted++;
    },
    found: (): Issues => ({ issues, omitted }),
  };
}

export function issuesOf<T>(found: readonly T[], make: (one: T) => Issue): Issues {
  return { issues: found.slice(0, MAX_ISSUES).map(make), omitted: Math.max(0, found.length - MAX_ISSUES) };
}

/** Merges issues, with a limit of their number and of their texts. */
export function limitIssues(...all: readonly Partial<Issues>[]): Issues {
  const listed = all.flatMap(({ issues = [] }) => issues);
  const { issues, omitted } = issuesOf(listed, cutIssue);
  return { issues, omitted: all.reduce((sum, one) => sum + (one.omitted ?? 0), omitted) };
}

const cutIssue = ({ pointer, parameter, detail }: Issue): Issue => ({
  // Half an escape is invalid (RFC 6901 §3).
  ...(pointer !== undefined && { pointer: truncate(pointer, MAX_TEXT_BYTES).replace(/~…$/, '…') }),
  ...(parameter !== undefined && { parameter: truncate(parameter, MAX_TEXT_BYTES) }),
  detail: truncate(detail, MAX_TEXT_BYTES),
});

/** Returns the bytes in JSON without quotation marks. U+0000 takes six. */
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

const ELLIPSIS = '…';

/** Shortens a text to `most` bytes in JSON, with an ellipsis. */
export function truncate(text: string, most: number): string {
  const start = text.slice(0, most + 1);
  if (start === text && bytesOf(text) <= most) return text;
  const room = most - bytesOf(ELLIPSIS);
  let kept = start.slice(0, room);
  // A character takes at most six bytes, so this never removes too many.
  for (let excess = bytesOf(kept) - room; excess > 0; excess = bytesOf(kept) - room) {
    kept = kept.slice(0, kept.length - Math.ceil(excess / 6));
  }
  return kept.toWellFormed() + ELLIPSIS;
}

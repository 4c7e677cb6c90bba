/** One place of a request that is wrong: a JSON pointer into the body (RFC 6901) or the name of a parameter. */
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

/** The number of issues in a failure, and the bytes of each text in JSON: together less than 16 KiB. */
const MAX_ISSUES = 20;
const MAX_TEXT = 256;

/** Collects the first issues, and counts the others. */
export function issueList() {
  const issues: Issue[] = [];
  let omitted = 0;
  return {
    /** @param make is called only for the first issues */
    add(make: () => Issue): void {
      if (issues.length < MAX_ISSUES) issues.push(make());
      else omitted++;
    },
    found: (): Issues => ({ issues, omitted }),
  };
}

/** Makes the first issues of a list, and counts the others. */
export function issuesOf<T>(found: readonly T[], make: (one: T) => Issue): Issues {
  return { issues: found.slice(0, MAX_ISSUES).map(make), omitted: Math.max(0, found.length - MAX_ISSUES) };
}

/** Joins issues, as many as a failure lists, with texts of limited length. */
export function bounded(...all: readonly Partial<Issues>[]): Issues {
  const listed = all.flatMap(({ issues = [] }) => issues);
  const { issues, omitted } = issuesOf(listed, cutIssue);
  return { issues, omitted: all.reduce((sum, one) => sum + (one.omitted ?? 0), omitted) };
}

const cutIssue = ({ pointer, parameter, detail }: Issue): Issue => ({
  // Half an escape is none (RFC 6901 §3).
  ...(pointer !== undefined && { pointer: cut(pointer, MAX_TEXT).replace(/~…$/, '…') }),
  ...(parameter !== undefined && { parameter: cut(parameter, MAX_TEXT) }),
  detail: cut(detail, MAX_TEXT),
});

/** Returns the bytes of a text in JSON, without quotation marks; U+0000, for example, takes six. */
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

const ELLIPSIS = '…';

/** Cuts a text, with an ellipsis, if it would take more than `most` bytes in JSON. */
export function cut(text: string, most: number): string {
  const start = text.slice(0, most + 1);
  if (start === text && bytesOf(text) <= most) return text;
  const room = most - bytesOf(ELLIPSIS);
  let kept = start.slice(0, room);
  // No character takes more than six bytes, so this never removes too many.
  for (let excess = bytesOf(kept) - room; excess > 0; excess = bytesOf(kept) - room) {
    kept = kept.slice(0, kept.length - Math.ceil(excess / 6));
  }
  return kept.toWellFormed() + ELLIPSIS;
}

/** One place of a request that is wrong: a JSON pointer into the body (RFC 6901) or the name of a parameter. */
export interface Issue {
  pointer?: string;
  parameter?: string;
  detail: string;
}

/** What is wrong with a request: the first places, and how many more were found. */
export interface Issues {
  readonly issues: readonly Issue[];
  readonly omitted: number;
}

export const NO_ISSUES: Issues = { issues: [], omitted: 0 };

/** Issues that a failure lists, and bytes that a place and what is said of it may take in JSON: 16 KiB hold them all. */
const MAX_ISSUES = 20;
const MAX_TEXT = 256;

/** Collects issues: beyond the first ones they are counted, and nothing is made of them. */
export function issueList() {
  const issues: Issue[] = [];
  let omitted = 0;
  return {
    /** @param make is called only while there is room */
    add(make: () => Issue): void {
      if (issues.length < MAX_ISSUES) issues.push(make());
      else omitted++;
    },
    found: (): Issues => ({ issues, omitted }),
  };
}

/** Makes issues of what was found elsewhere, as far as there is room for them. */
export function issuesOf<T>(found: readonly T[], make: (one: T) => Issue): Issues {
  return { issues: found.slice(0, MAX_ISSUES).map(make), omitted: Math.max(0, found.length - MAX_ISSUES) };
}

/** Issues in a row, as many as a failure lists, each text cut to its length. */
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

/** Bytes of a text in JSON, without its quotation marks: six for what is escaped, such as U+0000. */
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

const ELLIPSIS = '…';

/** A text as it is, or its beginning and an ellipsis where it would take more than `most` bytes in JSON. */
export function cut(text: string, most: number): string {
  const start = text.slice(0, most + 1);
  if (start === text && bytesOf(text) <= most) return text;
  const room = most - bytesOf(ELLIPSIS);
  let kept = start.slice(0, room);
  // No character takes more than six, so this never takes away too many.
  for (let excess = bytesOf(kept) - room; excess > 0; excess = bytesOf(kept) - room) {
    kept = kept.slice(0, kept.length - Math.ceil(excess / 6));
  }
  return kept.toWellFormed() + ELLIPSIS;
}

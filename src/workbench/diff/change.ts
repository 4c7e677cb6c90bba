import { FILES as READ } from '../model/files.js';
import type { FileLines } from '../model/problems.js';

/** What a change does to those who already use the contract. The order is worst first. */
export const VERDICTS = ['breaking', 'risky', 'safe'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** A sheet that is compared: the two contracts, and the schema of the database. */
export const FILES = {
  rest: READ.openapi,
  graphql: READ.schema,
  database: READ.prisma,
} as const;
export type Side = keyof typeof FILES;

/** Where a change stands: in the new file, or in the old one when it was removed. Line and column count from 1. */
export interface ChangePlace {
  file: string;
  line: number;
  column: number;
  /** Whether file and line are those of the old version, since the new one has it no more. */
  old: boolean;
}

/** The lines of each version. */
export interface VersionLines {
  before?: FileLines;
  after?: FileLines;
}

/** A line of the project: a handler, a service's method, a test. */
export interface CodeLine {
  file: string;
  line: number;
  /** What is there: the name of the handler or of the method. */
  name: string;
  /** The target of a route, by which the platform decides. */
  target?: string;
}

/** What of the code a change concerns. */
export interface Touched {
  handlers: CodeLine[];
  services: CodeLine[];
  tests: CodeLine[];
}

/** What is judged of one difference. */
export interface Judgement {
  verdict: Verdict;
  /** The last part of the id: `removed`, `added`, `changed`, … */
  what: string;
  message: string;
  /** How to reach the same without breaking anybody. */
  advice?: string;
  /** That it was shown, or announced, and is no question of taste any more. */
  settled?: boolean;
}

/** What something removed and something added are compared by, to tell a rename. */
interface Likeness {
  /** What both are members of: only then it can be a rename. */
  parent: string;
  name: string;
  /** All that it says of itself, as text. */
  shape: string;
  /** Its place among its siblings, from 0. */
  position: number;
  /** What a rename of it does. */
  verdict: Verdict;
}

/** A change as a comparison finds it; the report adds the code that it touches. */
export interface Change extends Judgement {
  /** Stable for the same change, so that it can be accepted: `rest:getUser:response.200.body.name:removed`. */
  id: string;
  /** The name of the rule that judged it, as `accord diff --rules` lists it. */
  rule: string;
  side: Side;
  place: ChangePlace;
  /** The lines that say it in each version, as far as it is there. */
  lines: VersionLines;
  /** The operationIds, the `Type.field`s or the models that it concerns. */
  elements: string[];
  likeness?: Likeness;
  /** The keys of the default that says it (`x-defaults`), and where it was met. */
  shared?: { by: string; where: string };
}

/** Worst first, then by file and line. */
export function inOrder<Each extends Pick<Change, 'verdict' | 'side' | 'place' | 'id'>>(
  changes: readonly Each[],
): Each[] {
  const sides = Object.keys(FILES);
  return [...changes].sort(
    (a, b) =>
      VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict) ||
      sides.indexOf(a.side) - sides.indexOf(b.side) ||
      a.place.line - b.place.line ||
      a.id.localeCompare(b.id),
  );
}

/** The worse of two verdicts. */
export const worse = (a: Verdict, b: Verdict): Verdict => (VERDICTS.indexOf(a) < VERDICTS.indexOf(b) ? a : b);

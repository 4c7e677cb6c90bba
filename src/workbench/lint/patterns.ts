import { Linter } from 'eslint';
import regexpPlugin from 'eslint-plugin-regexp';
import { type DocumentNode, Kind, visit } from 'graphql';
import { constraintArguments } from '../model/sdl.js';
import type { Path } from '../model/yaml-source.js';
import type { Rest, RestFlaw, RestRule, SdlFlaw, SdlRule } from './rule.js';

/** The regular expression of a pattern, as it is compiled where requests are held against it; undefined where it is none. */
export function expressionOf(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return undefined;
  }
}

const whyUnreadable = (pattern: unknown): string | undefined => {
  if (typeof pattern === 'string' && expressionOf(pattern) !== undefined) return undefined;
  return `The pattern ${JSON.stringify(pattern)} is no regular expression (ECMA-262, with the flag u).`;
};

const linter = new Linter();
const SUPER_LINEAR: Linter.Config = {
  linterOptions: { noInlineConfig: true },
  plugins: { regexp: regexpPlugin },
  rules: {
    'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
    'regexp/no-super-linear-move': ['error', { report: 'potential' }],
  },
};

/** By the rules that the sources of a project are held to. */
function whySuperLinear(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string' || expressionOf(pattern) === undefined) return undefined;
  const found = linter.verify(`new RegExp(${JSON.stringify(pattern)}, 'u');`, SUPER_LINEAR);
  return found.length === 0
    ? undefined
    : `The time that ${JSON.stringify(pattern)} takes may grow with the square of a text, or worse: make what repeats tell where it ends.`;
}

type Why = (pattern: unknown) => string | undefined;

function patternsIn({ elements }: Rest): { path: Path; onKey: boolean; pattern: unknown }[] {
  return elements.flatMap(({ kind, path, object }) => {
    if (kind !== 'schema') return [];
    const ofNames = Object.keys(object.patternProperties ?? {}).map((pattern) => ({
      path: [...path, 'patternProperties', pattern],
      onKey: true,
      pattern,
    }));
    const own = { path: [...path, 'pattern'], onKey: false, pattern: object.pattern };
    return object.pattern === undefined ? ofNames : [own, ...ofNames];
  });
}

const ofRest =
  (why: Why) =>
  (rest: Rest): RestFlaw[] =>
    patternsIn(rest).flatMap(({ path, onKey, pattern }) => {
      const message = why(pattern);
      return message === undefined ? [] : [{ path, onKey, message }];
    });

const ofSdl =
  (why: Why) =>
  (document: DocumentNode): SdlFlaw[] => {
    const flaws: SdlFlaw[] = [];
    visit(document, {
      InputValueDefinition: ({ directives }) => {
        const pattern = constraintArguments(directives).find(({ name }) => name.value === 'pattern')?.value;
        const message = pattern?.kind === Kind.STRING ? why(pattern.value) : undefined;
        if (pattern !== undefined && message !== undefined) flaws.push({ node: pattern, message });
      },
    });
    return flaws;
  };

const READABLE = {
  name: 'pattern-readable',
  why: 'What is no regular expression matches nothing: the service does not start, and generated clients throw.',
};
const LINEAR = {
  name: 'pattern-linear',
  why: 'Requests are held against patterns, and one that takes time by the square of a text is a way to stop a service.',
};

export const REST_PATTERN_RULES: RestRule[] = [
  { ...READABLE, check: ofRest(whyUnreadable) },
  { ...LINEAR, check: ofRest(whySuperLinear) },
];
export const SDL_PATTERN_RULES: SdlRule[] = [
  { ...READABLE, check: ofSdl(whyUnreadable) },
  { ...LINEAR, check: ofSdl(whySuperLinear) },
];

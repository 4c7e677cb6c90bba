import { basename, dirname } from 'node:path';
import { filesIn } from '@accord-api/platform/contract/project-files';
import type { Oas3Rule } from '@redocly/openapi-core';
import { FINDINGS, findings, unresolved } from '../model/openapi-rules.js';
import { type OpenApiSource, openApiOf } from '../model/openapi-source.js';
import type { Problem } from '../model/problems.js';
import { lintRest } from './lint.js';
import { REST_RULES } from './rules.js';

/** All that is wrong with a document of sound shape: what code generation needs of it, and what our own rules find. */
function problemsIn(source: OpenApiSource): Problem[] {
  if (source.errors.length > 0 || source.defaultFaults.length > 0) return [];
  const unread = unresolved(source).map(source.problemAt);
  return unread.length > 0 ? unread : [...findings(source).map(source.problemAt), ...lintRest(source)];
}

/** Those of the text that was looked at last: every rule asks for it, one after the other. */
let last: { path: string; text: string; problems: Problem[] } | undefined;

function problemsOf(path: string, text: string): Problem[] {
  if (last?.path !== path || last.text !== text) {
    last = { path, text, problems: problemsIn(openApiOf(text, basename(path), filesIn(dirname(path)))) };
  }
  return last.problems;
}

/** A rule of ours as Redocly asks for it. What is wrong in another file of the contract is told at its root. */
const ruleOf =
  (name: string): Oas3Rule =>
  () => ({
    Root: {
      leave(_root, { report, location }) {
        const { absoluteRef, body } = location.source;
        for (const { file, line, column, rule, message } of problemsOf(absoluteRef, body)) {
          if (rule !== name) continue;
          const start = { line, col: column };
          report(
            file === basename(absoluteRef)
              ? { message, location: { source: location.source, pointer: undefined, start } }
              : { message: `${file}:${line}:${column}  ${message}`, location },
          );
        }
      },
    },
  });

const severities = new Map(REST_RULES.map(({ name, severity = 'error' }) => [name, severity]));
const NAMES = [...new Set([...FINDINGS, ...severities.keys()])];

/**
 * The rules of `accord lint` for openapi.yaml as a plugin of Redocly's linter, so that its command and editors' extensions tell
 * what they find while it is typed. `extends: [accord/recommended]` switches all of them on.
 */
export default () => ({
  id: 'accord',
  rules: { oas3: Object.fromEntries(NAMES.map((name) => [name, ruleOf(name)])) },
  configs: {
    recommended: {
      rules: Object.fromEntries(
        NAMES.map((name) => [
          `accord/${name}`,
          severities.get(name) === 'warning' ? ('warn' as const) : ('error' as const),
        ]),
      ),
    },
  },
});

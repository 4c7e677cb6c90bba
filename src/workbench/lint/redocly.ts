import { basename, dirname } from 'node:path';
import { filesIn } from '@accord-api/platform/contract/project-files';
import type { Oas3Preprocessor, Oas3Rule, Plugin } from '@redocly/openapi-core';
import { applyDefaults, DEFAULTS } from '../model/defaults.js';
import { FINDINGS, findings } from '../model/openapi-rules.js';
import { openApiOf } from '../model/openapi-source.js';
import type { Problem } from '../model/problems.js';
import { OPENAPI_RULES } from './openapi-rules.js';
import { WARNINGS } from './rules.js';

function problemsIn(path: string, text: string): Problem[] {
  const source = openApiOf(text, basename(path), filesIn(dirname(path)));
  const isReadable = source.errors.length === 0 && source.defaultFaults.length === 0;
  return isReadable ? findings(source).map(source.problemAt) : [];
}

/** The problems of the last text, which every rule of code generation asks for. */
let last: { path: string; text: string; problems: Problem[] } | undefined;

/** Makes a rule of Redocly from a rule of code generation. Reports a problem of another file at the root. */
const findingRule =
  (name: string): Oas3Rule =>
  () => ({
    Root: {
      leave(_root, { report, location }) {
        const { absoluteRef: path, body: text } = location.source;
        if (last?.path !== path || last.text !== text) last = { path, text, problems: problemsIn(path, text) };
        for (const { file, line, column, rule, message } of last.problems) {
          if (rule !== name) continue;
          const start = { line, col: column };
          report(
            file === basename(path)
              ? { message, location: { source: location.source, pointer: undefined, start } }
              : { message: `${file}:${line}:${column}  ${message}`, location },
          );
        }
      },
    },
  });

/** Applies `x-defaults` in editors, which read the document without them. */
const defaultsPreprocessor: Oas3Preprocessor = () => ({
  Root(root) {
    Object.assign(root, { [DEFAULTS]: undefined }, applyDefaults(root).document);
  },
});

/** The rules that `accord lint` checks before the others. */
export const GENERATION_RULES = FINDINGS.map((name) => `accord/${name}`);
export const DEFAULTS_PREPROCESSOR = 'accord/x-defaults';

/**
 * The rules of `accord lint` for openapi.yaml as a plugin of Redocly's linter, for its command and for editors.
 * `extends: [accord/recommended]` switches all of them on.
 */
export default (): Plugin => ({
  id: 'accord',
  // References in `x-unmatched` count as uses.
  typeExtension: {
    oas3: ({ Root, ...types }) => ({
      ...types,
      Root: { ...Root, properties: { ...Root?.properties, 'x-unmatched': 'Responses' } },
    }),
  },
  preprocessors: { oas3: { 'x-defaults': defaultsPreprocessor } },
  rules: {
    oas3: { ...Object.fromEntries(FINDINGS.map((name) => [name, findingRule(name)])), ...OPENAPI_RULES },
  },
  configs: {
    recommended: {
      preprocessors: { [DEFAULTS_PREPROCESSOR]: 'on' },
      rules: {
        ...Object.fromEntries(GENERATION_RULES.map((name) => [name, 'error'])),
        ...Object.fromEntries(
          Object.keys(OPENAPI_RULES).map((name) => [`accord/${name}`, WARNINGS.includes(name) ? 'warn' : 'error']),
        ),
        // `accord/failure-declared` and `accord/unused-component` are these rules, for a document with its `x-defaults`.
        'operation-4xx-response': 'off',
        'no-unused-components': 'off',
      },
    },
  },
});

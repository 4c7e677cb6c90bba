import { relative } from 'node:path';
import { filesIn } from '@accord-api/platform/contract/project-files';
import { sdlParts } from '@accord-api/platform/contract/sdl-parts';
import type { ESLint, Rule } from 'eslint';
import { checkSchema } from '../model/check-schema.js';
import type { Problem } from '../model/problems.js';
import { type SdlSource, sdlOf } from '../model/sdl-source.js';
import { lintSdl } from './lint.js';
import { SDL_RULES } from './rules.js';

/** A root field that does not say who may use it. */
const PERMISSION = 'permission';

function problemsIn(sdl: SdlSource): Problem[] {
  const broken = checkSchema(sdl);
  const unsound = broken.some(({ rule }) => rule !== PERMISSION);
  return unsound ? [] : [...broken, ...lintSdl(sdl)];
}

/** The contract that a text is, or is a part of, as it is typed. */
function contractOf(root: string, file: string, text: string): SdlSource {
  const parts = sdlParts(filesIn(root));
  return parts.some((part) => part.file === file)
    ? sdlOf(parts.map((part) => (part.file === file ? { file, text } : part)))
    : sdlOf(text, file);
}

const found = new WeakMap<object, Problem[]>();

/** What is wrong with a file; every rule asks for it, one after the other. */
function problemsOf({ sourceCode, cwd, filename }: Rule.RuleContext): Problem[] {
  const known = found.get(sourceCode);
  if (known !== undefined) return known;
  const file = relative(cwd, filename).replaceAll('\\', '/');
  const problems = problemsIn(contractOf(cwd, file, sourceCode.text)).filter((one) => one.file === file);
  found.set(sourceCode, problems);
  return problems;
}

const ruleOf = (name: string, why: string): Rule.RuleModule => ({
  meta: { type: 'problem', docs: { description: why }, schema: [] },
  create: (context) => ({
    Program() {
      for (const { rule, line, column, message } of problemsOf(context)) {
        // ESLint counts columns from 0.
        if (rule === name) context.report({ loc: { line, column: column - 1 }, message });
      }
    },
  }),
});

const RULES = [
  { name: PERMISSION, why: 'A field that does not say who may use it would be everybody’s.' },
  ...SDL_RULES,
];

/** The rules of `accord lint` for schema.graphql as a plugin of ESLint, beside graphql-eslint and with its parser. */
const plugin = {
  meta: { name: '@accord-api/workbench' },
  rules: Object.fromEntries(RULES.map(({ name, why }) => [name, ruleOf(name, why)])),
} satisfies ESLint.Plugin;

/** All of them switched on, for `rules` of an entry in which the plugin is called `accord`. */
const recommended = Object.fromEntries(
  RULES.map(
    (one) => [`accord/${one.name}`, 'severity' in one && one.severity === 'warning' ? 'warn' : 'error'] as const,
  ),
);

export default { ...plugin, configs: { recommended: { plugins: { accord: plugin }, rules: recommended } } };

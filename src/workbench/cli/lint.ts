import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { EXIT, paint, printJson, type Subcommand, Unable } from '@accord-api/platform/cli/output';
import { type Config, createConfig, loadConfig } from '@redocly/openapi-core';
import { eslintPlugin, GRAPHQL_ERRORS, GRAPHQL_RULES } from '../lint/eslint.js';
import { OPENAPI_RULES, redoclyPlugin } from '../lint/redocly.js';
import { REASONS, WARNINGS } from '../lint/rules.js';
import { checkOpenApi, checkSchema, hasPermissions, hasShape, lintByRedocly } from '../model/check.js';
import { type Contracts, contractsIn, readContracts } from '../model/contracts.js';
import { unresolved } from '../model/openapi-rules.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import { isOfPart } from '../model/part-documents.js';
import { policyProblems } from '../model/permissions.js';
import { FILES, type Problem, type Purpose, printProblems, problemAt, sortProblems } from '../model/problems.js';
import { type Commit, commitAt, filesAt, linesSince } from '../model/project-version.js';
import type { SdlSource } from '../model/sdl-source.js';

/** @throws Unable for a configuration with a plugin that does not exist, for example */
const loaded = <Config>(path: string, load: Promise<Config>): Promise<Config> =>
  load.catch((error: Error) => {
    throw new Unable(`${basename(path)}: ${error.message.split('\n')[0]}`);
  });

/** Returns the project's redocly.yaml on top of our rules; without that file, on top of Redocly's recommended rules too. */
async function redoclyConfig(root: string): Promise<Config> {
  const configPath = join(root, 'redocly.yaml');
  const project = existsSync(configPath) ? await loaded(configPath, loadConfig({ configPath })) : undefined;
  return createConfig(
    {
      ...project?.resolvedConfig,
      plugins: [...(project?.resolvedConfig.plugins ?? []), redoclyPlugin],
      extends: [...(project ? [] : ['recommended']), 'accord/recommended'],
    },
    { configPath, ...(project && { ignore: project.ignore }) },
  );
}

async function lintOpenApi(root: string, source: OpenApiSource, purpose: Purpose): Promise<Problem[]> {
  const broken = await checkOpenApi(source, purpose);
  if (source.absent || !hasShape(broken)) return broken;
  const found = await lintByRedocly(source, await redoclyConfig(root));
  return [...broken, ...unresolved(source).map(source.problemAt), ...found];
}

const ESLINT_CONFIGS = ['js', 'mjs', 'cjs'].map((extension) => `eslint.config.${extension}`);

/** Makes an ESLint with the project's eslint.config.js, or graphql-eslint's recommended rules, on top of our rules. */
async function eslintFor(root: string, schemaSdl: string) {
  const [{ ESLint }, { default: graphql }] = await Promise.all([
    import('eslint'),
    import('@graphql-eslint/eslint-plugin'),
  ]);
  const path = ESLINT_CONFIGS.map((name) => join(root, name)).find(existsSync);
  const baseConfig = { plugins: { accord: eslintPlugin } };
  const eslintOf = (file: string) => new ESLint({ cwd: root, overrideConfigFile: file, baseConfig });
  const project = path && (await loaded(path, eslintOf(path).calculateConfigForFile(join(root, FILES.schema))));
  const { plugins, rules, languageOptions, linterOptions, settings } = project ?? {
    plugins: { '@graphql-eslint': graphql },
    languageOptions: { parser: graphql.parser },
    // Short descriptions are strings, and long ones are blocks.
    rules: { ...graphql.configs['flat/schema-recommended'].rules, '@graphql-eslint/description-style': 'off' },
  };
  const config = {
    files: [FILES.schema],
    plugins: { ...plugins, accord: eslintPlugin },
    rules: { ...GRAPHQL_ERRORS, ...rules },
    // By its path, the parser would reuse an old schema.
    languageOptions: { ...languageOptions, parserOptions: { schemaSdl } },
    ...(linterOptions && { linterOptions }),
    ...(settings && { settings }),
  };
  return new ESLint({ cwd: root, overrideConfigFile: true, overrideConfig: config });
}

async function lintSchema(root: string, sdl: SdlSource, purpose: Purpose): Promise<Problem[]> {
  const broken = checkSchema(sdl, purpose);
  if (sdl.absent || broken.some(({ rule }) => rule !== 'permission')) return broken;
  const eslint = await eslintFor(root, sdl.text);
  // Each file of the contract is linted as schema.graphql, with the configuration for that.
  const own = [...sdl.texts].filter(([file]) => !isOfPart(file));
  const found = own.map(async ([file, text]): Promise<Problem[]> => {
    const [result] = await eslint.lintText(text, { filePath: join(root, FILES.schema) });
    return (result?.messages ?? []).map(({ line = 1, column = 1, endLine, endColumn, ruleId, severity, message }) => {
      const length = endLine === line && endColumn !== undefined ? endColumn - column : 1;
      const rule = ruleId?.replace('@graphql-eslint/', '') ?? 'syntax';
      const problem = problemAt(file, text, { line, column, length }, rule, message);
      return severity === 1 ? { ...problem, severity: 'warning' } : problem;
    });
  });
  return [...broken, ...(await Promise.all(found)).flat()];
}

/** Removes repetitions, because Redocly visits a component once for each use. */
function once(problems: Problem[]): Problem[] {
  const keyOf = ({ file, line, column, rule, message }: Problem) => [file, line, column, rule, message].join('\n');
  return [...new Map(problems.map((problem) => [keyOf(problem), problem])).values()];
}

/**
 * Returns the problems of the contracts, errors first: those of code generation, of Redocly and graphql-eslint with the project's
 * configuration, and contradictions between the contracts. An invalid contract gets only the problems of its structure.
 */
export async function lint(root: string, contracts: Contracts): Promise<Problem[]> {
  const purpose = hasPermissions(contracts) ? 'generation' : 'reading';
  const [rest, graphql] = await Promise.all([
    lintOpenApi(root, contracts.openapi, purpose),
    lintSchema(root, contracts.schema, purpose),
  ]);
  const isReadable = hasShape(rest) && !graphql.some(({ rule }) => ['syntax', 'schema'].includes(rule));
  const all = [...rest, ...graphql, ...(isReadable ? policyProblems(contracts) : [])];
  const named = all.map((problem) => ({ ...problem, rule: problem.rule.replace(/^accord\//, '') }));
  // A contract need not use all that the documents of its parts have.
  return sortProblems(once(named.filter(({ rule, file }) => rule !== 'unused-component' || !isOfPart(file))));
}

/** Returns the problems on lines that changed since a commit, and the problems that the commit did not have. Rejects as git does. */
async function problemsSince(root: string, contracts: Contracts, { id }: Commit): Promise<Problem[]> {
  const problems = await lint(root, contracts);
  const files = [...new Set(problems.map(({ file }) => file))];
  const changed = new Map(
    await Promise.all(files.map(async (file) => [file, await linesSince(root, id, file)] as const)),
  );
  const keyOf = ({ file, rule, message }: Problem) => [file, rule, message].join('\n');
  const left = new Map<string, number>();
  for (const problem of await lint(root, contractsIn(filesAt(root, id), ['openapi', 'schema'])))
    left.set(keyOf(problem), (left.get(keyOf(problem)) ?? 0) + 1);
  return problems.filter((problem) => {
    const known = left.get(keyOf(problem)) ?? 0;
    left.set(keyOf(problem), known - 1);
    return known <= 0 || changed.get(problem.file)?.has(problem.line) === true;
  });
}

const DESCRIPTION = `
Checks openapi.yaml and schema.graphql with the rules of code generation, of Redocly (redocly.yaml), of graphql-eslint
(eslint.config.js), and with own rules for these two tools, which --rules lists. Exits 1 on an error, 0 on warnings.`;

interface Options {
  root: string;
  json: boolean;
  rules: boolean;
  onlyChanged?: string | true;
}

function printRules(json: boolean): void {
  const rules = Object.entries(REASONS).map(([name, why]) => {
    const contracts = [
      ...(name in OPENAPI_RULES ? ['openapi.yaml'] : []),
      ...(name in GRAPHQL_RULES ? ['schema.graphql'] : []),
    ];
    return { name, severity: WARNINGS.includes(name) ? 'warning' : 'error', why, contracts };
  });
  const printed = rules.map(({ name, severity, why, contracts }) => {
    return `${paint('bold', name)}  ${paint('dim', `${severity}, ${contracts.join(', ')}`)}\n  ${why}`;
  });
  if (json) printJson(rules);
  else console.log(printed.join('\n'));
}

function inOrder({ openapi, schema }: Contracts): string {
  const [one] = [openapi, schema].filter(({ absent }) => absent);
  if (one === undefined) return 'Both contracts are in order.';
  return `${one === openapi ? schema.file : openapi.file} is in order. There is no ${one.file}.`;
}

const lintCommand: Subcommand = (command) => {
  command
    .description(DESCRIPTION.trim().replaceAll('\n', ' '))
    .option('--rules', 'list the own rules with their reasons', false)
    .option(
      '--only-changed [ref]',
      'only problems since a commit, tag or branch (default: where this branch left origin/main, or HEAD)',
    )
    .option('--json', 'print JSON for programs', false)
    .action(async () => {
      const { root, json, rules, onlyChanged } = command.optsWithGlobals<Options>();
      if (rules) return printRules(json);
      const contracts = await readContracts(root, undefined, 'one');
      const since = onlyChanged && (await commitAt(root, onlyChanged === true ? undefined : onlyChanged));
      const problems = await (since ? problemsSince(root, contracts, since) : lint(root, contracts));
      const failed = problems.some(({ severity }) => severity !== 'warning');
      if (failed) process.exitCode = EXIT.found;
      if (json) return printJson(problems.map(({ frame: _, ...problem }) => ({ severity: 'error', ...problem })));
      if (problems.length > 0) console.log(printProblems(problems, process.stdout));
      else
        console.log(`${paint('green', '✓')} ${since ? `No problem is new since ${since.label}.` : inOrder(contracts)}`);
    });
};

export default lintCommand;

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { FILES } from '../model/files.js';
import { type Problem, problemAt } from '../model/problems.js';
import type { SdlSource } from '../model/sdl-source.js';

/** The names under which ESLint 9 looks for its configuration. */
const CONFIGURATIONS = ['js', 'mjs', 'cjs'].map((extension) => `eslint.config.${extension}`);

/**
 * What graphql-eslint finds in the text of a GraphQL schema, by the project's eslint.config.js; where the project has none,
 * by the plugin's recommended rules.
 */
export async function lintByGraphqlEslint(root: string, { text: schemaSdl, texts }: SdlSource): Promise<Problem[]> {
  const [{ ESLint }, { default: plugin }] = await Promise.all([
    import('eslint'),
    import('@graphql-eslint/eslint-plugin'),
  ]);
  const configured = CONFIGURATIONS.some((name) => existsSync(join(root, name)));
  // The contract is its own schema: the working directory need not be the project, and a schema by its path is remembered.
  const parserOptions = { schemaSdl };
  const parsing = { files: [FILES.schema], languageOptions: { parserOptions } };
  const recommended = {
    ...parsing,
    plugins: { '@graphql-eslint': plugin as object },
    languageOptions: { parser: plugin.parser, parserOptions },
    // A description of one line takes one line, between quotation marks; a longer one stands in a block.
    rules: { ...plugin.configs['flat/schema-recommended'].rules, '@graphql-eslint/description-style': 'off' },
  };
  const eslint = new ESLint({
    cwd: root,
    overrideConfig: configured ? parsing : recommended,
    ...(configured ? {} : { overrideConfigFile: true }),
  });
  // What a project's configuration says of schema.graphql, it says of the contract.
  const ofFile = async ([file, text]: [string, string]): Promise<Problem[]> => {
    const results = await eslint.lintText(text, { filePath: join(root, FILES.schema) });
    return results.flatMap(({ messages }) =>
      messages.map(({ line = 1, column = 1, endLine, endColumn, ruleId, severity, message }) => {
        const length = endLine === line && endColumn !== undefined ? endColumn - column : 1;
        const rule = ruleId?.replace('@graphql-eslint/', '') ?? 'syntax';
        const problem = problemAt(file, text, { line, column, length }, rule, message);
        return severity === 1 ? { ...problem, severity: 'warning' } : problem;
      }),
    );
  };
  return (await Promise.all([...texts].map(ofFile))).flat();
}

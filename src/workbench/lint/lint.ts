import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, loadConfig } from '@redocly/openapi-core';
import { parse } from 'graphql';
import { METHODS, type OpenApiDocument } from '../../platform/contract/document.js';
import { normaliseOpenApi } from '../../platform/contract/openapi.js';
import { type Contracts, contradictions } from '../model/check.js';
import { checkOpenApi, hasShape } from '../model/check-openapi.js';
import { checkSchema } from '../model/check-schema.js';
import { inOrder, type Problem, problemAt } from '../model/problems.js';
import { lintByRedocly } from '../model/redocly.js';
import { readYaml } from '../model/yaml-source.js';
import { elements } from './elements.js';
import { lintByGraphqlEslint } from './graphql-eslint.js';
import type { NamedOperation } from './rule.js';
import { REST_RULES, SDL_RULES } from './rules.js';

const OPENAPI = 'openapi.yaml';
const SCHEMA = 'schema.graphql';

function namedOperations(source: OpenApiDocument): NamedOperation[] {
  return Object.entries(normaliseOpenApi(source).paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      if (operation?.operationId === undefined) return [];
      const { operationId, tags: [tag = ''] = [] } = operation;
      return [{ operationId, tag, operation, at: ['paths', path, method] }];
    }),
  );
}

/** What our own rules find in an OpenAPI document of sound shape. */
export function lintRest(text: string): Problem[] {
  const yaml = readYaml(text, OPENAPI);
  const source = yaml.value as OpenApiDocument;
  const rest = { source, elements: elements(source), operations: namedOperations(source) };
  return REST_RULES.flatMap(({ name, check }) => check(rest).map((flaw) => yaml.problemAt({ ...flaw, rule: name })));
}

/** What our own rules find in a sound GraphQL schema. */
export function lintSdl(text: string): Problem[] {
  const document = parse(text);
  return SDL_RULES.flatMap(({ name, check }) =>
    check(document).map(({ node, message }) => {
      const { line = 1, column = 1, start = 0, end = 1 } = node.loc?.startToken ?? {};
      return problemAt(SCHEMA, text, { line, column, length: end - start }, name, message);
    }),
  );
}

async function lintOpenApi(root: string, text: string): Promise<Problem[]> {
  const broken = await checkOpenApi(text);
  if (!hasShape(broken)) return broken;
  const configPath = join(root, 'redocly.yaml');
  const config = existsSync(configPath)
    ? await loadConfig({ configPath })
    : await createConfig({ extends: ['recommended'] });
  return [...broken, ...(await lintByRedocly(OPENAPI, text, config)), ...lintRest(text)];
}

async function lintSchema(root: string, text: string): Promise<Problem[]> {
  const broken = checkSchema(text);
  if (broken.some(({ rule }) => rule !== 'permission')) return broken;
  return [...broken, ...(await lintByGraphqlEslint(root, text, SCHEMA)), ...lintSdl(text)];
}

/** Two rule sets may have the same rule, and a shared component is met once for each use. */
function once(problems: Problem[]): Problem[] {
  const keyOf = ({ file, line, column, rule, message }: Problem) => [file, line, column, rule, message].join('\n');
  return [...new Map(problems.map((one) => [keyOf(one), one])).values()];
}

/**
 * The problems of both contracts of the project in `root`, errors first: what codegen needs, what Redocly and graphql-eslint
 * find under the project's own configuration, our own rules, and where the contracts contradict each other. Of a contract without sound structure, only what is
 * wrong with that.
 */
export async function lint(root: string, { openapi, schema }: Contracts): Promise<Problem[]> {
  const [rest, graphql] = await Promise.all([lintOpenApi(root, openapi), lintSchema(root, schema)]);
  const canBeRead = hasShape(rest) && !graphql.some(({ rule }) => ['syntax', 'schema'].includes(rule));
  return inOrder(once([...rest, ...graphql, ...(canBeRead ? contradictions({ openapi, schema }) : [])]));
}

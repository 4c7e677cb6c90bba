import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenApiDocument } from '@accord-api/platform/contract/document';
import { elementsOf } from '@accord-api/platform/contract/elements';
import { placedOperations } from '@accord-api/platform/contract/placed-operations';
import type { Kind } from '@accord-api/platform/contract/places';
import { createConfig, loadConfig } from '@redocly/openapi-core';
import { contradictions, isGeneratedFrom } from '../model/check.js';
import { checkOpenApi, checkOpenApiItself, hasShape } from '../model/check-openapi.js';
import { checkSchema, checkSchemaItself } from '../model/check-schema.js';
import type { Contracts } from '../model/contracts.js';
import { unresolved } from '../model/openapi-rules.js';
import type { OpenApiSource } from '../model/openapi-source.js';
import { inOrder, type Problem } from '../model/problems.js';
import { lintByRedocly } from '../model/redocly.js';
import { problemIn } from '../model/sdl.js';
import type { SdlSource } from '../model/sdl-source.js';
import { lintByGraphqlEslint } from './graphql-eslint.js';
import type { NamedOperation } from './rule.js';
import { REST_RULES, SDL_RULES } from './rules.js';

function namedOperations(document: OpenApiDocument): NamedOperation[] {
  return placedOperations(document).flatMap(({ operation, at }) => {
    const { operationId, tags: [tag = ''] = [] } = operation as Partial<typeof operation>;
    return operationId === undefined ? [] : [{ operationId, tag, operation, at }];
  });
}

/** What the rules ask about. */
const ASKED = new Set<Kind>([
  ...(['document', 'components', 'pathItem', 'operation', 'parameter', 'header'] as const),
  ...(['body', 'response', 'mediaType', 'schema'] as const),
]);

/** What our own rules find in an OpenAPI document of sound shape. */
export function lintRest(source: OpenApiSource): Problem[] {
  const { written, document } = source;
  const rest = {
    source: written,
    elements: elementsOf(written, { met: ASKED }),
    operations: namedOperations(document),
  };
  return REST_RULES.flatMap(({ name, severity, check }) =>
    check(rest).map((flaw) => ({ ...source.problemAt({ ...flaw, rule: name }), ...(severity && { severity }) })),
  );
}

/** What our own rules find in a sound GraphQL schema. */
export function lintSdl({ document }: SdlSource): Problem[] {
  return SDL_RULES.flatMap(({ name, severity, check }) =>
    check(document).map(({ node, message }) => ({ ...problemIn(node, name, message), ...(severity && { severity }) })),
  );
}

/** How our own rules are called where other linters have them. */
const OURS = 'accord/';

/** How a contract is checked before its rules: as one of which code is to be generated, or by itself. */
interface Checks {
  rest: typeof checkOpenApi;
  graphql: typeof checkSchema;
}
const GENERATED_FROM: Checks = { rest: checkOpenApi, graphql: checkSchema };
const BY_THEMSELVES: Checks = { rest: checkOpenApiItself, graphql: checkSchemaItself };

const checksFor = (contracts: Contracts): Checks => (isGeneratedFrom(contracts) ? GENERATED_FROM : BY_THEMSELVES);

async function lintOpenApi(root: string, source: OpenApiSource, check: Checks['rest']): Promise<Problem[]> {
  const broken = await check(source);
  if (source.absent || !hasShape(broken)) return broken;
  const unread = unresolved(source).map(source.problemAt);
  const own = unread.length > 0 ? [] : lintRest(source);
  const configPath = join(root, 'redocly.yaml');
  const config = existsSync(configPath)
    ? await loadConfig({ configPath })
    : await createConfig({ extends: ['recommended'] });
  const ofRedocly = await lintByRedocly(source, config);
  // Where our rules are Redocly's, too, for editors.
  return [...broken, ...unread, ...ofRedocly.filter(({ rule }) => !rule.startsWith(OURS)), ...own];
}

async function lintSchema(root: string, sdl: SdlSource, check: Checks['graphql']): Promise<Problem[]> {
  const broken = check(sdl);
  if (sdl.absent || broken.some(({ rule }) => rule !== 'permission')) return broken;
  const ofEslint = await lintByGraphqlEslint(root, sdl);
  return [...broken, ...ofEslint.filter(({ rule }) => !rule.startsWith(OURS)), ...lintSdl(sdl)];
}

/** Two rule sets may have the same rule, and a shared component is met once for each use. */
function once(problems: Problem[]): Problem[] {
  const keyOf = ({ file, line, column, rule, message }: Problem) => [file, line, column, rule, message].join('\n');
  return [...new Map(problems.map((one) => [keyOf(one), one])).values()];
}

/**
 * The problems of the contracts of the project in `root`, errors first: what codegen needs where code is generated from them, what Redocly and graphql-eslint
 * find under the project's own configuration, our own rules, and where the contracts contradict each other. Of a contract without sound structure, only what is
 * wrong with that.
 */
export async function lint(root: string, contracts: Contracts): Promise<Problem[]> {
  const { openapi, schema } = contracts;
  const checks = checksFor(contracts);
  const [rest, graphql] = await Promise.all([
    lintOpenApi(root, openapi, checks.rest),
    lintSchema(root, schema, checks.graphql),
  ]);
  const canBeRead = hasShape(rest) && !graphql.some(({ rule }) => ['syntax', 'schema'].includes(rule));
  return inOrder(once([...rest, ...graphql, ...(canBeRead ? contradictions(contracts) : [])]));
}

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@accord-api/platform/cli/built';
import type { Catalogue } from '@accord-api/platform/contract/codes';
import type { Schema } from '@accord-api/platform/contract/document';
import type { RestOperation } from '@accord-api/platform/contract/openapi';
import { platformOperations } from '@accord-api/platform/contract/part-operations';
import { CONTRACT_FILE, filesIn } from '@accord-api/platform/contract/project-files';
import { withSubschemas } from '@accord-api/platform/contract/schemas';
import type { CodegenConfig } from '@graphql-codegen/cli';
import { check } from '../model/check.js';
import { readCodes } from '../model/codes.js';
import type { Contracts } from '../model/contracts.js';
import { generateContract, generatePublished, generateSdl, type OpenApiSource } from '../model/openapi-source.js';
import type { StatedPolicy } from '../model/permissions.js';
import { checkPrismaSchema, generatePrismaClient, prismaClientIsCurrent } from '../model/prisma-schema.js';
import { type Problem, printProblems } from '../model/problems.js';
import { docComment, key, literal } from './operation-types.js';
import { generateOperations, HEADER } from './operations.js';
import { generateResolvers, importTypeScript } from './resolvers.js';

/** The result of a generation. `report` is for people. */
export interface Outcome {
  ok: boolean;
  report: string;
  problems: Problem[];
  /** The files of `generated/` that were written, except contract.json; with `check`, the stale ones. */
  changed: string[];
  /** The text of all generated files by name, written or not; empty if a contract is broken. */
  files: Files;
}

type Files = Record<string, string>;

interface GenerateOptions {
  root: string;
  /** Compares with the files on disk and writes nothing. Leaves out what is not committed: the Prisma client and contract.json. */
  check?: boolean;
  /** False leaves the Prisma client to the build. */
  client?: boolean;
}

/** Moves a reference with siblings (OpenAPI 3.1) into `allOf`, because openapi-typescript ignores the siblings. */
function withReferenceInside(schema: Schema): Schema {
  const { $ref, ...beside } = withSubschemas(schema, withReferenceInside);
  if ($ref === undefined) return beside;
  return Object.keys(beside).length === 0 ? { $ref } : { ...beside, allOf: [{ $ref }, ...(beside.allOf ?? [])] };
}

/** Returns the source of `generated/openapi.ts`: the types of all schemas, made by openapi-typescript. */
export async function openApiTypes({ written }: OpenApiSource): Promise<string> {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const { openapi, info, components } = written;
  const named = Object.entries(components?.schemas ?? {}).map(([name, schema]) => [name, withReferenceInside(schema)]);
  const schemas = JSON.stringify({ openapi, info, paths: {}, components: { schemas: Object.fromEntries(named) } });
  // A request may leave out a member with a default.
  const nodes = await openapiTS(schemas, { defaultNonNullable: false, alphabetize: false, silent: true });
  return `${HEADER}\n${astToString(nodes)}`;
}

const BOTH = '// Generated from openapi.yaml and schema.graphql by `npm run codegen`. Do not edit.\n';

const TABLE = docComment([
  'The permissions by action and role. `any`: all rows. `own`: rows of the caller. `none`: no rows.',
  'Source: `x-permission` and `@permission`. See also permissions.md.',
]);
const ACTION = docComment(['The actions that permissions name.']);
const DECISIONS = docComment([
  'The operations and root fields whose action reaches `own`, with the decision that their target must make: `owner`, by a',
  'stored row; `self`, by a new row of the caller. A route with another target does not compile.',
]);
const FIELDS = docComment([
  'The fields of GraphQL that parts answer (`x-parts`). The application may answer them itself.',
]);
const ROLE = docComment([
  'The roles of accounts, as in the database, in tokens and in GraphQL. REST has them in lower case.',
]);

/**
 * Returns the source of `generated/policy.ts`. Expects permissions without problems.
 * @param ofParts the operations and fields that parts answer
 */
export function generatePolicy(policy: StatedPolicy, ofParts: ReadonlySet<string> = new Set()): string {
  const { roles, statements } = policy;
  const fields = [...ofParts].filter((name) => name.includes('.'));
  const byAction = new Map(statements.map(({ permission }) => [permission.action, permission]));
  const rows = [...byAction].map(([action, permission]) => {
    const cells = roles.map((role) => `${key(role.toUpperCase())}: ${literal(permission[role])}`);
    return `  ${key(action)}: { ${cells.join(', ')} },\n`;
  });
  // The first permission of an operation is its own. The permissions of `x-permission-also` follow it.
  const main = new Map(statements.toReversed().map(({ by, permission }) => [by, permission]));
  const decisions = [...main].reverse().flatMap(([by, permission]) => {
    const reaches = roles.map((role) => permission[role]);
    if (!reaches.includes('own')) return [];
    return `  ${key(by)}: ${reaches.includes('any') ? "'owner'" : "'owner' | 'self'"};\n`;
  });
  const names = roles.map((role) => literal(role.toUpperCase())).join(' | ') || 'never';
  return [
    BOTH,
    `${TABLE}export const policy = {\n${rows.join('')}} as const;\n`,
    `${DECISIONS}export interface Decisions {\n${decisions.join('')}}\n`,
    `${FIELDS}export type FieldOfPart = ${fields.map(literal).join(' | ') || 'never'};\n`,
    `${ACTION}export type Action = keyof typeof policy;\n`,
    `${ROLE}export type Role = ${names};\n`,
  ].join('\n');
}

const INTRODUCTION = `# Permissions

Generated from openapi.yaml and schema.graphql by \`npm run codegen\`. Do not edit. Change the contract, and review the effect here.
The service decides by policy.ts, which has the same source. A test tries each cell.

- \`any\`: all rows. \`own\`: rows of the caller; 403 for others. \`none\`: 403.
- \`open\`: no credential needed. \`401\`: a credential is required.
- A line with a condition applies in addition to the operation's own line, if the condition is met.
- The mechanisms are the security schemes of openapi.yaml. GraphQL accepts all credentials of users on every field.
`;

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
const head = (cells: readonly string[]) => row(cells) + row(cells.map(() => '---'));
const conditional = (name: string, when: string | undefined) => (when === undefined ? name : `${name}, when ${when}`);

/** Returns the cell of a public operation, which may still require a secret that belongs to no user. */
const openTo = ({ security }: RestOperation): string => {
  const optional = security.length === 0 || security.some((requirement) => Object.keys(requirement).length === 0);
  return optional ? 'open' : security.flatMap((requirement) => Object.keys(requirement)).join(', ');
};

function rest({ document, operations }: Contracts['openapi'], roles: StatedPolicy['roles']): string {
  const schemes = Object.keys(document.components.securitySchemes ?? {});
  const mechanisms = ({ security }: RestOperation) =>
    schemes.map((scheme) => (security.some((alternative) => scheme in alternative) ? 'yes' : '-'));
  const lines = operations.flatMap((operation) => {
    const { operationId, method, path, permission, furtherPermissions } = operation;
    const request = `${method} ${path}`;
    if (permission === 'public') {
      return row([operationId, request, ...Array(roles.length + 1).fill(openTo(operation)), ...mechanisms(operation)]);
    }
    return [permission, ...furtherPermissions].map((permission) => {
      const name = conditional(operationId, permission.when);
      return row([name, request, '401', ...roles.map((role) => String(permission[role])), ...mechanisms(operation)]);
    });
  });
  return head(['operation', 'request', 'anonymous', ...roles, ...schemes]) + lines.join('');
}

function graphql({ roles, statements }: StatedPolicy): string {
  const lines = statements
    .filter(({ by }) => by.includes('.'))
    .map(({ by, permission }) =>
      row([conditional(by, permission.when), '401', ...roles.map((role) => String(permission[role]))]),
    );
  return head(['field', 'anonymous', ...roles]) + lines.join('');
}

/** Returns the text of `generated/permissions.md`, the permissions of both contracts. Expects contracts without problems. */
const permissionMatrix = ({ openapi, permissions }: Contracts): string =>
  `${INTRODUCTION}\n## REST\n\n${rest(openapi, permissions.roles)}\n## GraphQL\n\n${graphql(permissions)}`;

const CATALOGUE = docComment([
  'The error codes of both transports: HTTP status, title and description. The catalogue has the codes of the platform and the',
  'codes that `x-codes` in openapi.yaml adds.',
]);

/** Returns the source of `generated/errors.ts`, the catalogue of error codes. The same codes always give the same text. */
export function generateErrors(codes: Catalogue): string {
  const entries = Object.entries(codes).map(
    ([code, { status, title, description }]) =>
      `  ${key(code)}: {\n    status: ${status},\n    title: ${literal(title)},\n    description: ${literal(description.trim())},\n  },\n`,
  );
  return [
    HEADER,
    `${CATALOGUE}export const errors = {\n${entries.join('')}} as const;\n`,
    `${docComment(['A code of the catalogue. Clients distinguish errors by it.'])}export type Code = keyof typeof errors;\n`,
  ].join('\n');
}

/** Reads `codegen.ts` anew each time, so that a watch sees an edit. */
const codegenConfig = async (root: string) => (await importTypeScript(root, 'codegen.ts'))['default'] as CodegenConfig;

async function generateFiles(contracts: Contracts, root: string): Promise<Files> {
  const { openapi, schema, permissions } = contracts;
  const [types, resolvers] = await Promise.all([
    openApiTypes(openapi),
    codegenConfig(root).then((config) => generateResolvers(schema, config)),
  ]);
  return {
    [CONTRACT_FILE]: JSON.stringify(generateContract(openapi, schema)),
    'errors.ts': generateErrors(readCodes(openapi.document)),
    'graphql.ts': resolvers,
    'openapi.ts': types,
    'openapi.yaml': generatePublished(openapi),
    'operations.ts': generateOperations(openapi),
    'permissions.md': permissionMatrix(contracts),
    'policy.ts': generatePolicy(permissions, platformOperations(openapi.document)),
    'schema.graphql': generateSdl(schema),
  };
}

const SHOWN_LINES = 3;

/** Returns up to three lines from the first difference: `-` for the file on disk, `+` for the new text. */
function firstDifference(before: string | undefined, after: string): string {
  if (before === undefined) return '  It does not exist.';
  const [old, now] = [before.split('\n'), after.split('\n')];
  const length = Math.max(old.length, now.length);
  let at = 0;
  while (at < length && old[at] === now[at]) at += 1;
  const take = (lines: string[], sign: string) => lines.slice(at, at + SHOWN_LINES).map((line) => `  ${sign} ${line}`);
  return [`  from line ${at + 1}:`, ...take(old, '-'), ...take(now, '+')].join('\n');
}

/**
 * Generates `generated/` from valid contracts, or with `check` reports stale files. Writes only changed files, after all of them and the
 * Prisma client were generated. Rejects if a generator fails.
 */
export async function generate(
  contracts: Contracts,
  { root, check: only = false, client: wantsClient = true }: GenerateOptions,
): Promise<Outcome> {
  // The client is not committed. A project without the package `generated/` does not use it.
  const hasClient = filesIn(root).read('generated/package.json') !== undefined;
  const renewClient = !only && wantsClient && hasClient && !(await prismaClientIsCurrent(root));
  const checked = check(contracts);
  const checkedAll = Promise.all([checked, renewClient ? checkPrismaSchema(root, contracts.prisma) : []]).then(
    (found) => found.flat(),
  );
  // Prisma's commands take a second each, so each step starts as soon as its input is checked.
  const [problems, files, client] = await Promise.all([
    checkedAll,
    checked.then((found): Files | Promise<Files> => (found.length > 0 ? {} : generateFiles(contracts, root))),
    checkedAll.then((found) =>
      found.length > 0 || !renewClient ? [] : generatePrismaClient(root).then(() => ['prisma']),
    ),
  ]);
  if (problems.length > 0) {
    const report = `${printProblems(problems)}\ngenerated/ was left as it was.`;
    return { ok: false, report, problems, changed: [], files };
  }
  const folder = join(root, 'generated');
  const stale = [];
  for (const [name, text] of Object.entries(files)) {
    const before = filesIn(folder).read(name);
    if (before !== text && !(only && name === CONTRACT_FILE)) stale.push({ name, before, text });
  }
  const reviewed = stale.filter(({ name }) => name !== CONTRACT_FILE);
  const changed = [...reviewed.map(({ name }) => name), ...client];
  if (only) {
    const hints = stale.map(
      ({ name, before, text }) => `generated/${name} is stale.\n${firstDifference(before, text)}\n`,
    );
    const report = stale.length === 0 ? 'generated/ is current.' : `${hints.join('\n')}\nRun \`npm run codegen\`.`;
    return { ok: stale.length === 0, report, problems, changed, files };
  }
  await mkdir(folder, { recursive: true });
  // A service that starts meanwhile must not read half a file.
  for (const { name, text } of stale) replaceFile(join(folder, name), text);
  const report =
    changed.length === 0 ? 'generated/ is current.' : changed.map((name) => `generated/${name}`).join('\n');
  return { ok: true, report, problems, changed, files };
}

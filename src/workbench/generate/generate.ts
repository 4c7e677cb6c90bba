import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '@accord-api/platform/cli/built';
import type { Schema } from '@accord-api/platform/contract/document';
import { CONTRACT_FILE, filesIn } from '@accord-api/platform/contract/project-files';
import { withSubschemas } from '@accord-api/platform/contract/schemas';
import type { CodegenConfig } from '@graphql-codegen/cli';
import { check } from '../model/check.js';
import { readCodes } from '../model/codes.js';
import { type Contracts, readContracts } from '../model/contracts.js';
import { generateContract, generatePublished, type OpenApiSource } from '../model/openapi-source.js';
import { checkPrismaSchema, generatePrismaClient, prismaClientIsCurrent } from '../model/prisma-schema.js';
import { type Problem, printProblems } from '../model/problems.js';
import { importTypeScript } from '../model/typescript-module.js';
import { generateOperations, HEADER } from './operations.js';
import { generateResolvers } from './resolvers.js';
import { generateErrors, generatePolicy, permissionMatrix } from './tables.js';

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
  colour?: boolean;
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
  const named = Object.entries(components?.schemas ?? {}).map(([name, one]) => [name, withReferenceInside(one)]);
  const schemas = JSON.stringify({ openapi, info, paths: {}, components: { schemas: Object.fromEntries(named) } });
  // A request may leave out a member with a default.
  const nodes = await openapiTS(schemas, { defaultNonNullable: false, alphabetize: false, silent: true });
  return `${HEADER}\n${astToString(nodes)}`;
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
    [CONTRACT_FILE]: JSON.stringify(generateContract(openapi)),
    'errors.ts': generateErrors(readCodes(openapi.document)),
    'graphql.ts': resolvers,
    'openapi.ts': types,
    'openapi.yaml': generatePublished(openapi),
    'operations.ts': generateOperations(openapi),
    'permissions.md': permissionMatrix(contracts),
    'policy.ts': generatePolicy(permissions),
  };
}

async function checkClientSchema(root: string): Promise<Problem[]> {
  const { prisma } = await readContracts(root, ['prisma']);
  return checkPrismaSchema(root, prisma);
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
  { root, check: only = false, colour = false }: GenerateOptions,
): Promise<Outcome> {
  // The client is not committed. A project without the package `generated/` does not use it.
  const hasClient = filesIn(root).read('generated/package.json') !== undefined;
  const renewClient = !only && hasClient && !(await prismaClientIsCurrent(root));
  const checked = check(contracts);
  const checkedAll = Promise.all([checked, renewClient ? checkClientSchema(root) : []]).then((found) => found.flat());
  // Prisma's commands take a second each, so each step starts as soon as its input is checked.
  const [problems, files, client] = await Promise.all([
    checkedAll,
    checked.then((found): Files | Promise<Files> => (found.length > 0 ? {} : generateFiles(contracts, root))),
    checkedAll.then((found) =>
      found.length > 0 || !renewClient ? [] : generatePrismaClient(root).then(() => ['prisma']),
    ),
  ]);
  if (problems.length > 0) {
    const report = `${printProblems(problems, { colour })}\ngenerated/ was left as it was.`;
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

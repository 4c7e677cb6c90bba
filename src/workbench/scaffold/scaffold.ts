import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { Unable } from '@accord-api/platform/cli/output';
import { type Project, type SourceFile, ts } from 'ts-morph';
import type { Contracts } from '../model/contracts.js';
import type { Problem } from '../model/problems.js';
import { importTypeScript } from '../model/typescript-module.js';
import { editGroups, pendingIn, type Request, tagGroups, typeGroups } from './groups.js';
import type { Change, Located, Pending, Scaffolding } from './report.js';
import { emptyProject, type RequiredFields, requiredFields, typesOf } from './resolver-fields.js';
import { parkedHead } from './source-edits.js';

interface Generated {
  /** Empty for valid contracts. */
  problems: Problem[];
  report: string;
  changed: string[];
  files: Record<string, string>;
}

interface ScaffoldOptions {
  root: string;
  check?: boolean;
  /** Generates from the same contracts; with `check` without writing. */
  generate: () => Promise<Generated>;
}

/**
 * Generates `generated/`, writes stubs for new operations and fields, parks the code of removed ones, and restores parked code. A second
 * run changes nothing.
 * @throws Unable on an invalid contract, on a syntax error in the code, and on a name that no file can have
 */
export async function scaffold(contracts: Contracts, options: ScaffoldOptions): Promise<Scaffolding> {
  const { root, check = false, generate } = options;
  const project = openProject(root);
  // The generated operations are those before the edit. A new project has none.
  const last = await importTypeScript(root, 'generated/operations.ts').catch(() => undefined);
  const before = (last?.['operations'] ?? {}) as Record<string, Request>;
  const outcome = await generate();
  if (outcome.problems.length > 0) throw new Unable(outcome.report);
  const types = typesOf(contracts.schema);
  const required = requiredFields(root, outcome.files['graphql.ts'] ?? '', types);
  const { changes, pending } = editCode(project, root, contracts, { before, required });
  await finish(project, root, check);
  const place = <Thing extends Change | Pending>(thing: Thing) =>
    locate(project.getSourceFileOrThrow(join(root, thing.file)), thing);
  return {
    generated: outcome.changed.map((name) => `generated/${name}`),
    changes: changes.map(place),
    pending: pending().map(place),
  };
}

/** Edits the sources in memory. */
export function editCode(
  project: Project,
  root: string,
  contracts: Contracts,
  { before, required }: { before: Readonly<Record<string, Request>>; required: RequiredFields },
): { changes: Change[]; pending: () => Pending[] } {
  // Another service handles forwarded operations.
  const operations = contracts.openapi.operations.filter(({ forward }) => forward === undefined);
  const tags = tagGroups(operations, before);
  const types = typeGroups(typesOf(contracts.schema), required);
  return {
    changes: [...editGroups(project, root, 'tag', tags), ...editGroups(project, root, 'type', types)],
    pending: () => [...pendingIn(project, root, tags), ...pendingIn(project, root, types)],
  };
}

/** @throws Unable for a file with a syntax error */
function openProject(root: string): Project {
  const project = emptyProject(root);
  const sources = ['src/application/*.ts', 'src/application/rest/*.ts', 'src/application/graphql/*.ts'];
  for (const file of project.addSourceFilesAtPaths(sources.map((pattern) => join(root, pattern)))) {
    const path = relative(root, file.getFilePath());
    const text = file.getFullText();
    const [error] = ts.transpileModule(text, { fileName: path, reportDiagnostics: true }).diagnostics ?? [];
    if (error === undefined) continue;
    const line = text.slice(0, error.start).split('\n').length;
    const reason = ts.flattenDiagnosticMessageText(error.messageText, ' ');
    throw new Unable(`${path}:${line} cannot be edited: ${reason} Correct it, and run the command again.`);
  }
  return project;
}

/** Adds the line and column of a member, of an entry in a registry, or of parked code. */
function locate<Thing extends Change | Pending>(file: SourceFile, thing: Thing): Located<Thing> {
  const text = file.getFullText();
  const name = thing.name.slice(thing.name.indexOf('.') + 1);
  const isParked = 'kind' in thing && thing.kind === 'parked';
  const declared = new RegExp(`(?<=^ *|export const |[{,] *)${name}(?=[:(,]| [:=}])`, 'm');
  const at = isParked ? text.indexOf(parkedHead(thing.name)) : text.search(declared);
  return { ...thing, ...file.getLineAndColumnAtPos(Math.max(0, at)) };
}

async function finish(project: Project, root: string, check: boolean): Promise<void> {
  const changed = project
    .getSourceFiles()
    .filter((file) => !file.isSaved() && (file.getFullText() !== '' || existsSync(file.getFilePath())));
  await Promise.all(
    changed.map(async (file) => {
      const path = file.getFilePath();
      const before = await readFile(path, 'utf8').catch(() => undefined);
      // A file without the format of biome stays so, because no other byte may change.
      const isFormatted = before === undefined || (await formatted(root, path, before)) === before;
      const text = isFormatted ? await formatted(root, path, file.getFullText()) : file.getFullText();
      file.replaceWithText(text);
      if (!check) await writeFile(path, text);
    }),
  );
}

/** Returns a text with the format of biome and sorted imports; unchanged on a syntax error. */
async function formatted(root: string, path: string, text: string): Promise<string> {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const options = ['check', '--write', '--linter-enabled=false', `--stdin-file-path=${relative(root, path)}`];
  const child = spawn(process.execPath, [biome, ...options], { cwd: root, stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(text);
  return (await textOf(child.stdout)) || text;
}

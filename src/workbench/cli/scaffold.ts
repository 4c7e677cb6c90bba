import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { EXIT, paint, printJson, type Subcommand, table, Unable } from '@accord-api/platform/cli/output';
import { type Project, type SourceFile, ts } from 'ts-morph';
import { generate } from '../generate/generate.js';
import { importTypeScript } from '../generate/resolvers.js';
import { type Contracts, readContracts } from '../model/contracts.js';
import { printPlace } from '../model/problems.js';
import {
  editGroups,
  type Left,
  leftIn,
  type Pending,
  pendingIn,
  type Request,
  type ScaffoldChange,
  tagGroups,
  typeGroups,
} from '../scaffold/groups.js';
import { emptyProject, type RequiredFields, requiredFields, typesOf } from '../scaffold/stubs.js';

type Named = Pick<ScaffoldChange, 'file' | 'name'>;
/** Adds the position in `file`; line and column count from 1. */
type Located<Thing> = Thing & { line: number; column: number };

interface Scaffolding {
  generated: string[];
  changes: Located<ScaffoldChange>[];
  left: Located<Left>[];
  pending: Located<Pending>[];
}

/**
 * Generates `generated/`, writes stubs for new operations and fields, and reports the code of removed ones. A second run changes nothing.
 * @throws Unable on an invalid contract, on a syntax error in the code, and on a name that no file can have
 */
export async function scaffold(root: string, check = false): Promise<Scaffolding> {
  const contracts = await readContracts(root);
  const project = openProject(root);
  // The generated operations are those before the edit. A new project has none.
  const last = await importTypeScript(root, 'generated/operations.ts').catch(() => undefined);
  const before = (last?.['operations'] ?? {}) as Record<string, Request>;
  const outcome = await generate(contracts, { root, check });
  if (outcome.problems.length > 0) throw new Unable(outcome.report);
  const types = typesOf(contracts.schema);
  const required = requiredFields(root, outcome.files, types);
  const { changes, left, pending } = editCode(project, root, contracts, { before, required });
  await finish(project, root, check);
  const place = <Thing extends Named>(thing: Thing) =>
    locate(project.getSourceFileOrThrow(join(root, thing.file)), thing);
  return {
    generated: outcome.changed.map((name) => `generated/${name}`),
    changes: changes.map(place),
    left: left.map(place),
    pending: pending().map(place),
  };
}

/** Edits the sources in memory. */
export function editCode(
  project: Project,
  root: string,
  contracts: Contracts,
  { before, required }: { before: Readonly<Record<string, Request>>; required: RequiredFields },
): { changes: ScaffoldChange[]; left: Left[]; pending: () => Pending[] } {
  const tags = tagGroups(contracts.openapi, before);
  const types = typeGroups(typesOf(contracts.schema), required);
  return {
    left: [...leftIn(project, root, 'tag', tags), ...leftIn(project, root, 'type', types)],
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

/** Adds the line and column of a member, or of an entry in a registry. */
function locate<Thing extends Named>(file: SourceFile, thing: Thing): Located<Thing> {
  const text = file.getFullText();
  const name = thing.name.slice(thing.name.indexOf('.') + 1);
  const declared = new RegExp(`(?<=^ *|export const |[{,] *)${name}(?=[:(,]| [:=}])`, 'm');
  return { ...thing, ...file.getLineAndColumnAtPos(Math.max(0, text.search(declared))) };
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

function changeLines(changes: readonly Located<ScaffoldChange>[]): string[] {
  const rows = changes.map((change) => ({ a: change.kind, b: printPlace(change), c: change.name, d: change.detail }));
  const [, ...lines] = table(rows, ['a', 'b', 'c', 'd']).split('\n');
  return lines.map((line) => `  ${line.replace(/^\w+/, (kind) => paint('green', kind))}`);
}

/** Returns the next steps as sentences. `check` means that nothing was written. */
function nextSteps({ generated, changes, left, pending }: Scaffolding, check: boolean): string[] {
  if (check && changes.length + generated.length > 0) return ['Run `npx accord scaffold`.'];
  return [
    ...left.map((code) => `Look at ${printPlace(code)}: ${code.name}. ${code.reason} Move it, or delete it.`),
    ...pending.map((code) => {
      const answer = code.request === undefined ? 'answers NOT_IMPLEMENTED' : `(${code.request}) answers 501`;
      return `Fill in ${printPlace(code)}: ${code.name} ${answer}.`;
    }),
    'Run `npm run typecheck`, then `npm test`.',
    'Run `npx accord coverage`: it lists the parts of the contracts that no test covers.',
    'Run `npx accord diff`: it shows a reviewer what changed.',
  ];
}

/** Prints the changes and the next steps. */
function reportOf(scaffolding: Scaffolding, check: boolean): string {
  const { generated, changes, pending } = scaffolding;
  const title = paint('bold', check ? 'To do in the code:' : 'Done in the code:');
  const steps = nextSteps(scaffolding, check).map((step, index) => `  ${index + 1}. ${step}`);
  const sections = [
    generated.length === 0 ? [] : [`${check ? 'Would generate' : 'Generated'} ${generated.join(', ')}.`],
    changes.length === 0 ? [] : [title, ...changeLines(changes)],
    pending.length === 0 ? ['Every operation and field of the contracts is implemented.'] : [],
    [paint('bold', 'Next:'), ...steps],
  ];
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
}

interface Options {
  root: string;
  check?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

const DESCRIPTION = `Brings the code in line with the contracts, and prints the next steps.

Generates generated/, then writes a stub for each new operation into src/application/rest/<tag>.ts, and for each new field that needs a resolver into src/application/graphql/<Type>.ts. A stub is typed and answers 501 / NOT_IMPLEMENTED; a comment suggests the target of its route. Your code does not change. Code of an operation or field that a contract no longer has, or has under another name or tag, is reported. A second run changes nothing.`;

/** Exits 1 with `--check` if there is something to write, 2 on an invalid contract. */
const scaffoldCommand: Subcommand = (command) => {
  command.description(DESCRIPTION);
  command.option('--check', 'Write nothing. Print the changes, and exit 1 if there are any.');
  command.option('--dry-run', 'The same as --check.');
  command.option('--json', 'Print the changes, the stubs and the next steps as JSON.');
  command.action(async () => {
    const { root, json, ...options } = command.optsWithGlobals<Options>();
    const check = options.check === true || options.dryRun === true;
    const done = await scaffold(root, check);
    if (json) printJson({ ...done, next: nextSteps(done, check) });
    else console.log(reportOf(done, check));
    if (check && done.changes.length + done.generated.length > 0) process.exitCode = EXIT.found;
  });
};

export default scaffoldCommand;

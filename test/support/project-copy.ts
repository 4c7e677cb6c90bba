import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import ts from 'typescript';
import { compilerHost } from './compiler.js';
import { ROOT, temporaryFolder } from './process.js';

/**
 * Copies this project, applies edits and commits it.
 * @param further additional paths to copy
 */
export function copyProject(
  t: Test,
  edits: Record<string, (text: string) => string>,
  further: readonly string[] = [],
): string {
  const folder = temporaryFolder(t);
  const parts = [
    ...further,
    'src',
    'generated',
    'prisma',
    'openapi.yaml',
    'schema.graphql',
    'codegen.ts',
    'prisma.config.ts',
    'tsconfig.json',
    'package.json',
    'biome.json',
    '.gitignore',
  ];
  for (const part of parts) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  installIn(folder);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: folder });
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message=before');
  for (const [path, change] of Object.entries(edits))
    writeFileSync(join(folder, path), change(readFileSync(join(folder, path), 'utf8')));
  return folder;
}

/** Links the installed packages into a copy of this project. Packages of this repository are those of the copy. */
function installIn(folder: string): void {
  const [here, there] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(there);
  for (const name of readdirSync(here)) {
    const path = join(here, name);
    // A relative link to a package of this repository leads to the one of the copy.
    if (name === '.bin') linkPrograms(path, join(there, name));
    else if (name === '@accord-api') cpSync(path, join(there, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(path, join(there, name));
  }
}

/** Links the `accord` command of the copy, and all other programs by their real paths. */
function linkPrograms(here: string, there: string): void {
  mkdirSync(there);
  for (const name of readdirSync(here)) {
    const program = name === 'accord' ? '../@accord-api/platform/server/cli/bin.js' : realpathSync(join(here, name));
    symlinkSync(program, join(there, name));
  }
}

/** Returns the compiler's errors in some files of a project. */
export function errorsIn(folder: string, files: string[], further: ts.CompilerOptions = {}): string[] {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, folder);
  const options = { ...parsed.options, ...further };
  const paths = files.map((file) => join(folder, file));
  const program = ts.createProgram(paths, options, compilerHost(options));
  const found = paths.flatMap((path) => program.getSemanticDiagnostics(program.getSourceFile(path)));
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

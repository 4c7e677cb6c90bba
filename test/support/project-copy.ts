import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import ts from 'typescript';
import { compilerHost } from './compiler.js';
import { ROOT, temporaryFolder } from './process.js';

/**
 * A copy of this project, committed, with edits of some files.
 * @param further what else is copied, besides what the project is made of
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

/** Installs in a copy of this project what is installed here; of the packages whose sources are here, those of the copy. */
function installIn(folder: string): void {
  const [here, there] = [join(ROOT, 'node_modules'), join(folder, 'node_modules')];
  mkdirSync(there);
  for (const name of readdirSync(here)) {
    const path = join(here, name);
    // A link to a folder of ours says where that is from here, which is the same from there.
    if (name === '.bin') linkPrograms(path, join(there, name));
    else if (name === '@accord-api') cpSync(path, join(there, name), { recursive: true, verbatimSymlinks: true });
    else symlinkSync(path, join(there, name));
  }
}

/** The command is that of the copy; the others are programs by where they really are. */
function linkPrograms(here: string, there: string): void {
  mkdirSync(there);
  for (const name of readdirSync(here)) {
    const program = name === 'accord' ? '../@accord-api/platform/cli/bin.js' : realpathSync(join(here, name));
    symlinkSync(program, join(there, name));
  }
}

/** What the compiler has to say of some files of a project. */
export function errorsIn(folder: string, files: string[], further: ts.CompilerOptions = {}): string[] {
  const { config } = ts.readConfigFile(join(folder, 'tsconfig.json'), ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent({ ...config, include: [] }, ts.sys, folder);
  const options = { ...parsed.options, ...further };
  const paths = files.map((file) => join(folder, file));
  const program = ts.createProgram(paths, options, compilerHost(options));
  const found = paths.flatMap((path) => program.getSemanticDiagnostics(program.getSourceFile(path)));
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

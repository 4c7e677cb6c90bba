import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FILES } from './files.js';
import type { PrismaSource } from './prisma-schema.js';
import { type Problem, problemAt } from './problems.js';

const run = promisify(execFile);

/** `error: <message>` and, on the next line, ` -->  <path>:<line>`. */
const FINDING = /^error: (.+)\n\s*-->\s+\S.*:(\d+)$/gm;

/** What Prisma says is wrong, with the column of the word that it quotes. */
export function problemsIn(output: string, { file, text }: Pick<PrismaSource, 'file' | 'text'>): Problem[] {
  const lines = text.split('\n');
  return [...output.matchAll(FINDING)].map(([, message = '', number = '1']) => {
    const line = lines[Number(number) - 1] ?? '';
    const quoted = /["`]([^"`]+)["`]/.exec(message)?.[1] ?? '';
    const at = quoted === '' ? -1 : line.indexOf(quoted);
    const column = at < 0 ? line.search(/\S|$/) : at;
    const place = { line: Number(number), column: column + 1, length: at < 0 ? 1 : quoted.length };
    return problemAt(file, text, place, 'prisma', message);
  });
}

/**
 * The problems of the `prisma/schema.prisma` in a directory. Asks Prisma's own `validate`, in a process of its own (about a
 * second), which reads the file. Rejects when Prisma fails for another reason.
 */
export async function checkPrismaSchema(root: string, source: PrismaSource): Promise<Problem[]> {
  const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
  // Prisma looks for an engine binary that it does not use here, and would download one; any executable passes.
  const environment = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1', NO_COLOR: '1' };
  try {
    await run(process.execPath, [cli, 'validate', '--schema', join(root, FILES.prisma)], {
      cwd: root,
      env: { ...process.env, ...environment },
    });
    return [];
  } catch (error) {
    const problems = problemsIn(String((error as { stderr?: string }).stderr ?? ''), source);
    if (problems.length === 0) throw error;
    return problems;
  }
}

import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Problem, problemAt } from '../model/problems.js';

const run = promisify(execFile);

/** `error: <message>` and, on the next line, ` -->  <path>:<line>`. */
const FINDING = /^error: (.+)\n\s*-->\s+\S.*:(\d+)$/gm;

/** What Prisma says is wrong, with the column of the word that it quotes. */
export function problemsIn(output: string, text: string, file = 'prisma/schema.prisma'): Problem[] {
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
 * The problems of a project's `prisma/schema.prisma`, of which `text` is the content. Asks Prisma's own `validate`, in a
 * process of its own (about a second). Rejects when Prisma fails for another reason.
 */
export async function checkPrismaSchema(root: string, text: string): Promise<Problem[]> {
  const cli = createRequire(import.meta.url).resolve('prisma/build/index.js');
  // Prisma looks for an engine binary that it does not use here, and would download one; any executable passes.
  const environment = { PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1', NO_COLOR: '1' };
  try {
    await run(process.execPath, [cli, 'validate', '--schema', join(root, 'prisma', 'schema.prisma')], {
      cwd: root,
      env: { ...process.env, ...environment },
    });
    return [];
  } catch (error) {
    const problems = problemsIn(String((error as { stderr?: string }).stderr ?? ''), text);
    if (problems.length === 0) throw error;
    return problems;
  }
}

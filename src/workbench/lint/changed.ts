import { type Contracts, contractsIn } from '../model/contracts.js';
import { type Commit, filesAt, linesSince } from '../model/git.js';
import type { Problem } from '../model/problems.js';
import { lint } from './lint.js';

const keyOf = ({ file, rule, message }: Problem) => [file, rule, message].join('\n');

/**
 * Of the problems of a project those that came since a commit: on a line that it has not, or none that it had, for what is
 * edited in one place may break a rule in another. Rejects as git does.
 */
export async function problemsSince(root: string, contracts: Contracts, { id }: Commit): Promise<Problem[]> {
  const problems = await lint(root, contracts);
  const files = [...new Set(problems.map(({ file }) => file))];
  const changed = new Map(
    await Promise.all(files.map(async (file) => [file, await linesSince(root, id, file)] as const)),
  );
  const left = new Map<string, number>();
  for (const one of await lint(root, contractsIn(filesAt(root, id), ['openapi', 'schema'])))
    left.set(keyOf(one), (left.get(keyOf(one)) ?? 0) + 1);
  return problems.filter((one) => {
    const known = left.get(keyOf(one)) ?? 0;
    left.set(keyOf(one), known - 1);
    return known <= 0 || changed.get(one.file)?.has(one.line) === true;
  });
}

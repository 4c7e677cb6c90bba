import { type Contracts, contractsOf } from '../model/contracts.js';
import { FILES } from '../model/files.js';
import { type Commit, fileAt, linesSince } from '../model/git.js';
import type { Problem } from '../model/problems.js';
import { lint } from './lint.js';

const keyOf = ({ file, rule, message }: Problem) => [file, rule, message].join('\n');

/**
 * Of the problems of a project those that came since a commit: on a line that it has not, or none that it had, for what is
 * edited in one place may break a rule in another. Rejects as git does.
 */
export async function problemsSince(root: string, contracts: Contracts, { id }: Commit): Promise<Problem[]> {
  const files = [FILES.openapi, FILES.schema];
  const [problems, openapi, schema, ...lines] = await Promise.all([
    lint(root, contracts),
    fileAt(root, id, FILES.openapi),
    fileAt(root, id, FILES.schema),
    ...files.map((file) => linesSince(root, id, file)),
  ]);
  const changed = new Map(files.map((file, index) => [file as string, lines[index]]));
  const left = new Map<string, number>();
  for (const one of await lint(root, contractsOf({ openapi, schema })))
    left.set(keyOf(one), (left.get(keyOf(one)) ?? 0) + 1);
  return problems.filter((one) => {
    const known = left.get(keyOf(one)) ?? 0;
    left.set(keyOf(one), known - 1);
    return known <= 0 || changed.get(one.file)?.has(one.line) === true;
  });
}

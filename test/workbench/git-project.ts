import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { temporaryFolder } from '../support/process.js';
import { openapi, prisma, schema } from './diff-cases.js';

/** Returns the folder of a project in a git repository of its own, committed with the contracts of `diff-cases.ts`. */
export function gitProject(t: Test): string {
  const root = temporaryFolder(t);
  const write = (file: string, text: string) => writeFileSync(join(root, file), text);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: root });
  mkdirSync(join(root, 'prisma', 'migrations', '0_init'), { recursive: true });
  write('openapi.yaml', openapi);
  write('schema.graphql', schema);
  write('prisma/schema.prisma', prisma);
  write('prisma/migrations/0_init/migration.sql', '-- nothing\n');
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  return root;
}

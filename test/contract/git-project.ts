import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'tap';
import { temporaryFolder } from '../support/process.js';
import { openapi, prisma, schema } from './diff-cases.js';

/** A project in a git repository of its own, committed with the contracts of `diff-cases.ts`. */
export function gitProject(t: Test) {
  const root = temporaryFolder(t);
  const write = (file: string, text: string) => writeFileSync(join(root, file), text);
  // All commits are of one second, as in a script: their order must not depend on the time.
  const date = '2026-11-01T12:00:00Z';
  const env = { ...process.env, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date };
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: root, env });
  const commit = (message: string) => {
    git('add', '.');
    git('commit', '--quiet', '--message', message);
  };
  mkdirSync(join(root, 'prisma', 'migrations', '0_init'), { recursive: true });
  write('openapi.yaml', openapi);
  write('schema.graphql', schema);
  write('prisma/schema.prisma', prisma);
  write('prisma/migrations/0_init/migration.sql', '-- nothing\n');
  git('init', '--quiet', '--initial-branch=main');
  commit('first');
  return { root, write, git, commit };
}

import type { Test } from 'tap';
import { useProject } from '../../src/platform/root.js';
import { accord as program } from '../../src/platform/server/cli/program.js';
import { WORKBENCH } from '../../src/workbench/cli/commands.js';
import { type Ended, inherited } from './process.js';
import './typescript.js';

/**
 * Runs an `accord` command in this process, because loading it takes a second. Run one command at a time.
 * @param environment the whole environment besides PATH
 */
export async function accord(t: Test, args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  const before = { env: process.env, exitCode: process.exitCode };
  const printed = t.capture(console, 'log', () => {});
  const errors = t.capture(console, 'error', () => {});
  process.env = { ...inherited('PATH'), ...environment };
  try {
    await program(args, WORKBENCH);
    const lines = (calls: { args: unknown[] }[]) => calls.map(({ args: [line] }) => `${line}\n`).join('');
    return { code: Number(process.exitCode ?? 0), signal: null, stdout: lines(printed()), stderr: lines(errors()) };
  } finally {
    Object.assign(process, before);
    useProject(undefined);
    printed.restore();
    errors.restore();
  }
}

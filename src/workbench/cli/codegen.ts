import { resolve } from 'node:path';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';

/** `accord codegen [--check]`: exits 1 on a broken contract, and with `--check` on a stale file. */
const codegen: Subcommand = (command) => {
  command.option('--check', 'write nothing; fail when generated/ is not what the contracts give', false);
  command.action(async () => {
    const { root: given, check } = command.optsWithGlobals<{ root: string; check: boolean }>();
    const root = resolve(given);
    const started = performance.now();
    const { generate } = await import('../generate/generate.js');
    const { readContracts } = await import('../model/contracts.js');
    const { ok, report } = await generate(await readContracts(root), { root, check, colour: process.stderr.isTTY });
    if (!ok) {
      console.error(report);
      process.exitCode = 1;
      return;
    }
    console.log(`${report}\n${Math.round(performance.now() - started)} ms`);
  });
};

export default codegen;

import type { Subcommand } from '@accord-api/platform/cli/subcommand';

/** Exits 1 on an invalid contract, and with `--check` on a stale file. */
const codegen: Subcommand = (command) => {
  command.option('--check', 'write nothing; exit 1 if generated/ does not match the contracts', false);
  command.action(async () => {
    const { root, check } = command.optsWithGlobals<{ root: string; check: boolean }>();
    const started = performance.now();
    const { generate } = await import('../generate/generate.js');
    const { readContracts } = await import('../model/contracts.js');
    const { ok, report } = await generate(await readContracts(root), { root, check, colour: process.stderr.isTTY });
    if (ok) return console.log(`${report}\n${Math.round(performance.now() - started)} ms`);
    console.error(report);
    process.exitCode = 1;
  });
};

export default codegen;

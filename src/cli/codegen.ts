import { resolve } from 'node:path';
import type { Subcommand } from './program.js';

/** Only what a start needs. Imports no development dependency, which a production install lacks. */
async function renewClient(root: string): Promise<void> {
  const { clientIsStale, generateClient } = await import('../contract/prisma-client.js');
  if (await clientIsStale(root)) await generateClient();
}

/** `accord codegen [--check | --client]`: exits 1 on a broken contract, and with `--check` on a stale file. */
const codegen: Subcommand = (command) => {
  command.option('--check', 'write nothing; fail when generated/ is not what the contracts give', false);
  command.option('--client', 'make only the Prisma client, and only if it is not current', false);
  command.action(async () => {
    const { root, check, client } = command.optsWithGlobals<{ root: string; check: boolean; client: boolean }>();
    if (client) return renewClient(resolve(root));
    const started = performance.now();
    const { generate } = await import('../contract/generate.js');
    const { ok, report } = await generate({ root: resolve(root), check, colour: process.stderr.isTTY });
    if (!ok) {
      console.error(report);
      process.exitCode = 1;
      return;
    }
    console.log(`${report}\n${Math.round(performance.now() - started)} ms`);
  });
};

export default codegen;

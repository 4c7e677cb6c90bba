import { resolve } from 'node:path';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import { whenShellGone } from '@accord-api/platform/npm-shell';
import { generate, type Outcome } from '../generate/generate.js';
import { readContracts } from '../model/contracts.js';
import { supervise } from './server-process.js';
import { watchProject } from './watch.js';

const say = (text: string) => console.error(`[dev] ${text}`);

/**
 * `accord dev`: generates upon an edit of a contract, and restarts the server upon an edit of the code. While a contract
 * is broken its errors are printed and the last good server keeps running; it is not restarted either, since it would
 * read the broken contract.
 */
const dev: Subcommand = (command) => {
  command.action(async () => {
    const root = resolve(command.optsWithGlobals<{ root: string }>().root);
    const server = supervise(root, say);

    const regenerate = async (): Promise<Outcome> => {
      const failed = (error: Error): Outcome => ({
        ok: false,
        report: String(error.message),
        problems: [],
        changed: [],
        files: {},
      });
      const outcome = await readContracts(root)
        .then((contracts) => {
          files = contracts.openapi.files;
          return generate(contracts, { root, colour: process.stderr.isTTY });
        })
        .catch(failed);
      say(outcome.report.trimStart());
      return outcome;
    };

    let files: readonly string[] = [];
    let sound = (await regenerate()).ok;
    if (sound) await server.restart();

    const watcher = watchProject(root, async ({ contract }) => {
      if (contract) {
        sound = (await regenerate()).ok;
        watcher.alsoContracts(files);
      }
      if (sound) await server.restart();
      else say(server.running() ? 'The last good server keeps running.' : 'The server starts once this is mended.');
    });

    watcher.alsoContracts(files);

    const stop = async (signal: NodeJS.Signals) => {
      watcher.close();
      process.exitCode ??= await server.stop(signal);
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
    whenShellGone(process.env, () => stop('SIGTERM'));
  });
};

export default dev;

import { rootPath } from '../root.js';
import type { Subcommand } from './program.js';

/** `accord start`: the service. A fresh checkout lacks the Prisma client, which is not committed: it is made first. */
const start: Subcommand = (command) => {
  command.action(async () => {
    const { clientIsStale, generateClient } = await import('../contract/prisma-client.js');
    if (await clientIsStale(rootPath())) {
      console.log('Making the Prisma client …');
      await generateClient();
    }
    await import('../server.js');
  });
};

export default start;

import { bundleIsCurrent } from '@accord-api/platform/cli/built';
import { Unable } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import { generatePrismaClient, prismaClientIsCurrent } from '../generate/prisma-client.js';

/**
 * `accord build`: makes what a start needs and is not committed, as far as it is not current.
 */
const build: Subcommand = (command) => {
  command.action(async () => {
    if (!(await prismaClientIsCurrent())) {
      console.log('Making the Prisma client …');
      await generatePrismaClient();
    }
    if (bundleIsCurrent()) return;
    const { bundle } = await import('./bundle.js');
    await bundle().catch((error: Error) => {
      throw new Unable(error.message);
    });
  });
};

export default build;

import { generatePrismaClient, prismaClientIsCurrent } from '../workbench/generate/prisma-client.js';
import { bundle, bundleIsCurrent } from './bundle.js';
import { Unable } from './output.js';
import type { Subcommand } from './subcommand.js';

/**
 * `accord build`: makes what a start needs and is not committed, as far as it is not current. Imports no development
 * dependency, which a production install lacks.
 */
const build: Subcommand = (command) => {
  command.action(async () => {
    if (!(await prismaClientIsCurrent())) {
      console.log('Making the Prisma client …');
      await generatePrismaClient();
    }
    if (bundleIsCurrent()) return;
    await bundle().catch((error: Error) => {
      throw new Unable(error.message);
    });
  });
};

export default build;

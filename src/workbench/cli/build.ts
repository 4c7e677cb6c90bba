import { bundleIsCurrent } from '@accord-api/platform/cli/built';
import { Unable } from '@accord-api/platform/cli/output';
import type { Subcommand } from '@accord-api/platform/cli/subcommand';
import { generatePrismaClient, prismaClientIsCurrent } from '../model/prisma-schema.js';

const build: Subcommand = (command) => {
  command.action(async () => {
    if (!(await prismaClientIsCurrent())) {
      console.log('Generating the Prisma client …');
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

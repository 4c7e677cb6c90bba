import { resolve } from 'node:path';
import { filesIn } from '../contract/project-files.js';
import { sdlParts, sdlText } from '../contract/sdl-parts.js';
import type { Subcommand } from './subcommand.js';

/**
 * `accord schema [--json]`: the GraphQL contract for tools, without a server and whether or not introspection is on. Exits 1
 * when the contract is broken.
 */
const schema: Subcommand = (command) => {
  command.option('--json', 'as the result of an introspection query, for tools that take no SDL', false);
  command.action(async () => {
    const { root, json } = command.optsWithGlobals<{ root: string; json: boolean }>();
    const { buildSchema, introspectionFromSchema } = await import('../graphql/sdl.js');
    const text = sdlText(sdlParts(filesIn(resolve(root))));
    try {
      const built = buildSchema(text);
      const printed = json ? `${JSON.stringify({ data: introspectionFromSchema(built) }, null, 2)}\n` : text;
      process.stdout.write(printed);
    } catch (error) {
      console.error(`schema.graphql: ${error instanceof Error ? error.message : error}`);
      process.exitCode = 1;
    }
  });
};

export default schema;

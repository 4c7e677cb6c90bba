import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { filesIn, sdlParts, sdlText } from '../contract/project-files.js';
import type { Subcommand } from './subcommand.js';

const schemaText = (root: string): string => sdlText(sdlParts(filesIn(resolve(root))));

/** Prints the message of what is wrong with a schema or a document, and sets the exit code 1. */
function fail(error: unknown, where = ''): void {
  console.error(`${where}${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

/**
 * `accord schema [--json]`: the GraphQL contract for tools, without a server and whether or not introspection is on. Exits 1
 * when the contract is broken.
 */
export const schema: Subcommand = (command) => {
  command.option('--json', 'as the result of an introspection query, for tools that take no SDL', false);
  command.action(async () => {
    const { root, json } = command.optsWithGlobals<{ root: string; json: boolean }>();
    const { buildSchema, introspectionFromSchema } = await import('../graphql/sdl.js');
    const text = schemaText(root);
    try {
      const built = buildSchema(text);
      process.stdout.write(json ? `${JSON.stringify({ data: introspectionFromSchema(built) }, null, 2)}\n` : text);
    } catch (error) {
      fail(error, 'schema.graphql: ');
    }
  });
};

/**
 * `accord trust <path...>`: registers documents. Reads files and folders of `.graphql` documents and manifests, validates each
 * document against the contract, and writes one manifest for `TRUSTED_DOCUMENTS`. Exits 1 and writes nothing when one of
 * them is not valid.
 */
export const trust: Subcommand = (command) => {
  command.argument('<path...>', 'documents (.graphql), manifests (.json), or folders of them');
  command.option('--out <file>', 'the manifest to write', 'trusted-documents.json');
  command.action(async (paths: string[]) => {
    const { root, out } = command.optsWithGlobals<{ root: string; out: string }>();
    const { buildSchema } = await import('../graphql/sdl.js');
    const { readTrusted } = await import('../graphql/documents.js');
    try {
      const manifest = readTrusted(paths, buildSchema(schemaText(root)));
      if (manifest.size === 0) throw new Error('There is no document at these paths.');
      writeFileSync(out, `${JSON.stringify(Object.fromEntries(manifest), null, 2)}\n`);
      for (const [id, text] of manifest) console.log(`${id}  ${namesIn(text)}`);
    } catch (error) {
      fail(error);
    }
  });
};

/** Returns the names of the operations in a document. */
const namesIn = (text: string): string =>
  [...text.matchAll(/\b(?:query|mutation|subscription)\s+(\w+)/g)].map(([, name]) => name).join(', ') || 'unnamed';

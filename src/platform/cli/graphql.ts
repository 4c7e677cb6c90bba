import { writeFileSync } from 'node:fs';
import { filesIn, sdlParts, sdlText } from '../contract/project-files.js';
import type { Subcommand } from './subcommand.js';

const schemaText = (root: string): string => sdlText(sdlParts(filesIn(root)));

/** Prints an error of a schema or a document, and sets the exit code 1. */
function fail(error: unknown, prefix = ''): void {
  console.error(`${prefix}${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

/** Prints the GraphQL contract without a server. Exits 1 if the contract is invalid. */
export const schema: Subcommand = (command) => {
  command.option('--json', 'print the result of an introspection query, for tools without SDL', false);
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

/** Validates documents, and writes the manifest for `TRUSTED_DOCUMENTS`. Exits 1 without writing if one is invalid. */
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

const namesIn = (text: string): string =>
  [...text.matchAll(/\b(?:query|mutation|subscription)\s+(\w+)/g)].map(([, name]) => name).join(', ') || 'unnamed';

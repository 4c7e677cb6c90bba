import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { filesIn } from '../contract/project-files.js';
import { sdlParts, sdlText } from '../contract/sdl-parts.js';
import type { Subcommand } from './subcommand.js';

/**
 * `accord trust <path...>`: registers documents. Reads files and folders of `.graphql` documents and manifests, validates each
 * document against the contract, and writes one manifest for `TRUSTED_DOCUMENTS`. Exits 1 and writes nothing when one of
 * them is not valid.
 */
const trust: Subcommand = (command) => {
  command.argument('<path...>', 'documents (.graphql), manifests (.json), or folders of them');
  command.option('--out <file>', 'the manifest to write', 'trusted-documents.json');
  command.action(async (paths: string[]) => {
    const { root, out } = command.optsWithGlobals<{ root: string; out: string }>();
    const { buildSchema } = await import('../graphql/sdl.js');
    const { readTrusted } = await import('../graphql/trusted.js');
    try {
      const schema = buildSchema(sdlText(sdlParts(filesIn(resolve(root)))));
      const manifest = readTrusted(paths, schema);
      if (manifest.size === 0) throw new Error('There is no document at these paths.');
      writeFileSync(out, `${JSON.stringify(Object.fromEntries(manifest), null, 2)}\n`);
      for (const [id, text] of manifest) console.log(`${id}  ${namesIn(text)}`);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  });
};

/** For people: which operations a document holds. */
const namesIn = (text: string): string =>
  [...text.matchAll(/\b(?:query|mutation|subscription)\s+(\w+)/g)].map(([, name]) => name).join(', ') || 'unnamed';

export default trust;

import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type DocumentNode, parse } from 'graphql';

/** Each document that was parsed since this module was loaded. */
const made = new Set<WeakRef<DocumentNode>>();
const { Parser } = createRequire(import.meta.url)('graphql/language/parser.js') as {
  Parser: { prototype: { parseDocument: () => DocumentNode } };
};
const { parseDocument } = Parser.prototype;
Parser.prototype.parseDocument = function (...args) {
  const document = parseDocument.apply(this, args);
  made.add(new WeakRef(document));
  return document;
};
const before = made.size;
parse('{ heard }');
if (made.size !== before + 1)
  throw new Error('The parser makes its documents otherwise: parsed texts cannot be counted.');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Removes collected sources and returns the number of others. */
function left(): number {
  collect();
  for (const one of made) if (one.deref() === undefined) made.delete(one);
  return made.size;
}

/** Returns the number of parsed GraphQL texts that are still in memory. */
export async function parsedTexts(): Promise<number> {
  // A collected text may have referenced another one, and a dereferenced text is kept until the next turn of the event
  // loop.
  for (let count = Number.POSITIVE_INFINITY; ; ) {
    await new Promise(setImmediate);
    const now = left();
    if (now === count) return now;
    count = now;
  }
}

export const HEAVY_TOKENS = 1800;
const LEVELS = HEAVY_TOKENS / 3;
/** Returns equivalent documents with 1,800 tokens more than the given one, which selects `id`. */
export const heavy = (n: number, document = '{ me { id } }'): string =>
  `#${n}\n${document.replace(/\bid\b/, `${'...{'.repeat(LEVELS)}id${'}'.repeat(LEVELS)}`)}`;

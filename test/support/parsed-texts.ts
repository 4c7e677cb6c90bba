import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type DocumentNode, parse, type Source } from 'graphql';

type DocumentParser = { _lexer: { source: Source }; parseDocument: () => DocumentNode };

/** Each document that was parsed since this module was loaded, with the start of its text. */
const made = new Map<WeakRef<DocumentNode>, string>();
const { Parser } = createRequire(import.meta.url)('graphql/language/parser.js') as {
  Parser: { prototype: DocumentParser };
};
const { parseDocument } = Parser.prototype;
Parser.prototype.parseDocument = function () {
  const document = parseDocument.call(this);
  made.set(new WeakRef(document), this._lexer.source.body.slice(0, 20));
  return document;
};
const before = made.size;
parse('{ heard }');
if (made.size !== before + 1)
  throw new Error('The parser makes its documents otherwise: parsed texts cannot be counted.');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Removes collected sources and returns the number of others. */
function left(start: string): number {
  collect();
  for (const document of made.keys()) if (document.deref() === undefined) made.delete(document);
  return [...made.values()].filter((text) => text.startsWith(start)).length;
}

/** Returns the number of parsed GraphQL texts with the given start (at most 20 characters) that are in memory. */
export async function parsedTexts(start = ''): Promise<number> {
  // A collected text may have referenced another one, and a dereferenced text is kept until the next turn of the event
  // loop.
  for (let count = Number.POSITIVE_INFINITY; ; ) {
    await new Promise(setImmediate);
    const now = left(start);
    if (now === count) return now;
    count = now;
  }
}

export const HEAVY_TOKENS = 1800;
const LEVELS = HEAVY_TOKENS / 3;
/** Returns equivalent documents with 1,800 tokens more than the given one, which selects `id`. */
export const heavy = (n: number, document = '{ me { id } }'): string =>
  `#${n}\n${document.replace(/\bid\b/, `${'...{'.repeat(LEVELS)}id${'}'.repeat(LEVELS)}`)}`;

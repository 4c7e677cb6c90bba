import type { DocumentNode } from 'graphql';
import { LRUCache } from 'lru-cache';

/** Bytes of all documents that are remembered, as `weightOf` counts them; the least recently used ones go first. */
const REMEMBERED = 32 * 1024 * 1024;

/**
 * Bytes that a parsed document takes for each of its tokens, nodes and places included: 180 to 530, by its shape
 * (`bench/anonymous-graphql.ts`).
 */
const BYTES_PER_TOKEN = 550;

/** The tokens of a document. Its comments are among them: nobody reads them, but they stay in memory like the others. */
export function tokensOf({ loc }: DocumentNode): number {
  let count = 0;
  for (let token = loc?.startToken.next; token; token = token.next) count++;
  return count;
}

/** The text that a document was parsed from: one for all who hold the document. */
export const textOf = ({ loc }: DocumentNode): string => loc?.source.body ?? '';

/** Bytes that a parsed document takes, its text included. */
const weightOf = (text: string, document: DocumentNode): number =>
  tokensOf(document) * BYTES_PER_TOKEN + 2 * text.length;

/** Parsed documents by their text. Only sound ones of known callers belong here: strangers fill no memory. */
export function documentCache(maxBytes = REMEMBERED) {
  const recent = new LRUCache<string, DocumentNode>({
    maxSize: maxBytes,
    sizeCalculation: (document, text) => weightOf(text, document),
  });
  const held = new Map<string, WeakRef<DocumentNode>>();
  const gone = new FinalizationRegistry<string>((text) => {
    if (held.get(text)?.deref() === undefined) held.delete(text);
  });

  return {
    find: (text: string): DocumentNode | undefined => recent.get(text) ?? held.get(text)?.deref(),
    keep: (text: string, document: DocumentNode): void => void recent.set(text, document),
    /** To be told of a document that somebody holds for long: it is found as long as anybody does, so all hold the same one. */
    hold(document: DocumentNode): void {
      const text = textOf(document);
      if (held.get(text)?.deref() === document) return;
      held.set(text, new WeakRef(document));
      gone.register(document, text);
    },
  };
}

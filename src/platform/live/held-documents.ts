import type { DocumentNode } from 'graphql';
import { Failure } from '../calls/errors.js';
import { tokensOf } from '../graphql/document-cache.js';

export type HeldDocuments = ReturnType<typeof heldDocuments>;

/** The documents that the subscriptions of one socket hold, which a client chooses and the service keeps in memory. */
export function heldDocuments(maxTokens: number) {
  const uses = new Map<DocumentNode, number>();

  return {
    /**
     * Holds a document once more; one that is held already costs nothing.
     * @returns ends that hold, once however often it is called
     * @throws Failure BAD_REQUEST when the different documents have too many tokens together
     */
    hold(document: DocumentNode): () => void {
      const tokens = [...uses.keys()].reduce((sum, one) => sum + tokensOf(one), 0);
      if (!uses.has(document) && tokens + tokensOf(document) > maxTokens) {
        throw new Failure(
          'BAD_REQUEST',
          `The subscriptions of a socket hold ${maxTokens} tokens of documents at most.`,
        );
      }
      uses.set(document, (uses.get(document) ?? 0) + 1);
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        const rest = (uses.get(document) as number) - 1;
        if (rest > 0) uses.set(document, rest);
        else uses.delete(document);
      };
    },
  };
}

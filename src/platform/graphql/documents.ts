import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { Failure } from '../calls/errors.js';
import type { OperationRequest } from './request.js';

/** Where the text of an operation comes from, when it does not come along or may not. */
export interface Documents {
  /** @throws Failure BAD_REQUEST when there is no text, or none that may run */
  textOf: (request: OperationRequest) => string;
  /** Told once a document has turned out sound, and its caller known: nobody else fills the memory. */
  ran: (request: OperationRequest, text: string) => void;
}

/** The id of a document: SHA-256 of its text, in hexadecimal. */
export const documentHash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Characters of all texts that are remembered; the least recently used ones go first. */
const REMEMBERED = 8 * 1024 * 1024;

/** The words of the protocol of automatic persisted queries, by which clients know that they must send the text. */
const notFound = () => new Failure('BAD_REQUEST', 'PersistedQueryNotFound');

/** Any document runs. One that comes with its hash is remembered, and runs by the hash alone from then on. */
export function anyDocument(): Documents {
  const known = new LRUCache<string, string>({ maxSize: REMEMBERED, sizeCalculation: (text) => text.length + 1 });
  return {
    textOf({ query, id }) {
      const text = query ?? known.get(id as string);
      if (text === undefined) throw notFound();
      if (query !== undefined && id !== undefined && documentHash(query) !== id) {
        throw new Failure('BAD_REQUEST', 'The document is not the one of this hash.');
      }
      return text;
    },
    ran({ id }, text) {
      if (id !== undefined) known.set(id, text);
    },
  };
}

/**
 * Only registered documents run, sent by their id or word for word.
 * @param registered texts by id; the hash of a text is an id of it as well
 */
export function trustedDocuments(registered: ReadonlyMap<string, string>): Documents {
  const texts = new Map([...registered.values()].map((text) => [documentHash(text), text]));
  return {
    textOf({ query, id }) {
      if (query !== undefined) {
        if (texts.has(documentHash(query))) return query;
        throw new Failure('BAD_REQUEST', 'Only registered documents run here, and this one is not registered.');
      }
      const text = registered.get(id as string) ?? texts.get(id as string);
      if (text === undefined) throw notFound();
      return text;
    },
    ran() {},
  };
}

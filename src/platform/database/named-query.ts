import type { ClientBase, Connection, QueryConfig } from 'pg';
import { decoderOf, type Encoded } from './values.js';

const types = { getTypeParser: decoderOf };

/** Returns a query for pg, which prepares it under its name, once for each connection; a query without a name is not kept. */
export const namedQuery = (name: string, text: string, values: readonly Encoded[] = []): QueryConfig => ({
  name,
  text,
  values: values as Encoded[],
  types,
});

/**
 * Collects the messages that a connection is sent in this turn of the event loop into one write. Each write wakes the server, and
 * costs as much as a third of all that a statement takes here.
 */
export function writeTogether(client: ClientBase): void {
  const { stream } = (client as unknown as { connection: Connection }).connection;
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

import type { Reading } from '../../src/prepared-prisma/connection.js';

/** Bounds reads to a number of bytes. @returns the number of rows that were counted, too */
export function boundedReading(bytes: number) {
  const failure = new Error('too many bytes');
  let read = 0;
  let rows = 0;
  const reading: Reading = {
    read: (send) => send(),
    add(more) {
      rows += 1;
      read += more;
      if (read > bytes) throw failure;
    },
    failure: () => (read > bytes ? failure : undefined),
  };
  return { reading, failure, rows: () => rows };
}

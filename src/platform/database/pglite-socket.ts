import { Duplex } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PGlite } from '@electric-sql/pglite';

/** Types of messages (PostgreSQL's protocol, "Message Formats"). */
const TERMINATE = 'X'.charCodeAt(0);
const READY_FOR_QUERY = 'Z'.charCodeAt(0);

const message = (type: string, ...body: number[]) => [type.charCodeAt(0), 0, 0, 0, body.length + 4, ...body];
const STARTUP_ANSWER = Buffer.from([
  ...message('R', 0, 0, 0, 0),
  ...message('K', 0, 0, 0, 1, 0, 0, 0, 1),
  ...message('Z', 'I'.charCodeAt(0)),
]);

/** Like DISCARD ALL, because a new socket continues the session of the previous one. Keeps its LISTEN. */
const RESET_SESSION =
  'RESET ALL; DEALLOCATE ALL; CLOSE ALL; SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES';

/**
 * Returns a function that opens a socket to PGlite, for the `stream` option of `pg`. A new socket resets the session.
 */
export function pgliteSockets(pglite: PGlite): () => Duplex {
  let current: Duplex | undefined;

  async function execute(messages: Uint8Array): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const onRawData = (chunk: Uint8Array) => void chunks.push(Buffer.from(chunk));
    await pglite.execProtocolRawStream(messages, { syncToFs: false, onRawData });
    return withoutRepeatedReady(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
  }

  return () => {
    let hasStarted = false;
    async function send(chunk: Buffer): Promise<void> {
      if (pglite.closed) throw new Error('The database is closed.');
      if (!hasStarted) {
        hasStarted = true;
        current?.destroy();
        current = socket;
        await pglite.exec('ROLLBACK');
        await pglite.exec(RESET_SESSION);
        socket.push(STARTUP_ANSWER);
      } else if (chunk[0] === TERMINATE) socket.push(null);
      else {
        const answer = await execute(chunk);
        await nextTurn();
        socket.push(answer);
      }
    }
    const socket = new Duplex({
      read() {},
      write: (chunk: Buffer, _encoding, done) => void send(chunk).then(() => done(), done),
      writev: (chunks, done) =>
        void send(Buffer.concat(chunks.map(({ chunk }) => chunk as Buffer))).then(() => done(), done),
    });
    const self = () => socket;
    const connect = () => {
      process.nextTick(() => socket.emit('connect'));
      return socket;
    };
    return Object.assign(socket, { connect, setNoDelay: self, setKeepAlive: self, ref: self, unref: self });
  };
}

/** Removes the second ReadyForQuery that PGlite 0.5.8 sends after an error. It would end the next query of `pg`. */
function withoutRepeatedReady(answer: Buffer): Buffer {
  const parts: Buffer[] = [];
  let from = 0;
  let wasReady = false;
  for (let at = 0; at < answer.length; ) {
    const next = at + 1 + answer.readInt32BE(at + 1);
    const isReady = answer[at] === READY_FOR_QUERY;
    if (isReady && wasReady) {
      parts.push(answer.subarray(from, at));
      from = next;
    }
    wasReady = isReady;
    at = next;
  }
  return parts.length === 0 ? answer : Buffer.concat([...parts, answer.subarray(from)]);
}

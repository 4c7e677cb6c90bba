import { createConnection } from 'node:net';

/** The status of an answer, or the reason for its absence, and the received text. */
export interface Outcome {
  status: string;
  text: string;
}

export type Connection = ReturnType<typeof connect>;

const CHUNKED = /\r\ntransfer-encoding: chunked\r\n/i;
const END_OF_CHUNKS = '\r\n0\r\n\r\n';

/**
 * Opens a keep-alive connection that sends one request at a time. A bare socket costs the client little, so that the
 * server is measured.
 */
export function connect(host: string, port: number) {
  const socket = createConnection(port, host).setNoDelay();
  let onOutcome: ((answer: Outcome) => void) | undefined;
  let text = '';
  const answered = (status: string) => {
    const resolve = onOutcome;
    const came = text;
    onOutcome = undefined;
    text = '';
    resolve?.({ status, text: came });
  };
  const isWhole = () => {
    const head = text.indexOf('\r\n\r\n');
    if (head < 0) return false;
    const headers = text.slice(0, head + 2);
    if (CHUNKED.test(headers)) return text.endsWith(END_OF_CHUNKS);
    return text.length >= head + 4 + Number(/content-length: (\d+)/i.exec(headers)?.[1]);
  };
  socket.setEncoding('latin1').on('data', (part) => {
    text += part;
    if (isWhole()) answered(text.slice(9, 12));
  });
  socket.on('error', (error: NodeJS.ErrnoException) => answered(error.code ?? error.message));
  socket.on('close', () => answered('closed'));
  return {
    ask(bytes: string, resolve: (answer: Outcome) => void) {
      onOutcome = resolve;
      socket.write(bytes);
    },
    end: () => socket.destroy(),
  };
}

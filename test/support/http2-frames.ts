import type { Duplex } from 'node:stream';

/** The connection preface (RFC 9113 §3.4). */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** Frame types (RFC 9113 §6). */
export const TYPE = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, window: 8 } as const;
export const FLAG = { endStream: 1, acknowledged: 1, endHeaders: 4 } as const;
/** Error codes (RFC 9113 §7). */
export const CODE = { cancel: 8, refused: 7, enhanceYourCalm: 11 } as const;

export interface Frame {
  type: number;
  flags: number;
  stream: number;
  payload: Buffer;
}

/** Encodes one frame (RFC 9113 §4.1), including frames that no client library sends. */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Encodes a literal header field with a name from the static table (RFC 7541 §6.2.2). */
const literal = (index: number, value: string) =>
  Buffer.concat([
    Buffer.from(index < 15 ? [index] : [15, index - 15]),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);

/** Encodes `:method`, `:scheme`, `:path`, `:authority`, and the `content-type` of a POST. */
export const requestHeaders = (method: 'GET' | 'POST', path: string): Buffer =>
  Buffer.concat([
    Buffer.from([method === 'GET' ? 0x82 : 0x83, 0x87]),
    literal(4, path),
    literal(1, 'localhost'),
    ...(method === 'POST' ? [literal(31, 'application/json')] : []),
  ]);

/** Returns the received frames; the array grows. */
export function framesOf(socket: Duplex): Frame[] {
  const frames: Frame[] = [];
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const end = 9 + rest.readUIntBE(0, 3);
      const [type, flags, stream] = [rest.readUInt8(3), rest.readUInt8(4), rest.readUInt32BE(5)];
      frames.push({ type, flags, stream, payload: rest.subarray(9, end) });
      rest = rest.subarray(end);
    }
  });
  return frames;
}

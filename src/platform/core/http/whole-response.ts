import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';

/** Any name but those of connections, which change how Node ends the answer, and of cookies, which contain tokens. */
const NAME =
  /^(?!connection$|date$|expect$|keep-alive$|set-cookie$|te$|trailer$|transfer-encoding$|upgrade$)[a-z\d-]+$/;
/** Statuses whose answers have no body (RFC 9110 §6.4.1). */
const WITHOUT_BODY = [204, 304];
const VALUE = /^[\t\x20-\x7e]*$/;
/** Names with a line in memory. Only a handler that invents names reaches it. */
const MAX_NAMES = 200;

const lines = new Map<string, { value: unknown; line: string }>();

/** Returns the line of a header. Reuses the previous line if the value is the same. Returns undefined if Node must check the header. */
function lineOf(name: string, value: unknown): string | undefined {
  const last = lines.get(name);
  if (last?.value === value) return last?.line;
  if (Array.isArray(value) || !VALUE.test(String(value)) || !(last || NAME.test(name))) return undefined;
  const line = `${name}: ${value}\r\n`;
  if (last) {
    last.value = value;
    last.line = line;
  } else if (lines.size < MAX_NAMES) lines.set(name, { value, line });
  return line;
}

/** Headers that all answers of a service share, and their lines. */
export interface CommonHeaders {
  readonly values: Readonly<Record<string, string>>;
  readonly text: string;
}

export const commonHeaders = (values: CommonHeaders['values']): CommonHeaders => ({
  values,
  text: Object.entries(values)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join(''),
});

const NONE = commonHeaders({});

/** Adds headers that the answer may replace. */
export function addCommon(response: ServerResponse, common: CommonHeaders): void {
  if (response instanceof WholeResponse) response.common = common;
  else setCommon(response, common);
}

function setCommon(response: ServerResponse, { values }: CommonHeaders): void {
  for (const name in values) if (!response.hasHeader(name)) response.setHeader(name, values[name] as string);
}

let second = 0;
let date = '';
/** Returns the present second for `Date` (RFC 9110 §6.6.1). */
function dateNow(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    date = new Date(now * 1000).toUTCString();
  }
  return date;
}

/** Undocumented members of a response and of its socket. */
interface Internals {
  _header: string | null;
  _headerSent: boolean;
  readonly _keepAliveTimeout: number;
  readonly socket: (ServerResponse['socket'] & { readonly _httpMessage: unknown }) | null;
}

/**
 * Writes head and body in one write if all headers are ASCII and the connection is kept. Node would check and store each header, and
 * write two pieces. It writes all other responses.
 */
export class WholeResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  /** Undefined for a response whose head Node has written. */
  #head: string | undefined;
  common: CommonHeaders | undefined;

  override writeHead(status: number, ...rest: unknown[]): this {
    const [headers] = rest;
    if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
      if (this.common) setCommon(this, this.common);
      return super.writeHead(status, ...(rest as []));
    }
    this.#head = this.#headOf(status, headers);
    if (this.#head === undefined) return super.writeHead(status, Object.assign({}, this.common?.values, headers));
    this.statusCode = status;
    (this as unknown as Internals)._header = this.#head;
    return this;
  }

  override end(...given: unknown[]): this {
    const internals = this as unknown as Internals;
    const { socket } = internals;
    const [body] = given;
    const isNext = !internals._headerSent && socket?._httpMessage === this && socket.writable;
    if (this.#head === undefined || !isNext || typeof body !== 'string' || this.req.method === 'HEAD')
      return super.end(...(given as []));
    internals._headerSent = true;
    socket.write(this.#head + body);
    return super.end();
  }

  /** Returns the head; undefined for a response that Node must write. */
  #headOf(status: number, headers: object): string | undefined {
    const phrase = STATUS_CODES[status];
    const hasLength = Object.hasOwn(headers, 'content-length');
    const isPlain = this.shouldKeepAlive && !this.headersSent && this.getHeaderNames().length === 0;
    if (!isPlain || !hasLength || phrase === undefined || WITHOUT_BODY.includes(status)) return undefined;
    const { values, text } = this.common ?? NONE;
    let head = `HTTP/1.1 ${status} ${phrase}\r\n${text}`;
    for (const name in headers) {
      const line = name in values ? undefined : lineOf(name, (headers as Record<string, unknown>)[name]);
      if (line === undefined) return undefined;
      head += line;
    }
    const { _keepAliveTimeout: idle } = this as unknown as Internals;
    return `${head}Date: ${dateNow()}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(idle / 1000)}\r\n\r\n`;
  }
}

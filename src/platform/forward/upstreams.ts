import { Readable } from 'node:stream';
import { bulkhead, ConsecutiveBreaker, circuitBreaker, handleWhen, wrap } from 'cockatiel';
import { Failure } from '../calls/errors.js';
import type { Dependency } from '../database/outages.js';

/** A service behind this one. */
export interface Upstream {
  /** Its address. A user name and a password in it are sent as Basic credentials. */
  url: string;
  /** Is notified whether it answers. */
  dependency: Dependency;
}

/** By the names that the contract uses. */
export type Upstreams = Readonly<Record<string, Upstream>>;

/** The answer of an upstream. */
export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

/** Milliseconds for a whole call, including its wait: less than a handler has, so that the answer names what took too long. */
const CALL_TIMEOUT = 8_000;
/** Bytes of an answer that are read. */
const MAX_ANSWER = 8 * 1024 * 1024;
/** Calls of one upstream at once, and calls that wait. Together they leave most places of the service (128) to others. */
const CONCURRENT_CALLS = 32;
const WAITING_CALLS = 16;
/** Consecutive calls without an answer that open the circuit, and milliseconds until the next attempt. */
const BREAK_AFTER = 5;
const HALF_OPEN_AFTER = 5_000;

/**
 * Returns a client of one upstream, with a limit of concurrent calls and a circuit breaker of its own: an upstream that hangs
 * costs only its callers.
 */
export function upstreamClient({ url, dependency }: Upstream) {
  const absence = handleWhen((error) => !(error instanceof Failure));
  const policy = wrap(
    bulkhead(CONCURRENT_CALLS, WAITING_CALLS),
    circuitBreaker(absence, { halfOpenAfter: HALF_OPEN_AFTER, breaker: new ConsecutiveBreaker(BREAK_AFTER) }),
  );
  return {
    ...addressOf(url),
    /**
     * Resolves with an answer of any status. Rejects with TimeoutError, with an error of fetch, with BulkheadRejectedError and
     * BrokenCircuitError if nothing was sent, with Failure INTERNAL for an answer that is too large, with REQUEST_TIMEOUT for a
     * request body that arrives too slowly, and with the failure of a request body.
     */
    async send(address: string, init: RequestInit): Promise<Answer> {
      const { body } = init;
      const signal = AbortSignal.timeout(CALL_TIMEOUT);
      let isBodyLate = false;
      // Reads the state of the body before fetch destroys it. A body without bytes to send waits for the client.
      const onTimeout = () => {
        isBodyLate =
          body instanceof Readable && body.readableDidRead && !body.readableEnded && body.readableLength === 0;
      };
      signal.addEventListener('abort', onTimeout);
      return policy.execute(async () => {
        try {
          const response = await fetch(address, { ...init, redirect: 'manual', signal });
          const answer = { status: response.status, headers: response.headers, bytes: await bytesOf(response) };
          dependency.back();
          return answer;
        } catch (thrown) {
          // fetch wraps the failure of a request body, which is not one of the upstream.
          const { cause } = thrown as Error;
          const error = isBodyLate ? bodyLate(thrown) : cause instanceof Failure ? cause : thrown;
          if (!(error instanceof Failure)) dependency.away(signal.aborted ? 'it took too long' : reasonOf(error));
          throw error;
        }
      });
    },
  };
}

const bodyLate = (cause: unknown) => new Failure('REQUEST_TIMEOUT', 'The body arrived too slowly.', { cause });

async function bytesOf({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MAX_ANSWER) {
      const cause = new Error(`an answer of more than ${MAX_ANSWER} bytes`);
      throw new Failure('INTERNAL', 'The service behind this one answered too much.', { cause });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Splits an address: fetch refuses credentials in it. */
function addressOf(url: string) {
  const { username, password, origin, pathname } = new URL(url);
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  return { base: origin + pathname.replace(/\/$/, ''), credentials: username === '' ? {} : { authorization } };
}

/** Returns the code of a failed fetch, or its message. */
function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}

import { Readable } from 'node:stream';
import { bulkhead, ConsecutiveBreaker, circuitBreaker, handleWhen, wrap } from 'cockatiel';
import { Failure } from '../calls/errors.js';
import type { Dependency } from '../database/outages.js';

export interface Upstream {
  /** The address. User name and password in it become Basic credentials. */
  url: string;
  dependency: Dependency;
}

export type Upstreams = Readonly<Record<string, Upstream>>;

export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
}

/**
 * For a whole call including its wait. Shorter than the timeout of a handler, so that the answer names the upstream.
 */
const CALL_TIMEOUT_MS = 8_000;
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Concurrent and waiting calls of one upstream. They leave most places of the service (128) to others. */
const CONCURRENT_CALLS = 32;
const WAITING_CALLS = 16;
const BREAK_AFTER_FAILURES = 5;
const HALF_OPEN_AFTER_MS = 5_000;

/**
 * Returns the client of one upstream with a limit of concurrent calls and a circuit breaker, so that a hanging upstream
 * costs only its callers.
 */
export function upstreamClient({ url, dependency }: Upstream) {
  const absence = handleWhen((error) => !(error instanceof Failure));
  const policy = wrap(
    bulkhead(CONCURRENT_CALLS, WAITING_CALLS),
    circuitBreaker(absence, {
      halfOpenAfter: HALF_OPEN_AFTER_MS,
      breaker: new ConsecutiveBreaker(BREAK_AFTER_FAILURES),
    }),
  );
  return {
    ...addressOf(url),
    /**
     * Resolves with an answer of any status.
     * @throws TimeoutError, an error of fetch, BulkheadRejectedError and BrokenCircuitError without a call, Failure
     *   INTERNAL for an answer that is too large, REQUEST_TIMEOUT for a slow request body, or the failure of a request
     *   body
     */
    async send(address: string, init: RequestInit): Promise<Answer> {
      const { body } = init;
      const signal = AbortSignal.timeout(CALL_TIMEOUT_MS);
      let isBodyLate = false;
      // fetch destroys the body later. A body without bytes waits for the client.
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
          // fetch wraps the failure of a request body.
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
    if (length > MAX_ANSWER_BYTES) {
      const cause = new Error(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
      throw new Failure('INTERNAL', 'The service behind this one answered too much.', { cause });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function addressOf(url: string) {
  const { username, password, origin, pathname } = new URL(url);
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`;
  return { base: origin + pathname.replace(/\/$/, ''), credentials: username === '' ? {} : { authorization } };
}

function reasonOf(error: unknown): string {
  const { cause, message } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}

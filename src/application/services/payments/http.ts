import { type ApplicationPlatform, Failure } from '@accord-api/platform';
import { ExponentialBackoff, handleWhenResult, retry } from 'cockatiel';
import type { Outcome, PaymentGateway, PaymentOrder } from './gateway.js';

/** Attempts after the first one, and milliseconds between them. All carry the same key, so a payment is taken once. */
const RETRY_COUNT = 2;
const RETRY_DELAYS_MS = { initialDelay: 100, maxDelay: 400 };

interface HttpGatewayOptions extends Pick<ApplicationPlatform, 'outside'> {
  /** The address of the payments. Its user name and password become Basic credentials. */
  url: string;
  /** The time limit of each attempt, in milliseconds. */
  timeout: number;
}

type BoundedFetch = Parameters<Parameters<ReturnType<ApplicationPlatform['outside']>['call']>[0]>[1];

const isFault = (result: unknown): boolean => {
  const outcome = result as Outcome;
  return outcome.kind === 'unknown' || (outcome.kind === 'failed' && outcome.retryable);
};

/**
 * Sends `POST { order_id, amount, currency, payment_token }` with `Idempotency-Key`. The answer is `{ "status":
 * "settled" }` (200) or `{ "status": "declined" }` (200 or 402).
 */
export function httpGateway({ url, timeout, outside }: HttpGatewayOptions): PaymentGateway {
  const { endpoint, headers } = addressOf(url);
  const backoff = new ExponentialBackoff(RETRY_DELAYS_MS);
  const policy = retry(handleWhenResult(isFault), { maxAttempts: RETRY_COUNT, backoff });
  const { call } = outside('Payment gateway', { isFault });

  async function ask(
    { id, orderId, amount, currency, token, trace }: PaymentOrder,
    fetch: BoundedFetch,
  ): Promise<Outcome> {
    const body = { order_id: orderId, amount, currency, ...(token !== null && { payment_token: token }) };
    try {
      const { status, bytes } = await fetch(endpoint, {
        method: 'POST',
        headers: { ...headers, ...trace, 'idempotency-key': id },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeout),
      });
      return outcomeOf(status, String(bytes));
    } catch (error) {
      return outcomeOfError(error);
    }
  }

  return {
    async pay(payment, signal) {
      let unknown: Outcome | undefined;
      const attempts = (within: AbortSignal, fetch: BoundedFetch) =>
        policy.execute(async () => {
          const outcome = await ask(payment, fetch);
          if (outcome.kind === 'unknown') unknown = outcome;
          return outcome;
        }, within);
      // Throws only if no attempt was sent, or a first one is `unknown`: an attempt is shorter than a call may be.
      const outcome = await call(attempts, signal).catch((error: unknown) => unknown ?? notCalled(error));
      return outcome.kind === 'failed' ? (unknown ?? outcome) : outcome;
    },
  };
}

const notCalled = (error: unknown): Outcome => ({
  ...{ kind: 'failed', retryable: true, reason: (error as Error).message },
  ...(error instanceof Failure && { failure: error }),
});

/** fetch refuses an address with credentials. */
function addressOf(url: string) {
  const endpoint = new URL(url);
  const { username, password } = endpoint;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  Object.assign(endpoint, { username: '', password: '' });
  return {
    endpoint,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(username && { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }),
    },
  };
}

/** Statuses besides 5xx after which the outcome is unknown. 409: the key is in use. */
const UNDECIDED = new Set([408, 409, 425]);

function outcomeOf(status: number, text: string): Outcome {
  const answered = statusIn(text);
  if (status < 300 || status === 402) {
    if (answered === 'declined' || (answered === 'settled' && status < 300)) return { kind: answered };
  }
  const reason = `it answered ${status}${answered === undefined ? ' without a known status' : ''}`;
  if (status < 300 || status >= 500 || UNDECIDED.has(status)) return { kind: 'unknown', timedOut: false, reason };
  return { kind: 'failed', retryable: status === 429, reason };
}

function statusIn(text: string): 'settled' | 'declined' | undefined {
  try {
    const { status } = JSON.parse(text) as { status?: unknown };
    return status === 'settled' || status === 'declined' ? status : undefined;
  } catch {
    return undefined;
  }
}

/** Codes of Node and undici for a connection that was never made: nothing was sent. */
const NOT_CONNECTED =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_.*|ERR_TLS_.*|.*SELF_SIGNED.*|UNABLE_TO_.*)$/;

function outcomeOfError(error: unknown): Outcome {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  const code = cause?.code ?? '';
  if (NOT_CONNECTED.test(code)) return { kind: 'failed', retryable: true, reason: `it cannot be reached (${code})` };
  const timedOut = name === 'TimeoutError';
  return {
    kind: 'unknown',
    timedOut,
    reason: timedOut ? 'it took too long' : `the connection failed (${code || name})`,
  };
}

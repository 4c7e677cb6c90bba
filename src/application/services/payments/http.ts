import { ConsecutiveBreaker, circuitBreaker, ExponentialBackoff, handleWhenResult, retry, wrap } from 'cockatiel';
import type { Outcome, PaymentGateway, PaymentOrder } from './gateway.js';

/** Attempts after the first, and the milliseconds between them. All carry the same key, so none can take twice. */
const RETRIES = 2;
const BETWEEN = { initialDelay: 100, maxDelay: 400 };
/** Payments in a row that the gateway may fail before it is left alone. */
const BREAK_AFTER = 5;

interface HttpGatewayOptions {
  /** Where payments are posted. A user name and a password in it are sent as Basic credentials. */
  url: string;
  /** Milliseconds that each attempt may take. */
  timeout: number;
  /** Milliseconds for which a gateway that has failed too often is left alone. */
  rest?: number;
}

const isFault = (result: unknown): boolean => {
  const outcome = result as Outcome;
  return outcome.kind === 'unknown' || (outcome.kind === 'failed' && outcome.retryable);
};

/**
 * A gateway that is asked over HTTP: `POST` of `{ order_id, amount, currency, payment_token }` with `Idempotency-Key`,
 * answered with `{ "status": "settled" }` or `{ "status": "declined" }` (200, or 402 for the latter).
 */
export function httpGateway({ url, timeout, rest = 5000 }: HttpGatewayOptions): PaymentGateway {
  const { endpoint, headers } = addressOf(url);
  const faults = handleWhenResult(isFault);
  const policy = wrap(
    circuitBreaker(faults, { halfOpenAfter: rest, breaker: new ConsecutiveBreaker(BREAK_AFTER) }),
    retry(faults, { maxAttempts: RETRIES, backoff: new ExponentialBackoff(BETWEEN) }),
  );

  async function ask({ id, orderId, amount, currency, token }: PaymentOrder, signal: AbortSignal): Promise<Outcome> {
    const body = { order_id: orderId, amount, currency, ...(token !== null && { payment_token: token }) };
    try {
      const response = await fetch(endpoint, {
        method: 'POST',
        redirect: 'manual',
        headers: { ...headers, 'idempotency-key': id },
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeout)]),
      });
      return understand(response.status, await response.text());
    } catch (error) {
      return ofFault(error);
    }
  }

  return {
    async pay(payment, signal) {
      let unknown: Outcome | undefined;
      const attempt = async () => {
        const outcome = await ask(payment, signal);
        if (outcome.kind === 'unknown') unknown = outcome;
        return outcome;
      };
      // The policy throws of itself only when nothing was sent: the circuit is open, or the service stops.
      const outcome = await policy.execute(attempt, signal).catch((): Outcome => unknown ?? resting);
      return outcome.kind === 'failed' ? (unknown ?? outcome) : outcome;
    },
  };
}

const resting: Outcome = { kind: 'failed', retryable: true, reason: 'it has failed too often and is left alone' };

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

/** Statuses that leave open what became of the payment, beside all 5xx: 408, 409 (the key is in use), 425. */
const OPEN = new Set([408, 409, 425]);

function understand(status: number, text: string): Outcome {
  const said = wordOf(text);
  if (status < 300 || status === 402) {
    if (said === 'declined' || (said === 'settled' && status < 300)) return { kind: said };
  }
  const reason = `it answered ${status}${said === undefined ? ' without a status that is known' : ''}`;
  if (status < 300 || status >= 500 || OPEN.has(status)) return { kind: 'unknown', timedOut: false, reason };
  return { kind: 'failed', retryable: status === 429, reason };
}

function wordOf(text: string): 'settled' | 'declined' | undefined {
  try {
    const { status } = JSON.parse(text) as { status?: unknown };
    return status === 'settled' || status === 'declined' ? status : undefined;
  } catch {
    return undefined;
  }
}

/** Codes of Node and undici for a connection that was never made, so that nothing can have been sent. */
const UNSENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|CERT_.*|ERR_TLS_.*|.*SELF_SIGNED.*|UNABLE_TO_.*)$/;

function ofFault(error: unknown): Outcome {
  const { name, cause } = error as { name?: string; cause?: { code?: string } };
  const code = cause?.code ?? '';
  if (UNSENT.test(code)) return { kind: 'failed', retryable: true, reason: `it cannot be reached (${code})` };
  const timedOut = name === 'TimeoutError';
  return {
    kind: 'unknown',
    timedOut,
    reason: timedOut ? 'it took too long' : `the connection failed (${code || name})`,
  };
}

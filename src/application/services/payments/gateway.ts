import type { Failure } from '@accord-api/platform';

/** The payment to request from a gateway. */
export interface PaymentOrder {
  /** The idempotency key, a UUID. A gateway takes at most one payment per key. */
  id: string;
  orderId: number;
  /** Minor units. */
  amount: number;
  /** ISO 4217. */
  currency: string;
  /** The token that the gateway gave the client, if any. */
  token: string | null;
  trace?: Readonly<Record<string, string>>;
}

/**
 * The outcome of an attempt. `settled` and `declined` are final. `failed`: nothing was taken; `failure` is the answer to the caller, if it is special. `unknown`: the gateway
 * may have taken the payment, so the service must ask again under the same key.
 */
export type Outcome =
  | { kind: 'settled' }
  | { kind: 'declined' }
  | { kind: 'failed'; retryable: boolean; reason: string; failure?: Failure }
  | { kind: 'unknown'; timedOut: boolean; reason: string };

export interface PaymentGateway {
  /** Never rejects. @param signal ends the wait; the outcome of a sent request is then `unknown` */
  pay: (payment: PaymentOrder, signal: AbortSignal) => Promise<Outcome>;
}

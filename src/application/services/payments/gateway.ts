/** What a gateway is asked to take. */
export interface PaymentOrder {
  /** The idempotency key: a gateway takes one payment for it, however often it is asked. A UUID. */
  id: string;
  orderId: number;
  /** Minor units. */
  amount: number;
  /** ISO 4217. */
  currency: string;
  /** What the client was given by the gateway, if anything. */
  token: string | null;
}

/**
 * How a gateway was understood. Only `settled` and `declined` are its word on the payment. `failed`: this attempt took
 * nothing, and whether another one may fare better. `unknown`: it may have taken the payment, so nothing may be built on
 * either; ask again under the same key.
 */
export type Outcome =
  | { kind: 'settled' }
  | { kind: 'declined' }
  | { kind: 'failed'; retryable: boolean; reason: string }
  | { kind: 'unknown'; timedOut: boolean; reason: string };

export interface PaymentGateway {
  /**
   * Asks for the payment, and never rejects.
   * @param signal gives up waiting; the outcome of what was sent already is `unknown`
   */
  pay: (payment: PaymentOrder, signal: AbortSignal) => Promise<Outcome>;
}

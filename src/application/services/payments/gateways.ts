import { embeddedGateway } from './embedded.js';
import type { PaymentGateway } from './gateway.js';
import { httpGateway } from './http.js';

interface PaymentEnvironment {
  PAYMENT_URL?: string | undefined;
  /** Milliseconds. */
  PAYMENT_TIMEOUT: number;
}

/** Returns the gateway that the environment names. Production has none without PAYMENT_URL. */
export function paymentGateway(
  { PAYMENT_URL: url, PAYMENT_TIMEOUT: timeout }: PaymentEnvironment,
  production: boolean,
): PaymentGateway | undefined {
  if (url) return httpGateway({ url, timeout });
  return production ? undefined : embeddedGateway;
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Outcome, PaymentGateway } from './gateway.js';

const DELAY_MS = 2000;

/** The test tokens. The contract documents them at `payOrder`. */
const byToken: Record<string, Outcome> = {
  tok_ok: { kind: 'settled' },
  tok_delay: { kind: 'settled' },
  tok_decline: { kind: 'declined' },
  tok_fail: { kind: 'failed', retryable: false, reason: 'the test token says so' },
};

/** Simulates a payment gateway, for development and tests. Production never uses it. */
export const embeddedGateway: PaymentGateway = {
  async pay({ token }, signal) {
    const waited = token !== 'tok_delay' || (await delay(DELAY_MS, true, { signal }).catch(() => false));
    if (!waited) return { kind: 'failed', retryable: true, reason: 'the service stops' };
    const outcome = Object.hasOwn(byToken, token ?? 'tok_ok') ? byToken[token ?? 'tok_ok'] : undefined;
    return outcome ?? { kind: 'declined' };
  },
};

import { setTimeout as delay } from 'node:timers/promises';
import type { Outcome, PaymentGateway } from './gateway.js';

/** Milliseconds that `tok_delay` takes. */
const DELAY = 2000;

/** The test tokens; the contract's description of payOrder names them. */
const byToken: Record<string, Outcome> = {
  tok_ok: { kind: 'settled' },
  tok_delay: { kind: 'settled' },
  tok_decline: { kind: 'declined' },
  tok_fail: { kind: 'failed', retryable: false, reason: 'the test token says so' },
};

/** Settles payments by pretence, for development and tests. Production has no such gateway. */
export const embeddedGateway: PaymentGateway = {
  async pay({ token }, signal) {
    const waited = token !== 'tok_delay' || (await delay(DELAY, true, { signal }).catch(() => false));
    if (!waited) return { kind: 'failed', retryable: true, reason: 'the service stops' };
    const outcome = Object.hasOwn(byToken, token ?? 'tok_ok') ? byToken[token ?? 'tok_ok'] : undefined;
    return outcome ?? { kind: 'declined' };
  },
};

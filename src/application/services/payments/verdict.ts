import type { PaymentStatus } from '../../../../generated/prisma/client.js';
import { Failure } from '../../calls.js';
import type { Outcome, PaymentOrder } from './gateway.js';

/** Failed attempts after which the background gives up. */
const MAX_ATTEMPTS = 6;

export interface Attempt extends PaymentOrder {
  attempts: number;
  /** True if an earlier attempt may have taken the payment. */
  wasUncertain: boolean;
}

/**
 * OPEN: the service must ask again.
 * @param background true if no caller waits, so that a failing gateway can be asked again later
 */
export function verdict(outcome: Outcome, { attempts, wasUncertain }: Attempt, background: boolean): PaymentStatus {
  if (outcome.kind === 'settled') return 'SETTLED';
  if (outcome.kind === 'declined') return 'DECLINED';
  if (outcome.kind === 'unknown' || wasUncertain) return 'OPEN';
  return background && outcome.retryable && attempts < MAX_ATTEMPTS ? 'OPEN' : 'FAILED';
}

/** Returns the failure for a caller whose payment has no final outcome yet. */
export function faultOf(outcome: Outcome): Failure {
  const cause = 'reason' in outcome ? outcome.reason : undefined;
  if (outcome.kind === 'unknown' && outcome.timedOut) {
    return new Failure('GATEWAY_TIMEOUT', 'The payment gateway took too long; the order shows how the payment ends.', {
      cause,
    });
  }
  const known = outcome.kind === 'failed' ? 'nothing was taken' : 'the order shows how the payment ends';
  return new Failure('BAD_GATEWAY', `The payment gateway failed; ${known}.`, { cause });
}

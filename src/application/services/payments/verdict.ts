import type { PaymentStatus } from '../../../../generated/prisma/client.js';
import { Failure } from '../../calls.js';
import type { Outcome, PaymentOrder } from './gateway.js';

/** Attempts that may fail, taking nothing, before a payment in the background is given up. */
const ATTEMPTS = 6;

/** A payment that is being attempted. */
export interface Attempt extends PaymentOrder {
  attempts: number;
  /** Whether an earlier attempt may have been taken. */
  wasUncertain: boolean;
}

/**
 * What an attempt has shown. OPEN: it must be asked again, for what may have been taken is never given up.
 * @param background whether nobody waits, so that a failing gateway can be asked again later
 */
export function verdict(outcome: Outcome, { attempts, wasUncertain }: Attempt, background: boolean): PaymentStatus {
  if (outcome.kind === 'settled') return 'SETTLED';
  if (outcome.kind === 'declined') return 'DECLINED';
  if (outcome.kind === 'unknown' || wasUncertain) return 'OPEN';
  return background && outcome.retryable && attempts < ATTEMPTS ? 'OPEN' : 'FAILED';
}

/** What a caller who waited is told of an attempt that came to no end. */
export function faultOf(outcome: Outcome): Failure {
  const cause = 'reason' in outcome ? outcome.reason : undefined;
  if (outcome.kind === 'unknown' && outcome.timedOut) {
    return new Failure('GATEWAY_TIMEOUT', 'The payment gateway took too long; the order tells how it ends.', { cause });
  }
  const known = outcome.kind === 'failed' ? 'nothing was taken' : 'the order tells how it ends';
  return new Failure('BAD_GATEWAY', `The payment gateway failed; ${known}.`, { cause });
}

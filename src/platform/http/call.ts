import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Call, KeyedRequest, Policy } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { Issues } from '../calls/issues.js';
import { refuseExcess } from '../limits/rate-limit.js';
import { presentedBy } from './authenticate.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** The permissions that the contracts of the application declare. */
    policy: Policy;
  }
}

/**
 * Returns a call as services see it.
 * @param contentIssues returns what is wrong with the content; called at the checkpoint, before the rate is counted
 * @param idempotency the key of the caller, for an operation that takes one
 */
export function callOf(
  app: FastifyInstance,
  request: FastifyRequest,
  contentIssues: () => Issues,
  idempotency?: KeyedRequest,
): Call {
  async function check(): Promise<void> {
    const found = contentIssues();
    const [first] = found.issues;
    if (first) {
      throw new Failure('VALIDATION_FAILED', `${first.pointer ?? first.parameter} ${first.detail}.`, found);
    }
    const rate = app.countRequest(request);
    refuseExcess(rate instanceof Promise ? await rate : rate);
  }
  let checked: Promise<void> | undefined;
  return {
    policy: app.policy,
    actor: request.actor,
    presented: () => presentedBy(request),
    address: request.ip,
    requestId: request.id,
    idempotency,
    checkpoint: () => (checked ??= check()),
  };
}

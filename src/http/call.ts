import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Call, KeyedRequest } from '../services/access.js';
import { Failure, type Issue } from '../services/errors.js';
import { presentedBy } from './credential.js';
import { refuseExcess } from './rate-limit.js';

/**
 * A call as services see it.
 * @param contentIssues what is wrong with the content; asked for at the checkpoint, before the rate is looked at
 * @param idempotency the key that the caller gave, for an operation that takes one
 */
export function callOf(
  app: FastifyInstance,
  request: FastifyRequest,
  contentIssues: () => readonly Issue[],
  idempotency?: KeyedRequest,
): Call {
  return {
    actor: request.actor,
    presented: presentedBy(request),
    address: request.ip,
    requestId: request.id,
    idempotency,
    async checkpoint() {
      const issues = contentIssues();
      if (issues.length > 0) {
        const [first] = issues;
        const place = first?.pointer ?? first?.parameter;
        throw new Failure('VALIDATION_FAILED', `${place} ${first?.detail}.`, { issues });
      }
      refuseExcess(await app.countRequest(request));
    },
  };
}

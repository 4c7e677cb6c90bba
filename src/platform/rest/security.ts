import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Mechanism } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import type { Operation } from '../contract/openapi.js';

/** The security schemes that a request can meet; the contract may name no other. */
const schemes = ['basicAuth', 'opaqueToken', 'jwt', 'cookieAuth', 'metricsToken'] as const satisfies readonly (
  | Mechanism
  | 'metricsToken'
)[];
export const knownSchemes: ReadonlySet<string> = new Set(schemes);

/**
 * How an operation authenticates: by the security that the contract states for it. It is ours and not fastify-openapi-glue's,
 * which tries one scheme after another and answers 401 whatever went wrong, a lost database too.
 * @returns throws Failure UNAUTHENTICATED; whatever else keeps the service from finding out who calls
 */
export function authentication(
  app: FastifyInstance,
  { security }: Operation,
): (request: FastifyRequest) => void | Promise<void> {
  const alternatives = security.map((alternative) => Object.keys(alternative));
  if (alternatives.length === 0) return () => {};
  if (alternatives.some((names) => names.includes('metricsToken'))) return (request) => app.refuseMetrics(request);
  // Security that lets everyone through: a credential that does not hold is nobody's; what it is worth the service decides.
  if (alternatives.some((names) => names.length === 0)) {
    return async (request) => void (await app.authenticate(request).catch(asNobody));
  }
  // A caller proves itself by one mechanism; an alternative that wants two is met by nobody.
  const mechanisms = new Set(alternatives.filter((names) => names.length === 1).flat());
  return async (request) => {
    const actor = await app.authenticate(request);
    if (!actor || !mechanisms.has(actor.mechanism)) {
      throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
    }
  };
}

function asNobody(error: unknown): null {
  if (error instanceof Failure && error.code === 'UNAUTHENTICATED') return null;
  throw error;
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor, Mechanism } from '../calls/access.js';
import { andThen, type Soon } from '../calls/at-once.js';
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
export function authentication(app: FastifyInstance, { security }: Operation): (request: FastifyRequest) => Soon<void> {
  const alternatives = security.map((alternative) => Object.keys(alternative));
  if (alternatives.length === 0) return () => {};
  if (alternatives.some((names) => names.includes('metricsToken'))) return (request) => app.refuseMetrics(request);
  // Security that lets everyone through: a credential that does not hold is nobody's; what it is worth the service decides.
  if (alternatives.some((names) => names.length === 0)) {
    return (request) => {
      const caller = app.authenticate(request);
      return caller instanceof Promise ? caller.then(() => {}, asNobody) : undefined;
    };
  }
  // A caller proves itself by one mechanism; an alternative that wants two is met by nobody.
  const mechanisms = new Set(alternatives.filter((names) => names.length === 1).flat());
  const refuseOthers = (actor: Actor | null): void => {
    if (!actor || !mechanisms.has(actor.mechanism)) {
      throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
    }
  };
  return (request) => andThen(app.authenticate(request), refuseOthers);
}

function asNobody(error: unknown): void {
  if (error instanceof Failure && error.code === 'UNAUTHENTICATED') return;
  throw error;
}

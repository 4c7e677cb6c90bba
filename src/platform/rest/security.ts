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
 * The stage that authenticates, for every operation: by the security that the contract states for it. It is ours and not
 * fastify-openapi-glue's, which tries one scheme after another and answers 401 whatever went wrong, a lost database too.
 * @throws Failure UNAUTHENTICATED; whatever else keeps the service from finding out who calls
 */
export async function authenticateStage(
  app: FastifyInstance,
  request: FastifyRequest,
  operation: Operation,
): Promise<void> {
  const { security } = operation;
  if (security.length === 0) return;
  if (security.some((alternative) => 'metricsToken' in alternative)) return app.refuseMetrics(request);
  if (isOptional(operation)) return void (await app.authenticate(request).catch(asNobody));
  const actor = await app.authenticate(request);
  const met = actor && security.some((alternative) => Object.keys(alternative).every((one) => one === actor.mechanism));
  if (!met) throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
}

/** Security that lets everyone through. */
const isOptional = ({ security }: Operation): boolean =>
  security.some((alternative) => Object.keys(alternative).length === 0);

/** Where it does, a credential that does not hold is nobody's; what it is worth the service decides. */
function asNobody(error: unknown): null {
  if (error instanceof Failure && error.code === 'UNAUTHENTICATED') return null;
  throw error;
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Operation } from '../contract/openapi.js';
import type { Mechanism } from '../services/access.js';
import { Failure } from '../services/errors.js';

/**
 * One handler for each security scheme of the contract, as fastify-openapi-glue calls them: an alternative is met when
 * the caller came by that mechanism. What was wrong with a presented credential is the same for all alternatives.
 */
export function securityHandlers(app: FastifyInstance) {
  const by = (mechanism: Mechanism) => async (request: FastifyRequest) => {
    const actor = await app.authenticate(request);
    if (actor?.mechanism !== mechanism) throw new Failure('UNAUTHENTICATED', 'This needs authentication.');
  };
  return {
    basicAuth: by('basicAuth'),
    opaqueToken: by('opaqueToken'),
    jwt: by('jwt'),
    cookieAuth: by('cookieAuth'),
    metricsToken: (request: FastifyRequest) => app.refuseMetrics(request),
  } satisfies Record<Mechanism | 'metricsToken', (request: FastifyRequest) => Promise<void>>;
}

/** Security that lets everyone through. */
export const isOptional = ({ security }: Operation): boolean =>
  security.some((alternative) => Object.keys(alternative).length === 0);

/** Where it does, a credential that does not hold is nobody's; what it is worth the service decides. */
export function asNobody(error: unknown): null {
  if (error instanceof Failure && error.code === 'UNAUTHENTICATED') return null;
  throw error;
}

/** The schemes that have a handler; the contract may name no other. */
export const mappedSchemes: ReadonlySet<string> = new Set<keyof ReturnType<typeof securityHandlers>>([
  'basicAuth',
  'opaqueToken',
  'jwt',
  'cookieAuth',
  'metricsToken',
]);

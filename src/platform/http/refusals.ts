import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { Refusal } from '../audit/audit.js';
import { type Code, platformCodes } from '../contract/codes.js';
import type { PlatformServices } from '../services.js';

declare module 'fastify' {
  interface FastifyInstance {
    /** Audits the refusals among the failures of an answer whose status does not tell them. */
    noteRefusals: (request: FastifyRequest, failures: readonly string[]) => void;
  }
}

/** The failures that are audited. */
const AUDITED: Partial<Record<Code, Refusal>> = { FORBIDDEN: 'access.refused', RATE_LIMITED: 'limit.exceeded' };
const byStatus = new Map(
  Object.entries(AUDITED).map(([code, refusal]) => [platformCodes[code as Code].status as number, refusal]),
);

/** Audits refused authorisations and exceeded limits, on both transports. */
export const refusalsPlugin = fp<{ services: PlatformServices }>(
  async (app, { services: { refusals } }) => {
    const note = (refusal: Refusal | undefined, { actor, ip, id }: FastifyRequest) => {
      if (refusal) refusals.note(refusal, { actor, address: ip, requestId: id });
    };
    app.decorate('noteRefusals', (request: FastifyRequest, failures: readonly string[]) => {
      for (const code of failures) note(AUDITED[code as Code], request);
    });
    app.stage('refusals', (request, { statusCode }) => note(byStatus.get(statusCode), request));
  },
  { name: 'refusals', dependencies: ['pipeline', 'authenticate'] },
);

import fp from 'fastify-plugin';
import type { PageRequest } from '../calls/pages.js';
import type { Plan } from './plan.js';
import { refuseNullBody } from './structure.js';
import type { ReadRequest } from './validation.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False for what the rate limit does not count. */
    counted?: boolean;
    /** Of an operation of the contract. */
    plan?: Plan;
  }
  interface FastifyRequest {
    /** What the stages before the handler have found out. */
    answerType: string;
    read: ReadRequest;
    page: PageRequest;
  }
}

/** What is decided of a request for an operation before its handler, and said on its answer: by the operation's plan. */
export const restStagesPlugin = fp(
  async (app) => {
    app.decorateRequest('answerType', '');
    app.decorateRequest('read');
    app.decorateRequest('page');

    app.stage('media-types', (request) => {
      const { plan } = request.route;
      if (!plan) return;
      request.answerType = plan.answerType(request.headers.accept);
      plan.refuseBodyType(request.headers['content-type']);
    });

    app.stage('null-body', refuseNullBody);

    app.stage('parameters', (request) => {
      const { plan } = request.route;
      if (plan) request.read = plan.read(request);
    });

    app.stage('authentication', (request) => {
      const { plan } = request.route;
      if (!plan) return;
      request.page = plan.page(request.read, request);
      return plan.authenticate(request);
    });

    app.stage('deprecation', ({ route }, reply) => route.plan?.tellDeprecation?.(reply));
  },
  { name: 'rest-stages', dependencies: ['pipeline', 'route', 'authenticate', 'metrics'] },
);

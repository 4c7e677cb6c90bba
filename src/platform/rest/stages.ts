import type { FastifyRequest } from 'fastify';
import fp from 'fastify-plugin';
import type { PageRequest } from '../calls/pages.js';
import type { Operation } from '../contract/openapi.js';
import type { PlatformServices } from '../services.js';
import { tellDeprecation } from './deprecation.js';
import { chooseMediaType, refuseMediaType } from './negotiation.js';
import { readPage } from './paging.js';
import { authenticateStage } from './security.js';
import { refuseNullBody } from './structure.js';
import { type ReadRequest, readRequest } from './validation.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** False for what the rate limit does not count. */
    counted?: boolean;
    operation?: Operation;
  }
  interface FastifyRequest {
    /** What the stages before the handler have found out. */
    answerType: string;
    read: ReadRequest;
    page: PageRequest;
  }
}

const FIRST_PAGE = { limit: 20, offset: 0 };
const isPaged = ({ operation }: Operation) => operation.parameters.some(({ name }) => name === 'per_page');
export const pathnameOf = ({ url }: FastifyRequest): string => url.split('?')[0] as string;

/** What is decided of a request for an operation before its handler, and said on its answer. */
export const restStagesPlugin = fp<{ services: PlatformServices }>(
  async (app, { services }) => {
    app.decorateRequest('answerType', '');
    app.decorateRequest('read');
    app.decorateRequest('page');

    app.stage('media-types', async (request) => {
      const { operation } = request.routeOptions.config;
      if (!operation) return;
      request.answerType = chooseMediaType(request, operation);
      refuseMediaType(request, operation);
    });

    app.stage('null-body', refuseNullBody);

    app.stage('authentication', async (request) => {
      const { operation } = request.routeOptions.config;
      if (!operation) return;
      request.read = readRequest(operation, request);
      request.page = isPaged(operation)
        ? readPage(request.read.query, pathnameOf(request), services.cursors)
        : FIRST_PAGE;
      await authenticateStage(app, request, operation);
    });

    app.stage('deprecation', tellDeprecation);
  },
  { name: 'rest-stages', dependencies: ['pipeline', 'authenticate', 'metrics'] },
);

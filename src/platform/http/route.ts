import type { FastifyContextConfig } from 'fastify';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyRequest {
    /** The configuration of its route, and the path if a route matches. */
    route: FastifyContextConfig & { url?: string };
  }
}

/** Keeps the configuration of the route for the request: Fastify composes it for each access. */
export const routePlugin = fp(
  async (app) => {
    app.decorateRequest('route');
    app.stage('route', (request) => {
      request.route = request.routeOptions.config;
    });
  },
  { name: 'route', dependencies: ['pipeline'] },
);

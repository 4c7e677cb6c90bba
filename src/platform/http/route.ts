import type { FastifyContextConfig } from 'fastify';
import fp from 'fastify-plugin';

declare module 'fastify' {
  interface FastifyRequest {
    /** What is known of its route: its configuration, and the path unless there is none. */
    route: FastifyContextConfig & { url?: string };
  }
}

/** Looks up what is known of the route, once for each request: Fastify puts it together whenever it is asked. */
export const routePlugin = fp(
  async (app) => {
    app.decorateRequest('route');
    app.stage('route', (request) => {
      request.route = request.routeOptions.config;
    });
  },
  { name: 'route', dependencies: ['pipeline'] },
);

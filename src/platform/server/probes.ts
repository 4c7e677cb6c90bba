import { once } from 'node:events';
import { createServer } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { pathOf } from '../core/http/headers.js';
import type { Config } from '../core/variables.js';
import { ConfigError, listenHost, notListening } from './config.js';
import { limitTransport, TIMEOUTS_MS } from './http-server.js';

/**
 * Prepares the server of HEALTH_PORT, which answers health and metrics only. New connections of other callers do not delay its own. It
 * closes after all others. Call it before the application is ready.
 * @returns a function that listens; undefined without HEALTH_PORT
 * @throws ConfigError for a contract without these operations
 */
export function probeServer(app: FastifyInstance, config: Config): (() => Promise<void>) | undefined {
  const { HEALTH_PORT: port } = config;
  if (port === undefined) return undefined;
  const { probes } = app.restEntry;
  if (probes.length === 0)
    throw new ConfigError('HEALTH_PORT: openapi.yaml has no health and no metrics. Name observability in `x-parts`.');
  const server = createServer((request, response) => {
    if (probes.includes(pathOf(request.url ?? ''))) app.routing(request, response);
    else response.writeHead(404, { 'content-type': 'text/plain' }).end(`This port answers ${probes.join(', ')}.\n`);
  });
  limitTransport(server, TIMEOUTS_MS);
  app.addHook('onClose', async () => {
    server.close();
    server.closeAllConnections();
  });
  return async () => {
    const listening = once(server, 'listening');
    server.listen(port, listenHost(config));
    await listening.catch((error: unknown) => {
      throw notListening(error, config, 'HEALTH_PORT');
    });
    app.log.info({ port }, 'health and metrics have a port of their own');
  };
}

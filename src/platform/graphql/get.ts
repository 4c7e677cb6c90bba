import type { FastifyInstance } from 'fastify';
import { Failure } from '../calls/errors.js';
import type { socketServer } from '../live/socket.js';

/** An upgrade gets the socket, a browser GraphiQL; everything else learns that POST is the way. */
export async function mountGet(
  app: FastifyInstance,
  url: string,
  { development }: { development: boolean },
  wsHandler: ReturnType<typeof socketServer>,
): Promise<void> {
  const refuse = async (): Promise<never> => {
    throw new Failure('METHOD_NOT_ALLOWED', 'GraphQL operations are sent by POST.', { allow: ['POST'] });
  };
  const others = app.supportedMethods.filter((method) => !['POST', 'GET', 'CONNECT'].includes(method));
  app.route({ method: others, url, handler: refuse });
  app.route({
    method: 'GET',
    url,
    exposeHeadRoute: false,
    wsHandler,
    handler: async (request, reply) => {
      if (!development || !request.headers.accept?.includes('text/html')) return refuse();
      return app.sendGraphiql(request, reply);
    },
  });
}

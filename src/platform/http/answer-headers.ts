import helmet from '@fastify/helmet';
import fp from 'fastify-plugin';

/** An API answer is not a page: it may load nothing. The pages bring policies of their own. */
const NOTHING = { useDefaults: false, directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] } };

/** The headers of every answer. That of HTTPS is with what knows of it (`confidentialPlugin`). */
export const answerHeadersPlugin = fp(
  async (app) => {
    app.stage('request-id', async (request, reply) => void reply.header('x-request-id', request.id));
    app.stage('security-headers', (scope) =>
      scope.register(helmet, { contentSecurityPolicy: NOTHING, strictTransportSecurity: false }),
    );
  },
  { name: 'answer-headers', dependencies: ['pipeline'] },
);

import type { IncomingMessage, ServerResponse } from 'node:http';
import fp from 'fastify-plugin';
import helmet from 'helmet';

/** An API answer is not a page and loads nothing. Pages have policies of their own. */
const NOTHING = { useDefaults: false, directives: { 'default-src': ["'none'"], 'frame-ancestors': ["'none'"] } };

/** Returns the headers of helmet, which are the same on every answer. */
function securityHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => {},
  };
  helmet({ contentSecurityPolicy: NOTHING, strictTransportSecurity: false })(
    {} as IncomingMessage,
    response as unknown as ServerResponse,
    (error) => {
      if (error) throw error;
    },
  );
  return headers;
}

/** Sets the headers of every answer, except that of HTTPS (`confidentialPlugin`). */
export const answerHeadersPlugin = fp(
  async (app) => {
    const headers = securityHeaders();
    app.stage('request-id', (request, reply) => void reply.header('x-request-id', request.id));
    app.stage('security-headers', (_request, reply) => void reply.headers(headers));
  },
  { name: 'answer-headers', dependencies: ['pipeline'] },
);

import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Config, ConfigError } from './config.js';

/** What the operator set wrong, by the name of the variable; anything else as it is. */
export function notListening(error: unknown, { PORT, HOST }: Pick<Config, 'PORT' | 'HOST'>): unknown {
  const problems: Record<string, string> = {
    EADDRINUSE: `PORT: something listens on ${PORT} already; stop it, or set another one (0 takes a free one).`,
    EACCES: `PORT: this process may not listen on ${PORT}.`,
    EADDRNOTAVAIL: `HOST: ${HOST} is not an address of this machine.`,
    ENOTFOUND: `HOST: ${HOST} is not known.`,
  };
  const problem = problems[(error as NodeJS.ErrnoException).code ?? ''];
  return problem ? new ConfigError(problem, { cause: error }) : error;
}

/** The address to listen on. One: of a second listener, for ::1, Fastify would cut the running requests off when it closes. */
export const listenHost = ({ HOST }: Pick<Config, 'HOST'>): string => (HOST === 'localhost' ? '127.0.0.1' : HOST);

/**
 * Tries the port, and lets go of it: before a database is opened and perhaps migrated for a process that could not serve.
 * @throws ConfigError
 */
export async function tryPort(config: Pick<Config, 'PORT' | 'HOST'>): Promise<void> {
  const server = createServer().listen(config.PORT, listenHost(config));
  await once(server, 'listening').catch((error: unknown) => {
    throw notListening(error, config);
  });
  server.close();
  await once(server, 'close');
}

import { chmodSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { CommandError } from '../core/calls/errors.js';
import type { Administration } from '../parts/identity/keys/administration.js';

/** Bytes of a Unix socket's address on macOS, which has the lowest limit. */
const MAX_PATH_BYTES = 103;
const COMMAND_TIMEOUT_MS = 30_000;

type Answer = { ok: true; result: unknown } | { ok: false; error: string };

/** Returns undefined if the system does not allow the path. */
function socketPath(directory: string): string | undefined {
  const path = join(directory, 'admin.sock');
  const [shortest = path] = [path, relative(process.cwd(), path)].sort((a, b) => a.length - b.length);
  return process.platform === 'win32' || Buffer.byteLength(shortest) > MAX_PATH_BYTES ? undefined : shortest;
}

/** Takes commands until the service closes. The directory is locked, so an existing socket is dead. */
export async function answerCommands(app: FastifyInstance, directory: string): Promise<void> {
  const path = socketPath(directory);
  if (path === undefined) return app.log.warn('no command can reach this server: its data directory takes no socket');
  rmSync(path, { force: true });
  const server = createServer((socket) => {
    socket.setTimeout(COMMAND_TIMEOUT_MS, () => socket.destroy()).on('error', () => socket.destroy());
    createInterface({ input: socket }).once('line', async (line) => {
      socket.end(JSON.stringify(await answer(app, line)));
    });
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(path, resolve));
  chmodSync(path, 0o600);
  app.addHook('onClose', async () => void server.close());
}

async function answer({ administration, log }: FastifyInstance, line: string): Promise<Answer> {
  try {
    const { command, args } = JSON.parse(line) as { command: keyof Administration; args: never };
    if (!Object.hasOwn(administration, command))
      throw new CommandError(`This server does not know the command ${command}.`);
    return { ok: true, result: await administration[command](args) };
  } catch (error) {
    if (error instanceof CommandError) return { ok: false, error: error.message };
    log.error({ err: error }, 'a command failed');
    return { ok: false, error: "The command failed; the server's log says why." };
  }
}

/** Returns the commands of the running server on a data directory, or undefined. */
export async function runningServer(directory: string): Promise<Administration | undefined> {
  const path = socketPath(directory);
  const open = () =>
    new Promise<Socket | undefined>((resolve) => {
      const socket = connect({ path: path as string, allowHalfOpen: true });
      socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined));
    });
  const probe = path === undefined ? undefined : await open();
  if (!probe) return undefined;
  probe.destroy();
  const call = (command: string) => async (args: object) => {
    const socket = await open();
    if (!socket) throw new CommandError('The server has stopped.');
    socket.write(`${JSON.stringify({ command, args })}\n`);
    const received = await text(socket);
    if (received === '') throw new CommandError('The server did not answer.');
    const answered = JSON.parse(received) as Answer;
    if (!answered.ok) throw new CommandError(answered.error);
    return answered.result as never;
  };
  // A promise would call a member `then`.
  return new Proxy({} as Administration, { get: (_, name) => (name === 'then' ? undefined : call(String(name))) });
}

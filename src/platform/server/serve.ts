import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type ServerHttp2Session } from 'node:http2';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import closeWithGrace from 'close-with-grace';
import type { FastifyInstance } from 'fastify';
import { hasher, isCommonPassword } from '../accounts/passwords.js';
import { accountRules, emailKey } from '../accounts/users.js';
import { buildApp } from '../app.js';
import type { Application, DemoPerson } from '../application.js';
import { audit, COMMAND_LINE } from '../audit/audit.js';
import { BOUNDS } from '../bounds.js';
import { readAddress } from '../database/address.js';
import type { PrismaClient } from '../database/client.js';
import { reportIfSlow, retryWhileUnavailable } from '../database/faults.js';
import type { Database } from '../database/open.js';
import { answerCommands } from './admin-socket.js';
import { type Config, ConfigError, inProduction, listenHost, notListening } from './config.js';
import { whenShellGone } from './npm-shell.js';

/** Milliseconds before an idle connection ends, because a request may be on its way. Measured in checks. */
export const LINGER_MS = 1000;
const CHECK_INTERVAL_MS = 25;
const LINGER_CHECKS = LINGER_MS / CHECK_INTERVAL_MS;
/** GOAWAY with the greatest id accepts open streams and refuses new ones (RFC 9113 §6.8). */
const LAST_STREAM = 2 ** 31 - 1;

/** A connection of any version of HTTP. */
interface Connection {
  underWay: number;
  /** The number of checks when its last request ended. */
  idleSince: number;
  /** Announces the end of the connection to the client, if still possible. */
  announce: () => void;
  end: () => void;
}

/** Fails `/readyz`, serves for `wait` milliseconds, and then stops listening, before the app closes. */
type StopAccepting = (wait: number) => Promise<void>;

/**
 * Closes the server without cutting a request that ends in time. Node alone closes idle connections at once, and loses
 * unread requests.
 * @param time milliseconds for requests from the moment that the server stops listening
 */
export function drainOnClose(app: FastifyInstance, time: number = BOUNDS.stopTime.value): StopAccepting {
  const connections = new Set<Connection>();
  /** HTTP/1.1 connections with their open answers, oldest first. */
  const bySocket = new WeakMap<Socket, { one: Connection; answers: Set<ServerResponse> }>();
  /** All sockets, also before their TLS handshake. */
  const sockets = new Set<Socket>();
  let accepted = 0;
  let closing = false;
  let cutAt: number | undefined;
  let checks = 0;

  function open(announce: () => void, end: () => void): Connection {
    const one: Connection = { underWay: 0, idleSince: checks, announce, end };
    connections.add(one);
    if (closing) announce();
    return one;
  }

  function begin(one: Connection, exchange: EventEmitter, ended = () => {}): void {
    one.underWay += 1;
    exchange.once('close', () => {
      one.underWay -= 1;
      one.idleSince = checks;
      ended();
    });
  }

  function takeSocket(socket: Socket): void {
    const answers = new Set<ServerResponse>();
    // `Connection: close` on the last open answer, unless its headers have been sent.
    const announce = () => {
      const last = [...answers].at(-1);
      if (last) last.shouldKeepAlive = false;
    };
    const one = open(announce, () => socket.destroySoon());
    bySocket.set(socket, { one, answers });
    socket.once('close', () => connections.delete(one));
  }

  function takeSession(session: ServerHttp2Session): void {
    const announce = () => session.goaway(constants.NGHTTP2_NO_ERROR, LAST_STREAM);
    const one = open(announce, () => session.close());
    session.on('stream', (stream) => begin(one, stream));
    session.once('close', () => connections.delete(one));
  }

  function takeRequest({ httpVersionMajor, socket }: IncomingMessage, answer: ServerResponse): void {
    // Sessions count the streams of HTTP/2.
    const known = httpVersionMajor === 2 ? undefined : bySocket.get(socket);
    if (!known) return;
    known.answers.add(answer);
    begin(known.one, answer, () => known.answers.delete(answer));
    if (closing) known.one.announce();
  }

  const { server } = app;
  const isSecure = 'setSecureContext' in server;
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    accepted += 1;
    socket.once('close', () => sockets.delete(socket));
    if (!isSecure) takeSocket(socket);
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    if (socket.alpnProtocol !== 'h2') takeSocket(socket);
  });
  server.on('session', takeSession);
  server.prependListener('request', takeRequest);
  // An upgrade runs until its connection ends, or until it is a WebSocket, which closes itself.
  server.prependListener('upgrade', ({ socket }: IncomingMessage) => {
    const known = bySocket.get(socket);
    if (known) known.one.underWay += 1;
  });
  app.websocketServer.on('connection', (_webSocket, { socket }: IncomingMessage) => {
    const known = bySocket.get(socket);
    if (known) connections.delete(known.one);
  });

  app.addHook('preClose', async () => {
    closing = true;
    for (const one of connections) one.announce();
    cutAt ??= performance.now() + time;
    while (connections.size > 0 && performance.now() < cutAt) {
      const silent = ({ underWay, idleSince }: Connection) => underWay === 0 && checks - idleSince >= LINGER_CHECKS;
      const quiet = [...connections].filter(silent);
      // Reads what has arrived while the process was busy.
      await nextTurn();
      for (const one of quiet) if (silent(one)) one.end();
      await delay(CHECK_INTERVAL_MS);
      checks += 1;
    }
    const requests = [...connections].reduce((sum, { underWay }) => sum + underWay, 0);
    if (requests > 0) app.log.warn({ requests }, 'stopping cut requests whose clients did not send or read in time');
    for (const socket of sockets) socket.destroy();
  });

  /** Waits until no connection waits to be accepted. libuv accepts one per turn. */
  async function emptied(): Promise<void> {
    const began = performance.now();
    let before: number;
    do {
      before = accepted;
      await nextTurn();
      await nextTurn();
    } while (accepted > before && performance.now() - began < LINGER_MS);
  }

  return async (wait) => {
    app.unready();
    await delay(wait);
    cutAt = performance.now() + time;
    await emptied();
    // Node's own `close` would end idle connections as well.
    NetServer.prototype.close.call(server);
  };
}

/** Milliseconds for running requests after the signal to stop. */
const GRACE_MS = 10_000;
/** Milliseconds within which a second signal is ignored: npm repeats the Ctrl-C of the terminal. */
const ECHO_MS = 500;

/**
 * Serves until the process is asked to stop, and closes the database. If it rejects, the caller closes it. Resolves when the
 * service listens, to its address and the demo login.
 */
export async function serve(application: Application, config: Config, database: Database) {
  const { demo, app } = await reportIfSlow('Still reading what is in the database.', async () => {
    await retryWhileUnavailable(() => prepareData(database, config, application));
    // Hashes a password on another core meanwhile.
    const [demo, app] = await Promise.all([
      retryWhileUnavailable(() => demoLogin(database, config, application)),
      buildApp(application, config, { database, logger: await logger(config) }),
    ]);
    return { demo, app };
  });
  app.addHook('onClose', () => database.close());
  if (database.route !== undefined) app.log.info(database.route);
  if (database.unknownMigrations.length > 0) {
    const migrations = database.unknownMigrations;
    app.log.warn(
      { migrations },
      'a newer version has migrated the database; unless an update runs, install that version',
    );
  }
  const stopAccepting = drainOnClose(app);
  const stored = readAddress(config.DATABASE_URL);
  if (stored.kind === 'embedded' && stored.directory) await answerCommands(app, stored.directory);
  stopOnSignal(app, stopAccepting, config.DRAIN_DELAY);
  const address = await app.listen({ port: config.PORT, host: listenHost(config) }).catch((error: unknown) => {
    throw notListening(error, config);
  });
  return { address, demo, app };
}

/** The members of a line about a request that its text on a terminal shows. */
const SHOWN_FIRST = ['method', 'transport', 'route', 'operation', 'status', 'code'];

async function logger({ LOG_LEVEL: level }: Config) {
  if (!process.stdout.isTTY) return { level };
  // A development dependency. Without it the log is JSON.
  const pretty = await import('pino-pretty').then(
    (module) => module.default,
    () => undefined,
  );
  const messageFormat = (line: Record<string, unknown>, message: string) =>
    [
      line[message],
      ...SHOWN_FIRST.flatMap((name) => line[name] ?? []),
      ...(line['ms'] ? [`${line['ms']} ms`] : []),
    ].join(' ');
  const ignore = ['pid', 'hostname', 'ms', 'caller', 'requestId', 'traceId', ...SHOWN_FIRST].join();
  return pretty === undefined ? { level } : { level, stream: pretty({ sync: true, ignore, messageFormat }) };
}

/** Closes at the first signal, and ends the process at the second one. */
function stopOnSignal(app: FastifyInstance, stopAccepting: StopAccepting, drainDelay: number): void {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  const options = { delay: drainDelay + GRACE_MS, logger: app.log, skip: [...signals] };
  const { close } = closeWithGrace(options, async ({ err }) => {
    if (err) app.log.fatal({ err }, 'stopping after a fault');
    await stopAccepting(err ? 0 : drainDelay);
    await app.close();
  });
  let asked: number | undefined;
  const onSignal = (signal: NodeJS.Signals) => {
    if (asked !== undefined && performance.now() - asked < ECHO_MS) return;
    app.log.info({ signal }, asked === undefined ? 'stopping' : 'stopping at once');
    if (asked !== undefined) process.exit(1);
    asked = performance.now();
    close();
  };
  for (const signal of signals) process.on(signal, onSignal);
  whenShellGone(process.env, () => onSignal('SIGTERM'));
}

/** Creates the first administrator, or the demo outside production. Idempotent, on several instances too. */
export async function prepareData(
  { client, exclusively }: Pick<Database, 'client' | 'exclusively'>,
  config: Config,
  { demo, policy, accountActions }: Pick<Application, 'demo' | 'policy' | 'accountActions'>,
): Promise<void> {
  const { production, ADMIN_EMAIL: email, ADMIN_PASSWORD: password } = config;
  const { administrators } = accountRules(policy, accountActions);
  const exists = async (where: object) => (await client.user.findFirst({ where, select: { id: true } })) !== null;
  const refuse = (problem: string) => new ConfigError(inProduction(config, [problem]).join('\n'));

  async function isPrepared(): Promise<boolean> {
    const emails = demo?.people.map((person) => emailKey(person.email)) ?? [];
    if (production && emails.length > 0 && (await exists({ emailKey: { in: emails } }))) {
      throw refuse('DATABASE_URL: names a database with demo accounts, whose password is public; use another one.');
    }
    return exists({ role: { in: [...administrators] } });
  }
  async function prepare(): Promise<void> {
    if (await isPrepared()) return;
    if (email && password) await createFirstAdmin(client, administrators[0], email, password);
    else if (production) throw refuse('ADMIN_EMAIL, ADMIN_PASSWORD: there is no administrator yet; set both.');
    else if ((await client.user.count()) === 0) await demo?.seed(client);
  }

  // Does not wait for the lock without need, because a long migration may hold it.
  if (!(await isPrepared())) await exclusively(prepare);
}

async function createFirstAdmin(client: PrismaClient, role: string, email: string, password: string): Promise<void> {
  if (isCommonPassword(password)) {
    throw new ConfigError('ADMIN_PASSWORD: is one of the passwords that attackers try first; choose another one.');
  }
  const passwordHash = await hasher().hash(password);
  const where = { emailKey: emailKey(email) };
  await client.$transaction(async (db) => {
    const exists = (await db.user.count({ where })) > 0;
    const create = { name: 'Administrator', email, ...where, role, passwordHash };
    const { id } = await db.user.upsert({ where, create, update: { role }, select: { id: true } });
    await audit(db, COMMAND_LINE, exists ? 'role.changed' : 'user.created', `user:${id}`);
  });
}

/** Returns the demo account, unless its password or address was changed. */
export async function demoLogin(
  { client }: Pick<Database, 'client'>,
  { production }: Config,
  { demo }: Pick<Application, 'demo'>,
): Promise<DemoPerson | undefined> {
  const [first] = production || !demo ? [] : demo.people;
  if (first === undefined) return undefined;
  const where = { emailKey: emailKey(first.email) };
  const user = await client.user.findUnique({ where, select: { passwordHash: true } });
  return (await hasher().verify(user?.passwordHash ?? null, first.password)) ? first : undefined;
}

import { once } from 'node:events';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { format } from 'node:util';
import type { TProperties } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { Application, DemoPerson } from '../core/application.js';
import { namesOf, titleOf } from '../core/names.js';
import type { Config } from '../core/variables.js';
import { DatabaseNotOpened, faultOf, reasonOf, reportIfSlow, retryWhileUnavailable } from '../database/faults.js';
import { type Database, openDatabase } from '../database/open.js';
import { ConfigError, listenHost, notListening, printsJson, readConfig } from './config.js';

/** The numbers of levels in the log (pino). */
const LEVELS = { debug: 20, log: 30, info: 30, warn: 40, error: 50 } as const;

/**
 * Makes lines of JSON in the form of the log of the texts that the process and its dependencies print: by `console`, and
 * the warnings of Node.
 */
function printJsonLines(): void {
  const about = { pid: process.pid, hostname: hostname() };
  for (const [method, level] of Object.entries(LEVELS)) {
    const stream = level > LEVELS.info ? process.stderr : process.stdout;
    console[method as keyof typeof LEVELS] = (...given: unknown[]) => {
      const error = given.find((value) => value instanceof Error);
      const err = error && { type: error.name, message: error.message, stack: error.stack };
      const line = { level, time: Date.now(), ...about, ...(err && { err }), msg: error?.message ?? format(...given) };
      stream.write(`${JSON.stringify(line)}\n`);
    };
  }
  process.removeAllListeners('warning').on('warning', console.warn);
}

/** The parts of a program. Modules load while the database opens. */
interface Program {
  readonly name: string;
  /** The environment variables of the application. */
  readonly variables?: TProperties;
  readonly application: () => Promise<Application>;
}

async function start({ name, variables, application: load }: Program): Promise<void> {
  namesOf(name);
  const config = readConfig(process.env, variables, console.warn);
  for (const name of ['PORT', 'HEALTH_PORT'] as const) await checkPort(config, name);
  const loading = load();
  // PostgreSQL compiles on another core meanwhile.
  const [database, application, { serve }] = await Promise.all([
    reportIfSlow('Still opening the database.', () =>
      retryWhileUnavailable(() =>
        openDatabase(config.DATABASE_URL, {
          name,
          direct: config.DATABASE_DIRECT_URL,
          poolSize: config.DATABASE_POOL,
          migrate: config.MIGRATE_ON_START,
          client: async () => (await loading).client,
        }),
      ),
    ),
    loading,
    import('./serve.js'),
    Promise.all([loading, import('./serve.js')]).then(([application, { preload }]) => preload(application)),
  ]);
  if (application.name !== name) {
    await database.close();
    throw new Error(`The program is called "${name}", and its application "${application.name}".`);
  }
  const ready = await serve(application, config, database).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
  printAddresses({ title: titleOf(application), config, database, ...ready });
}

interface Announcement {
  title: string;
  config: Config;
  database: Pick<Database, 'label' | 'migrated'>;
  address: string;
  demo: DemoPerson | undefined;
  app: Pick<FastifyInstance, 'notWritten' | 'restEntry' | 'log' | 'core' | 'hasRoute'>;
}

/** Prints the addresses and the demo login; one line of the log where the process prints only JSON. */
export function printAddresses({ title, config, database, address, demo, app }: Announcement): void {
  const { core, notWritten, restEntry } = app;
  const url =
    config.PUBLIC_URL?.replace(/(?<!\/)\/+$/, '') ?? address.replace(/\/\/(127\.0\.0\.1|\[::1\])(?=:)/, '//localhost');
  const migrated = database.migrated.length > 0 ? ` (migrated: ${database.migrated.join(', ')})` : '';
  const facts = {
    Database: database.label + migrated,
    REST: restEntry.prefixes.map((prefix) => url + prefix).join('  '),
    ...(app.hasRoute({ method: 'POST', url: '/graphql' }) && { GraphQL: `${url}/graphql` }),
    ...(core.seams.pages.sendFailure && { Docs: `${url}/docs` }),
    Contracts: `${url}/openapi.yaml  ${url}/schema.graphql`,
  };
  if (printsJson(process.env)) return void app.log.info({ ...facts, notWritten }, `${title} is ready.`);
  const lines = ['', `  ${title} is ready.`, ''];
  for (const [name, fact] of Object.entries(facts)) lines.push(`  ${name.padEnd(10)} ${fact}`);
  if (demo) {
    lines.push('', `  Demo login ${demo.email} / ${demo.password}`);
    if (restEntry.sample) lines.push(`  Try it     curl -u '${demo.email}:${demo.password}' ${url}${restEntry.sample}`);
  }
  if (notWritten.length > 0) lines.push('', `  Not written yet (501): ${notWritten.join(', ')}`);
  console.log(`${lines.join('\n')}\n`);
}

/** Checks that the port is free before the database is opened or migrated. A server would accept connections, and reset them. */
async function checkPort(config: Config, name: 'PORT' | 'HEALTH_PORT'): Promise<void> {
  const { [name]: port } = config;
  if (port === undefined) return;
  const socket = connect(port, listenHost(config));
  await once(socket, 'connect', { signal: AbortSignal.timeout(500) }).catch(() => {});
  // The system may take the free port for the socket itself, and connect it to itself.
  const isTaken = socket.remotePort !== undefined && socket.localPort !== port;
  socket.destroy();
  if (isTaken) throw notListening({ code: 'EADDRINUSE' }, config, name);
}

/** Returns the message for the operator; undefined for a bug, whose stack is printed. */
function operatorMessage(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof DatabaseNotOpened) return error.message;
  // A table or column is missing.
  if (error instanceof Error && 'code' in error && /^(P202[12]|42P01|42703)$/.test(String(error.code))) {
    const missing = error.message.trim().split('\n').at(-1);
    return `The database schema does not match this version; a newer version may have migrated it. Install that version, or restore a backup of before: ${missing}`;
  }
  if (faultOf(error).kind !== 'unknown') return `The database failed during the start: ${reasonOf(error)}`;
  const isSystemError =
    error instanceof Error && error.constructor === Error && (!('code' in error) || 'syscall' in error);
  return isSystemError ? error.message : undefined;
}

function end(message: unknown): never {
  console.error(message);
  process.exit(1);
}

/** Runs an application until it is asked to stop. Prints the reason if it cannot start. */
export async function run(program: Program): Promise<void> {
  if (printsJson(process.env)) printJsonLines();
  process.on('uncaughtException', end);
  await start(program).catch((error: unknown) => {
    const message = operatorMessage(error);
    end(message === undefined ? error : `${program.name} cannot start.\n${message}`);
  });
  process.off('uncaughtException', end);
}

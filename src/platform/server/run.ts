import type { TProperties } from '@sinclair/typebox';
import type { Application } from '../application.js';
import { DatabaseNotOpened, faultOf, reasonOf } from '../database/faults.js';
import { openDatabase } from '../database/open.js';
import { patiently, telling } from '../database/patience.js';
import { namesOf } from '../names.js';
import { ConfigError, readConfig } from './config.js';
import { tryPort } from './port.js';

/** The parts of a program, each loaded when it is needed: a start waits for no module that it could load meanwhile. */
interface Program {
  /** Of the application, which is needed before the application is loaded. */
  readonly name: string;
  /** The variables of the environment that only this application has: name, type, default and what each is for. */
  readonly variables?: TProperties;
  readonly application: () => Promise<Application>;
}

async function start({ name, variables, application: load }: Program): Promise<void> {
  namesOf(name);
  const config = readConfig(process.env, variables);
  await tryPort(config);
  // PostgreSQL is compiled on another core while the modules of the service are loaded.
  const [database, application, { serve }] = await Promise.all([
    telling('Still opening the database.', () => patiently(() => openDatabase(config.DATABASE_URL, { name }))),
    load(),
    import('./serve.js'),
  ]);
  if (application.name !== name) {
    await database.close();
    throw new Error(`The program is called "${name}", and its application "${application.name}".`);
  }
  await serve(application, config, database).catch(async (error: unknown) => {
    await database.close();
    throw error;
  });
}

/** What was thrown on purpose, by the database or by the system, is a sentence for the operator; a bug of ours shows its stack. */
function sentenceOf(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof DatabaseNotOpened) return error.message;
  // Of Prisma, and of PostgreSQL: a table, or a column, that is not there.
  if (error instanceof Error && 'code' in error && /^(P202[12]|42P01|42703)$/.test(String(error.code))) {
    const missing = error.message.trim().split('\n').at(-1);
    return `This version does not fit the database, which a newer one may have migrated, or somebody changed: ${missing}`;
  }
  if (faultOf(error).kind !== 'unknown') return `The database failed meanwhile: ${reasonOf(error)}`;
  const isOfSystem =
    error instanceof Error && error.constructor === Error && (!('code' in error) || 'syscall' in error);
  return isOfSystem ? error.message : undefined;
}

/** Runs an application as this process, until it is asked to stop. What keeps it from starting is told, and ends the process. */
export async function run(program: Program): Promise<void> {
  await start(program).catch((error: unknown) => {
    const sentence = sentenceOf(error);
    console.error(sentence === undefined ? error : `${program.name} cannot start.\n${sentence}`);
    process.exit(1);
  });
}

/** Prisma's own client, for a project without `@accord-api/prepared-prisma`. @module */

import type { Adapt, DataModel, Types } from '@accord-api/prepared-prisma';
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { Pool, PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import { lazily } from '../core/calls/schedulers.js';
import { exactly } from './exact.js';

type RunQuery = (config: QueryArrayConfig & { types: Types }) => Promise<QueryArrayResult>;
/** Members of connections that Prisma listens on. The pool has its own listeners. */
const NO_LISTENERS = { on() {}, removeListener() {} };

/** A connection of a transaction. Prisma would report a COMMIT that rolls back as a success. */
function transactionConnection(connection: PoolClient, adapt: Adapt) {
  let failure: unknown;
  const query: RunQuery = async (config) => {
    const result = await connection.query<unknown[]>(config).catch((error: unknown) => {
      failure = error;
      throw error;
    });
    if (config.text === 'COMMIT' && result.command !== 'COMMIT') throw failure;
    return result;
  };
  return { query: adapt(query), release: () => connection.release(), ...NO_LISTENERS };
}

function exactPool(pool: Pool, adapt: Adapt): Pool {
  const query: RunQuery = (config) => pool.query<unknown[]>(config);
  const connect = async () => transactionConnection(await pool.connect(), adapt);
  return Object.assign(Object.create(pool), { query: adapt(query), connect, ...NO_LISTENERS });
}

/** Returns an object that passes each call of it, and of its models, to `run`. */
function passing<Target extends object>(
  target: Target,
  run: (call: () => Promise<unknown>) => Promise<unknown>,
): Target {
  const get = (_: Target, name: string | symbol): unknown => {
    const member: unknown = Reflect.get(target, name);
    if (typeof member === 'function')
      return (...given: unknown[]) => lazily(() => run(() => member.apply(target, given)));
    return typeof member === 'object' && member && /^[a-z]/.test(String(name)) ? passing(member, run) : member;
  };
  return new Proxy(target, { get });
}

type Transact = (work: unknown, options?: object) => Promise<unknown>;

/**
 * Returns a client whose transactions send calls one after the other, and end after the last. The platform sends some
 * statements without awaiting them, as a pipelined connection allows.
 * @param make `(adapter) => new PrismaClient({ adapter })` @param pool which the caller closes
 */
export function plainClient<Client extends object>(
  make: (adapter: SqlDriverAdapterFactory) => Client,
  pool: Pool,
  dataModel: DataModel,
): Client {
  const client = make(new PrismaPg(exactPool(pool, exactly(dataModel)))) as Client & { $transaction: Transact };
  const transact: Transact = (work, options) => {
    if (typeof work !== 'function') return client.$transaction(work, options);
    return client.$transaction(async (tx: object) => {
      let last: Promise<unknown> = Promise.resolve();
      const inOrder = (call: () => Promise<unknown>) => {
        const running = last.then(call);
        last = running.catch(() => {});
        return running;
      };
      const value = await work(passing(tx, inOrder));
      await last;
      return value;
    }, options);
  };
  return new Proxy(client, {
    get: (_, name) => (name === '$transaction' ? transact : Reflect.get(client, name)),
  });
}

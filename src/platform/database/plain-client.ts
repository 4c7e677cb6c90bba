/** Prisma's own client, for a project without `@accord-api/prepared-prisma`. @module */

import type { Adapt, Types } from '@accord-api/prepared-prisma';
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { Pool, PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import { isBroken } from './backend.js';
import { LazyCall } from './lazy-call.js';

type RunQuery = (config: QueryArrayConfig & { types: Types }) => Promise<QueryArrayResult>;

/** A connection of a transaction. Prisma would return a broken one to the pool, and report a COMMIT that rolls back as a success. */
function transactionConnection(connection: PoolClient, adapt: Adapt) {
  let broken = false;
  let failure: unknown;
  const query: RunQuery = async (config) => {
    const result = await connection.query<unknown[]>(config).catch((error: unknown) => {
      broken ||= isBroken(error);
      failure = error;
      throw error;
    });
    if (config.text === 'COMMIT' && result.command !== 'COMMIT') throw failure;
    return result;
  };
  return { query: adapt(query), on() {}, removeListener() {}, release: () => connection.release(broken) };
}

const poolOf = (pool: Pool, adapt: Adapt): Pool =>
  Object.assign(
    Object.create(pool) as Pool,
    {
      query: adapt<Parameters<RunQuery>[0], ReturnType<RunQuery>>((config) => pool.query<unknown[]>(config)),
      connect: async () => transactionConnection(await pool.connect(), adapt),
      on() {},
      removeListener() {},
    } as object,
  );

type Calls = Record<PropertyKey, (...given: unknown[]) => Promise<unknown>>;
/** Runs a call of a transaction. */
type Run = (call: () => Promise<unknown>) => Promise<unknown>;

/** Returns an object whose functions are called by `run`, and so are those of its members with a small letter: the models. */
const calling = <Target extends object>(target: Target, run: Run): Target =>
  new Proxy(target, {
    get(_, name) {
      const member = (target as Record<PropertyKey, unknown>)[name];
      if (typeof member === 'function')
        return (...given: unknown[]) =>
          new LazyCall(() => run(() => (target as Calls)[name]?.(...given) as Promise<unknown>));
      return typeof member === 'object' && member !== null && /^[a-z]/.test(String(name))
        ? calling(member, run)
        : member;
    },
  });

interface Transacting {
  $transaction: (work: unknown, options?: object) => Promise<unknown>;
}

/**
 * Returns a client whose transactions send the calls in their order, one after the other, and commit after the last. The
 * platform sends statements without awaiting them, as a pipelined connection allows.
 * @param make `(adapter) => new PrismaClient({ adapter })` @param pool which the caller closes
 */
export function plainClient<Client extends object>(
  make: (adapter: SqlDriverAdapterFactory) => Client,
  pool: Pool,
  adapt: Adapt,
): Client {
  const client = make(new PrismaPg(poolOf(pool, adapt)));
  const { $transaction } = client as Transacting;
  const transact = (work: unknown, options?: object): Promise<unknown> => {
    if (typeof work !== 'function') return $transaction.call(client, work, options);
    const inOrder = async (tx: object): Promise<unknown> => {
      let last: Promise<unknown> = Promise.resolve();
      const run: Run = (call) => {
        const running = last.then(call);
        last = running.catch(() => {});
        return running;
      };
      const value = await work(calling(tx, run));
      for (let awaited: unknown; awaited !== last; ) {
        awaited = last;
        await last;
      }
      return value;
    };
    return $transaction.call(client, inOrder, options);
  };
  return new Proxy(client, { get: (_, name) => (name === '$transaction' ? transact : Reflect.get(client, name)) });
}

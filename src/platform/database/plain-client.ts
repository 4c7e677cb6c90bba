/** Prisma's own client, for a project without `@accord-api/prepared-prisma`. @module */

import type { Adapt, DataModel, Types } from '@accord-api/prepared-prisma';
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import type { Pool, PoolClient, QueryArrayConfig, QueryArrayResult } from 'pg';
import { lazyPromise } from '../core/calls/schedulers.js';
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

type Methods = Record<string, (...given: unknown[]) => Promise<unknown>>;
type AnyClient = Methods & Record<string, Methods>;
type RunOn = (tx: AnyClient) => unknown;

/** Returns an object with the members of `shape` that passes each call to `run`. @param model the model whose calls `shape` has */
function passing<Shape extends object>(shape: Shape, run: (call: RunOn) => Promise<unknown>, model?: string): Shape {
  const get = (_: Shape, name: string): unknown => {
    const member: unknown = Reflect.get(shape, name);
    const call = (tx: AnyClient, given: unknown[]) =>
      (model === undefined ? tx : (tx[model] as never))[name]?.(...given);
    if (typeof member === 'function') return (...given: unknown[]) => lazyPromise(() => run((tx) => call(tx, given)));
    return typeof member === 'object' && member && /^[a-z]/.test(String(name)) ? passing(member, run, name) : member;
  };
  return new Proxy(shape, { get: get as never });
}

type Transact = (work: unknown, options?: object) => Promise<unknown>;

/** Begins a transaction that sends its calls one after the other, and ends after the last. */
function manualTransaction<Client extends { $transaction: Transact }>(client: Client, options?: object) {
  let end: (error?: Error) => void = () => {};
  const ended = new Promise<void>((resolve, reject) => {
    end = (error) => (error ? reject(error) : resolve());
  });
  let last: Promise<unknown> = ended.catch(() => {});
  let done: Promise<unknown> = ended;
  const taken = new Promise<AnyClient>((resolve, reject) => {
    done = client.$transaction((tx: AnyClient) => {
      resolve(tx);
      return ended.then(() => last);
    }, options);
    done.catch(reject);
  });
  last = taken.catch(() => {});
  const inOrder = (call: RunOn) => {
    const running = last.then(() => taken).then(call);
    last = running.catch(() => {});
    return running;
  };
  const over = async (error?: Error) => {
    end(error);
    await done;
  };
  return { taken, tx: passing(client, inOrder), commit: () => over(), rollback: () => over(ROLLBACK).catch(() => {}) };
}

const ROLLBACK = new Error('The transaction is rolled back.');

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
  const transact: Transact = async (work, options) => {
    if (typeof work !== 'function') return client.$transaction(work, options);
    const { taken, tx, commit, rollback } = manualTransaction(client, options);
    await taken;
    let value: unknown;
    try {
      value = await work(tx);
    } catch (error) {
      await rollback();
      throw error;
    }
    await commit();
    return value;
  };
  const own: Record<string | symbol, unknown> = {
    $transaction: transact,
    $begin: (options?: object) => manualTransaction(client, options),
  };
  return new Proxy(client, {
    get: (_, name) => (Object.hasOwn(own, name) ? own[name] : Reflect.get(client, name)),
  });
}

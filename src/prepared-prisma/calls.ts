/** Runs each call of a client: by its plan, the SQL that a recording has kept, or by Prisma itself if the call has no plan. @module */

import { isDeepStrictEqual } from 'node:util';
import { Decimal, Sql, sqltag } from '@prisma/client/runtime/client';
import { type Answer, answerOf, type Connection } from './connection.js';
import type { DataModel } from './data-model.js';
import {
  type AnyClient,
  type DryRuns,
  delegateName,
  type PlanCache,
  recordPlan,
  type StatementNames,
  type StatementPlan,
  type UnsupportedPlan,
} from './recorder.js';
import { copyOf, type PrismaCall, type Shape, shapeOf, UnreadRow, Unsupported } from './shape.js';
import { type Result, type Statement, statementOf, TEXT_TYPES } from './statement.js';
import { decoderOf, type Slot, timestampOf } from './values.js';

/** The connection of a call, inside or outside of a transaction. */
export interface CallScope {
  connection: Connection;
  reads: Connection;
  isTransaction: boolean;
  /** Runs a call of Prisma's client on the same connection, before the transaction ends. */
  prisma: (run: (client: AnyClient) => unknown) => Promise<unknown>;
}

interface Parts {
  dataModel: DataModel;
  dryRuns: DryRuns;
  plans: PlanCache;
  names: StatementNames;
  counts: Statistics;
  /** The number of results of each plan that are compared with the results of Prisma. */
  verified: number;
}

export interface Calls {
  run: (call: PrismaCall, scope: CallScope) => Promise<unknown>;
  raw: (method: '$queryRaw' | '$executeRaw', query: RawQuery, values: unknown[], scope: CallScope) => Promise<unknown>;
  /** Lets Prisma run a call. */
  fallBack: (call: PrismaCall, scope: CallScope, reason: string) => Promise<unknown>;
}

type Answered = Exclude<Answer, { error: unknown }>;

/** A call that was sent. @param copy its arguments before that, if Prisma reads the answer too */
interface Executed {
  call: PrismaCall;
  plan: StatementPlan;
  shape: Shape;
  copy: { args: object | undefined } | undefined;
}

const READ_OPERATION = /^(find|count)/;
const LIST_OPERATIONS = new Set(['findMany', 'createManyAndReturn', 'updateManyAndReturn']);
const COUNT_OPERATIONS = new Set(['createMany', 'updateMany', 'deleteMany']);
const NULLABLE = new Set(['findUnique', 'findFirst']);

/** Returns true for "cached plan must not change result type", after a table was altered. */
const isOutdatedStatement = (error: unknown) => (error as { routine?: unknown }).routine === 'RevalidateCachedQuery';

export function callsOf({ dataModel, dryRuns, plans, names, counts, verified }: Parts): Calls {
  async function byPrisma({ model, operation, args }: PrismaCall, scope: CallScope): Promise<unknown> {
    return scope.prisma((client) => client[delegateName(model.name)]?.[operation]?.(args));
  }

  function fallBack(call: PrismaCall, scope: CallScope, reason: string): Promise<unknown> {
    countFallback(call, reason);
    return byPrisma(call, scope);
  }

  function countFallback({ model, operation }: PrismaCall, reason: string): void {
    const key = `${model.name}.${operation}: ${reason}`;
    counts.fallbacks.set(key, (counts.fallbacks.get(key) ?? 0) + 1);
  }

  /** Copies the arguments, because the caller may change them before the recording. */
  function recordingOf(call: PrismaCall, shape: Shape): () => Promise<StatementPlan | UnsupportedPlan> {
    const copied = { ...call, args: copyOf(dataModel, call) };
    return async () => {
      try {
        const { text, slots, reader } = await recordPlan(dataModel, dryRuns, copied, shape);
        counts.recorded++;
        return { statement: statementOf(names.nameOf(text), text), slots, reader, unverified: verified };
      } catch (error) {
        return { reason: error instanceof Unsupported ? error.message : 'the recording failed' };
      }
    };
  }

  function run(call: PrismaCall, scope: CallScope): Promise<unknown> {
    let shape: Shape;
    try {
      shape = shapeOf(dataModel, call);
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      return fallBack(call, scope, error.message);
    }
    const plan = plans.get(shape.key);
    if (plan === undefined) {
      counts.unrecorded++;
      plans.record(shape.key, () => recordingOf(call, shape));
      return byPrisma(call, scope);
    }
    if ('reason' in plan) return fallBack(call, scope, plan.reason);
    return execute(call, scope, plan, shape);
  }

  function execute(call: PrismaCall, scope: CallScope, plan: StatementPlan, shape: Shape): Promise<unknown> {
    const { statement, slots } = plan;
    const now = new Date();
    const values = new Array(slots.length);
    for (let i = 0; i < values.length; i++) values[i] = (slots[i] as Slot)(shape.values, now);
    const connection = READ_OPERATION.test(call.operation) ? scope.reads : scope.connection;
    const copy = plan.unverified > 0 ? { args: copyOf(dataModel, call) } : undefined;
    counts.prepared++;
    return answerOf(connection, statement(values)).then(
      (result) => read({ call, plan, shape, copy }, { result, connection }),
      (error: unknown) => {
        if (!isOutdatedStatement(error)) return replay(call, { error });
        clearStatements();
        return scope.isTransaction ? replay(call, { error }) : byPrisma(call, scope);
      },
    );
  }

  function read({ call, plan, shape, copy }: Executed, answer: Answered): unknown {
    const { operation } = call;
    const { rows, rowCount } = answer.result;
    if (COUNT_OPERATIONS.has(operation)) return { count: rowCount };
    if (rows.length === 0 && !LIST_OPERATIONS.has(operation))
      return NULLABLE.has(operation) ? null : replay(call, answer);
    if (copy !== undefined && rows.length > 0) return readVerified({ call, plan, shape, copy }, answer);
    try {
      return readAnswer(plan, operation, answer.result);
    } catch (error) {
      refuse(call, shape, error);
      return replay(call, answer);
    }
  }

  /** Lets Prisma read the answer, and compares. */
  async function readVerified({ call, plan, shape, copy }: Executed, answer: Answered): Promise<unknown> {
    const { value, error, sent } = await dryRuns.run(call, copy?.args, answer);
    try {
      const isEqual = isDeepStrictEqual(readAnswer(plan, call.operation, answer.result), value);
      if (!isEqual || sent.length !== 1 || error !== undefined) throw new Unsupported('answers differ');
      plan.unverified--;
    } catch (difference) {
      refuse(call, shape, difference);
    }
    if (error !== undefined) throw error;
    return value;
  }

  const readAnswer = ({ reader }: StatementPlan, operation: string, result: Result): unknown =>
    LIST_OPERATIONS.has(operation) ? reader.rows(result) : reader.row(result, result.rows[0] as unknown[]);

  /** Leaves a shape to Prisma, unless only this row is. */
  function refuse(call: PrismaCall, shape: Shape, error: unknown): void {
    if (error instanceof UnreadRow) return;
    const reason = error instanceof Unsupported ? error.message : 'a row cannot be read';
    countFallback(call, reason);
    plans.markUnsupported(shape.key, reason);
  }

  /** The server rejects statements that were prepared before a table was altered. */
  function clearStatements(): void {
    plans.clear();
    names.renew();
  }

  /** Lets Prisma read the answer, so that it throws its own errors and continues with further statements. */
  async function replay(call: PrismaCall, answer: Answer): Promise<unknown> {
    counts.replayed++;
    const { value, error } = await dryRuns.run(call, copyOf(dataModel, call), answer);
    if (error !== undefined) throw error;
    return value;
  }

  function raw(
    method: '$queryRaw' | '$executeRaw',
    query: RawQuery,
    given: unknown[],
    scope: CallScope,
  ): Promise<unknown> {
    if (!(query instanceof Sql || Array.isArray(query?.raw))) return scope.prisma((client) => client[method](query));
    const sql = query instanceof Sql ? query : sqltag(query, ...(given as never[]));
    const { connection } = scope;
    counts.prepared++;
    let statement: Statement;
    try {
      statement = rawStatement(names.repeated(sql.text), sql);
    } catch (error) {
      return replayRaw(method, sql, { error });
    }
    return answerOf(connection, statement).then(
      (result) => {
        if (method === '$executeRaw') return result.rowCount ?? 0;
        try {
          return rowsOf(result);
        } catch {
          return replayRaw(method, sql, { result, connection });
        }
      },
      (error: unknown) => {
        if (!isOutdatedStatement(error)) return replayRaw(method, sql, { error });
        clearStatements();
        return scope.isTransaction ? replayRaw(method, sql, { error }) : raw(method, sql, [], scope);
      },
    );
  }

  async function replayRaw(method: '$queryRaw' | '$executeRaw', sql: Sql, answer: Answer): Promise<unknown> {
    counts.replayed++;
    const { value, error } = await dryRuns.raw(method, sql, answer);
    if (error !== undefined) throw error;
    return value;
  }

  return { run, fallBack, raw };
}

export type RawQuery = TemplateStringsArray | Sql;

/** Converts a value as @prisma/adapter-pg does. */
function encode(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(encode);
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return timestampOf(value);
  if (Decimal.isDecimal(value)) return (value as Decimal).toJSON();
  if (ArrayBuffer.isView(value)) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return JSON.stringify(value);
}

/** @throws UnreadRow */
function rowsOf({ fields, rows }: Result): object[] {
  const columns = fields.map(({ name, dataTypeID }) => ({ name, decode: decoderOf(dataTypeID) }));
  return rows.map((row) => {
    const object: Record<string, unknown> = {};
    for (const [i, { name, decode }] of columns.entries()) object[name] = row[i] === null ? null : decode(row[i]);
    return object;
  });
}

const rawStatement = (named: ReturnType<StatementNames['repeated']>, { text, values }: Sql): Statement => ({
  name: named.name,
  columns: named.columns,
  text,
  values: values.map(encode),
  rowMode: 'array',
  types: TEXT_TYPES,
});

/** Counters of a prepared client, for tests and development. */
export interface Statistics {
  /** Calls that were sent as prepared statements, including raw queries. */
  prepared: number;
  /** Calls that Prisma ran before their plan was recorded. */
  unrecorded: number;
  /** Results that Prisma decoded. */
  replayed: number;
  recorded: number;
  /** Calls that only Prisma can run, by name and reason: `User.findMany: distinct`. */
  fallbacks: Map<string, number>;
}

export const statistics = Symbol('statistics of a prepared client');
export const settled = Symbol('recordings of a prepared client');

/** @throws TypeError for another client */
export function statisticsOf(client: object): Statistics {
  const found = (client as { [statistics]?: Statistics })[statistics];
  if (found === undefined) throw new TypeError('This is not a prepared client.');
  return found;
}

/** Waits until all requested plans are recorded. */
export const recordingsOf = (client: object): Promise<void> =>
  (client as { [settled]?: () => Promise<void> })[settled]?.() ?? Promise.resolve();

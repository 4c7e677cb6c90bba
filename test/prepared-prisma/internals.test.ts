import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import * as runtime from '@prisma/client/runtime/client';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import pg from 'pg';
import t from 'tap';
import { dryAdapter } from '../../src/prepared-prisma/connection.js';
import { dryRuns } from '../../src/prepared-prisma/recorder.js';
import { type Db, dataModel, make } from './fixture.js';

const require = createRequire(import.meta.url);
const versionOf = (name: string): string => require(`${name}/package.json`).version;

/** What the package imports, and the function that makes a client. */
interface Parts {
  /** @prisma/adapter-pg */
  adapter: Db;
  runtime: Db;
  pg: Db;
  make: (adapter: SqlDriverAdapterFactory) => Db;
}
const PARTS: Parts = { adapter: { PrismaPg }, runtime, pg, make };

const user = dataModel.models['User'] as NonNullable<(typeof dataModel.models)[string]>;
const DATA = { name: 'n', email: 'e', emailKey: 'k' };
const CONNECTION = { query: async () => ({ rows: [], fields: [] }), on() {}, removeListener() {}, release() {} };
const SELECT = { sql: 'SELECT $1', args: ['x'], argTypes: [{ scalarType: 'string', arity: 'scalar' }] };

/** Returns the first statement that the adapter sends to its pool, for a query and for a transaction. */
async function firstSent({ adapter }: Parts, start: (adapter: Db) => unknown): Promise<Db> {
  const opened = await new adapter.PrismaPg({}).connect();
  const sent = await new Promise<Db>((resolve) => {
    const query = async (config: Db) => {
      resolve(config);
      return { rows: [], fields: [] };
    };
    Object.assign(opened.underlyingDriver(), { query, connect: async () => ({ ...CONNECTION, query }) });
    const ended = () => resolve({});
    Promise.resolve(start(opened)).then(ended, ended);
  });
  await opened.dispose();
  return sent;
}

/** Returns the texts that Prisma sends for a call of the model User. */
async function textsOf({ make }: Parts, operation: string, args: object): Promise<string[]> {
  const dry = dryRuns(make, (query) => query);
  const { sent } = await dry.run({ model: user, operation, args: undefined }, args);
  await dry.close();
  return sent.map(({ text }) => text);
}

/** Changes the adapters of a client. */
const adapted = (change: (adapter: Db) => object): Partial<Parts> => ({
  make: (factory) =>
    make({
      ...factory,
      connect: async () => {
        const adapter: Db = await factory.connect();
        return Object.assign(adapter, change(adapter));
      },
    }),
});

/** Changes the clients. */
const extended = (change: (client: Db) => object): Partial<Parts> => ({
  make: (factory) => {
    const client = make(factory);
    return Object.assign(Object.create(client), change(client));
  },
});

/** Changes the adapters of @prisma/adapter-pg. */
const connected = (change: (adapter: Db) => object): Partial<Parts> => ({
  adapter: {
    PrismaPg: class extends PrismaPg {
      override async connect(): Promise<Db> {
        const adapter: Db = await super.connect();
        return Object.assign(adapter, change(adapter));
      }
    },
  },
});

/** Each undocumented part of Prisma and `pg` that the package relies on, its check, and a release without it. */
const INTERNALS: [sentence: string, holds: (parts: Parts) => unknown, without: Partial<Parts>][] = [
  [
    '@prisma/adapter-pg sends statements to the pool that `underlyingDriver` returns, by its `query`.',
    async (parts) => (await firstSent(parts, (adapter) => adapter.queryRaw(SELECT))).text === SELECT.sql,
    connected(() => ({ underlyingDriver: () => ({}) })),
  ],
  [
    '@prisma/adapter-pg asks for rows as arrays, and names a parser for each type.',
    async (parts) => {
      const { rowMode, types, values } = await firstSent(parts, (adapter) => adapter.queryRaw(SELECT));
      return rowMode === 'array' && typeof types.getTypeParser(1184, 'text') === 'function' && values[0] === 'x';
    },
    connected((adapter) => ({ queryRaw: ({ sql: text }: Db) => adapter.underlyingDriver().query({ text }) })),
  ],
  [
    '@prisma/adapter-pg begins a transaction by BEGIN.',
    async (parts) => (await firstSent(parts, (adapter) => adapter.startTransaction())).text === 'BEGIN',
    connected((adapter) => ({
      startTransaction: async () => (await adapter.underlyingDriver().connect()).query({ text: 'START TRANSACTION' }),
    })),
  ],
  [
    '@prisma/adapter-pg takes the connection of a transaction before `startTransaction` returns its promise.',
    async ({ adapter: { PrismaPg } }) => {
      const adapter = await new PrismaPg({}).connect();
      let isTaken = false;
      const connect = async () => {
        isTaken = true;
        return CONNECTION;
      };
      Object.assign(adapter.underlyingDriver(), { connect });
      const started = adapter.startTransaction();
      const wasTaken = isTaken;
      await started;
      await adapter.dispose();
      return wasTaken;
    },
    connected(({ startTransaction }) => ({
      async startTransaction(this: Db) {
        await null;
        return startTransaction.call(this);
      },
    })),
  ],
  [
    'A Prisma client connects its adapter with the first call.',
    async ({ make }) => {
      const { factory } = dryAdapter((query) => query);
      let connections = 0;
      const connect = () => {
        connections++;
        return factory.connect();
      };
      const client = make({ ...factory, connect });
      const before = connections;
      await client.user.findFirst();
      await client.$disconnect();
      return before === 0 && connections === 1;
    },
    {
      make(factory) {
        void factory.connect();
        return make(factory);
      },
    },
  ],
  [
    'A Prisma client passes an isolation level to `startTransaction` only if `$transaction` has one.',
    async ({ make }) => {
      const levels: unknown[] = [];
      const { factory } = dryAdapter((query) => query);
      const connect = async () => {
        const adapter = await factory.connect();
        const start = adapter.startTransaction.bind(adapter);
        const startTransaction = (level: never) => {
          levels.push(level);
          return start(level);
        };
        return Object.assign(adapter, { startTransaction });
      };
      const client = make({ ...factory, connect });
      await client.user.create({ data: { ...DATA, boss: { connect: { id: 1 } } } }).catch(() => {});
      await client.$transaction(async () => {}, { isolationLevel: 'ReadCommitted' });
      await client.$disconnect();
      return levels.length === 2 && levels[0] === undefined && /READ COMMITTED|ReadCommitted/.test(String(levels[1]));
    },
    extended((client) => ({ $transaction: (work: unknown) => client.$transaction(work) })),
  ],
  [
    'A Prisma client sends a read as one SELECT with its values as parameters.',
    async (parts) => {
      const [text = '', ...others] = await textsOf(parts, 'findFirst', { where: { id: 7 } });
      return /^SELECT .*\$1/.test(text) && others.length === 0;
    },
    adapted((adapter) => ({ queryRaw: (query: Db) => adapter.executeRaw({ ...query, sql: `/* */ ${query.sql}` }) })),
  ],
  [
    'A Prisma client reads a relation in the same statement, by JSONB_BUILD_OBJECT.',
    async (parts) => {
      const texts = await textsOf(parts, 'findMany', { include: { posts: true } });
      return texts.length === 1 && texts[0]?.includes('JSONB_BUILD_OBJECT');
    },
    extended(({ user }) => ({
      user: { ...user, findMany: (args: object) => user.findMany({ ...args, relationLoadStrategy: 'query' }) },
    })),
  ],
  [
    'A Prisma client writes a row as one INSERT, UPDATE or DELETE with RETURNING.',
    async (parts) => {
      const where = { id: 7 };
      const inserted = await textsOf(parts, 'create', { data: DATA });
      const updated = await textsOf(parts, 'update', { where, data: DATA });
      const deleted = await textsOf(parts, 'delete', { where });
      const forms = [/^INSERT .* RETURNING/, /^UPDATE .* RETURNING/, /^DELETE .* RETURNING/];
      const found = [inserted, updated, deleted];
      return found.every((texts, i) => texts.length === 1 && forms[i]?.test(texts[0] ?? ''));
    },
    extended(({ user }) => ({
      user: { ...user, create: (args: object) => user.create({ ...args, include: { posts: true } }) },
    })),
  ],
  [
    'A Prisma client sends BEGIN before the first of several statements.',
    async (parts) => {
      const write = { where: { id: 7 }, data: DATA, include: { posts: true } };
      return /^BEGIN/.test((await textsOf(parts, 'update', write))[0] ?? '');
    },
    adapted((adapter) => ({ startTransaction: async () => Object.assign(adapter, { commit() {}, rollback() {} }) })),
  ],
  [
    'A Prisma client throws a DriverAdapterError with the kind of fault if COMMIT fails.',
    async ({ make }) => {
      const dry = dryRuns(make, (query) => query);
      const failure = Object.assign(new Error('x'), { code: '40001', severity: 'ERROR' });
      const error: Db = await dry.transactionError(failure, 'COMMIT');
      await dry.close();
      return error.name === 'DriverAdapterError' && error.cause.kind === 'TransactionWriteConflict';
    },
    extended(() => ({ $transaction: async () => {} })),
  ],
  [
    'A Prisma client has its version in `_clientVersion`.',
    ({ make }) => make(dryAdapter((query) => query).factory)._clientVersion === versionOf('@prisma/client'),
    extended(() => ({ _clientVersion: undefined })),
  ],
  [
    '@prisma/client/runtime/client exports Decimal, Sql, sqltag, skip and PrismaClientKnownRequestError.',
    ({ runtime: { Decimal, Sql, sqltag, skip, PrismaClientKnownRequestError } }) => {
      const sql = sqltag`SELECT ${1}`;
      const error = new PrismaClientKnownRequestError('x', { code: 'P2028', clientVersion: '7' });
      return (
        Decimal.isDecimal(new Decimal('1')) && sql instanceof Sql && sql.text === 'SELECT $1' && skip && error.code
      );
    },
    { runtime: { ...runtime, sqltag: undefined } },
  ],
  [
    'pg: a client has the option `pipeline`, and its socket at `connection.stream`.',
    ({ pg }) => {
      const { pipeline, connection } = new pg.Client({ pipeline: true });
      const { cork, uncork, destroy, writableCorked } = connection.stream;
      return pipeline && cork && uncork && destroy && writableCorked === 0;
    },
    { pg: { ...pg, Client: class {} } },
  ],
  [
    'pg: a query reads inherited members of its configuration.',
    ({ pg }) => {
      const inherited = { name: 'n', text: 'SELECT 1', rowMode: 'array', types: {} };
      const query = new pg.Query(Object.assign(Object.create(inherited), { values: [1] }));
      return query.name === 'n' && query.text === 'SELECT 1' && query._rowMode === 'array' && query.values[0] === 1;
    },
    {
      pg: {
        ...pg,
        Query: class extends pg.Query {
          constructor(config: pg.QueryConfig) {
            super({ ...config });
          }
        },
      },
    },
  ],
  [
    'pg: the prototype of a query has `prepare`, `hasBeenParsed` and `submit`, and a pipelined client takes its heirs only.',
    ({ pg }) => {
      const { prepare, hasBeenParsed, submit } = pg.Query.prototype;
      const isKnown = hasBeenParsed.call({ name: 'n' }, { parsedStatements: { n: 'x' }, submittedNamedStatements: {} });
      return prepare && submit && isKnown === true && /instanceof Query/.test(String(pg.Client.prototype.query));
    },
    { pg: { ...pg, Query: class {} } },
  ],
  [
    'pg: a query binds with `bind`, which takes a mapper of values, on a connection with a `stream`.',
    ({ pg }) => {
      const { connection } = new pg.Client();
      const sent: Uint8Array[] = [];
      Object.assign(connection.stream, { writable: true, write: (bytes: Uint8Array) => sent.push(bytes) });
      connection.bind({ portal: '', statement: 'n', values: [7], valueMapper: String });
      return Buffer.concat(sent).includes('\x01' + '7');
    },
    { pg: { ...pg, Client: class {} } },
  ],
  [
    'pg: `types` has a parser of text[], which keeps NULL.',
    ({ pg }) => JSON.stringify(pg.types.getTypeParser(1009)('{a,NULL,"b,\\"c"}')) === '["a",null,"b,\\"c"]',
    { pg: { ...pg, types: { getTypeParser: () => (text: string) => text } } },
  ],
];

/** Returns the sentences that do not hold. */
async function missing(parts: Parts): Promise<string[]> {
  const found: string[] = [];
  for (const [sentence, holds] of INTERNALS)
    if (
      !(await Promise.resolve(parts)
        .then(holds)
        .catch(() => false))
    )
      found.push(sentence);
  return found;
}

const versions = `Prisma ${versionOf('@prisma/client')} and pg ${versionOf('pg')}`;
t.test(`${versions} have all the internals on which the package rests`, async (t) => {
  t.strictSame(await missing(PARTS), []);
});

t.test('a release without an internal fails with its sentence', async (t) => {
  for (const [sentence, , without] of INTERNALS)
    t.ok((await missing({ ...PARTS, ...without })).includes(sentence), sentence);
});

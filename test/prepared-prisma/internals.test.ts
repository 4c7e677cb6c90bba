import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import t from 'tap';
import { type Adapt, dryAdapter, joiningAdapter } from '../../src/prepared-prisma/connection.js';
import { dryRuns } from '../../src/prepared-prisma/recorder.js';
import { type Db, dataModel, make } from './fixture.js';

const require = createRequire(import.meta.url);
const versionOf = (name: string): string => require(`${name}/package.json`).version;

const user = dataModel.models['User'] as NonNullable<(typeof dataModel.models)[string]>;
const call = (operation: string, args: object) => ({ model: user, operation, args });
const asSent: Adapt = (query) => query;
const NOBODY = { connect: () => Promise.reject(new Error('No connection is expected.')) };

/** The parts of Prisma and `pg` that are not documented, and that this module relies on. */
t.test(`with Prisma ${versionOf('@prisma/client')} and pg ${versionOf('pg')}`, async (t) => {
  t.test('the adapter uses the pool that underlyingDriver returns', async (t) => {
    const adapter = await new PrismaPg({}).connect();
    const driver = adapter.underlyingDriver();
    t.type(driver.query, 'function');
    t.type(driver.connect, 'function');
    const configs: Db[] = [];
    Object.assign(driver, {
      query: async (config: Db) => {
        configs.push(config);
        return { fields: [], rows: [], rowCount: 0 };
      },
    });
    await adapter.queryRaw({
      sql: 'SELECT $1',
      args: ['x'],
      argTypes: [{ scalarType: 'string', arity: 'scalar' }],
    } as never);
    t.match(configs, [{ text: 'SELECT $1', values: ['x'], rowMode: 'array', types: { getTypeParser: Function } }]);
    await adapter.dispose();
  });

  t.test('startTransaction takes its connection before it returns', async (t) => {
    const adapter = await new PrismaPg({}).connect();
    let taken = 0;
    const connection = { query: async () => ({ rows: [], fields: [] }), on() {}, removeListener() {}, release() {} };
    const connect = async () => {
      taken++;
      return connection;
    };
    Object.assign(adapter.underlyingDriver(), { connect });
    const started = adapter.startTransaction();
    t.equal(taken, 1);
    await started;
    await adapter.dispose();
  });

  t.test('only an explicit transaction has an isolation level', async (t) => {
    const levels: unknown[] = [];
    const { factory } = dryAdapter(asSent);
    const connect = async () => {
      const adapter = await factory.connect();
      const start = adapter.startTransaction.bind(adapter);
      return Object.assign(adapter, {
        startTransaction: (level: never) => {
          levels.push(level);
          return start(level);
        },
      });
    };
    const client: Db = make({ ...factory, connect } as never);
    await client.user
      .create({ data: { name: '', email: '', emailKey: '', boss: { connect: { id: 1 } } } })
      .catch(() => {});
    await client.$transaction(async () => {}, { isolationLevel: 'ReadCommitted' });
    t.match(levels, [undefined, /READ COMMITTED|ReadCommitted/]);
    await client.$disconnect();
  });

  t.test('statements have the recorded forms', async (t) => {
    const dry = dryRuns(make as never, asSent);
    const sent = async (operation: string, args: object) => (await dry.run(call(operation, args), args)).sent;
    const data = { name: 'n', email: 'e', emailKey: 'k' };
    t.match(await sent('findFirst', { where: { id: 7 } }), [{ text: /^SELECT .*\$1/, values: [7, '1'] }]);
    t.match(await sent('findMany', { include: { posts: true } }), [{ text: /^SELECT .*JSONB_BUILD_OBJECT/ }]);
    t.match(await sent('create', { data }), [{ text: /^INSERT .* RETURNING/ }]);
    t.match(await sent('update', { where: { id: 7 }, data }), [{ text: /^UPDATE .* RETURNING/ }]);
    t.match(await sent('delete', { where: { id: 7 } }), [{ text: /^DELETE .* RETURNING/ }]);
    t.match(await sent('update', { where: { id: 7 }, data, include: { posts: true } }), [{ text: /^BEGIN/ }]);
    const error = await dry.transactionError(
      Object.assign(new Error('x'), { code: '40001', severity: 'ERROR' }),
      'COMMIT',
    );
    t.match(error, { name: 'DriverAdapterError', cause: { kind: 'TransactionWriteConflict' } });
    await dry.close();
  });

  t.test('a client connects with its first call, and has a version', async (t) => {
    const client: Db = make(joiningAdapter(NOBODY, () => '', asSent).factory);
    t.equal(client._clientVersion, versionOf('@prisma/client'));
    await client.$disconnect();
  });

  t.test('pg exposes the pipeline option and the socket of a connection', async (t) => {
    const client = new pg.Client({ pipeline: true } as pg.ClientConfig) as unknown as Db;
    t.equal(client.pipeline, true);
    t.type(client.connection.stream.cork, 'function');
  });
});

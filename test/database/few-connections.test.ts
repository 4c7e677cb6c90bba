import { randomUUID } from 'node:crypto';
import t from 'tap';
import { openDatabase } from '../../src/platform/database/open.js';
import { administer } from '../support/databases.js';
import { eventually } from '../support/process.js';
import { POSTGRESQL, skipWithoutPostgresql } from '../support/servers.js';
import { startService } from '../support/service.js';

/** The pool, one of two connections for shared reads, and one for signals. */
const FEW = 4;
const AT_ONCE = 20;

t.test(
  'an instance goes on with the connections that PostgreSQL gives it',
  { skip: skipWithoutPostgresql },
  async (t) => {
    const name = `accord_few_${randomUUID().replaceAll('-', '')}`;
    await administer(`CREATE ROLE ${name} LOGIN CONNECTION LIMIT ${FEW}`);
    await administer(`CREATE DATABASE ${name} OWNER ${name}`);
    t.teardown(async () => {
      await administer(`DROP DATABASE ${name} WITH (FORCE)`);
      await administer(`DROP ROLE ${name}`);
    });
    const url = Object.assign(new URL(POSTGRESQL), { pathname: `/${name}`, username: name }).href;
    const warned = t.capture(console, 'warn');
    const database = await openDatabase(url);
    const { rest, admin } = await startService(t, Object.assign(database, { url }));
    let created = 0;
    const create = async () => {
      created += 1;
      const body = { name: 'New', email: `new${created}@example.com`, role: 'viewer' };
      return (await rest('POST', '/api/v1/users', { as: admin, body })).status;
    };
    const read = async () => (await rest('GET', `/api/v1/users/${admin.id}`, { as: admin })).status;
    const storm = () => Promise.all(Array.from({ length: AT_ONCE }, (_, n) => (n % 2 === 0 ? create() : read())));
    const expected = Array.from({ length: AT_ONCE }, (_, n) => (n % 2 === 0 ? 201 : 200));

    for (let n = 0; n < 3; n++) t.same(await storm(), expected, 'no request fails');
    const lines = warned().map(({ args }) => String(args[0]));
    t.equal(lines.length, 1, lines.join('\n'));
    t.match(lines[0], /^PostgreSQL refuses connections\. The pool keeps using its \d of 10: too many connections/);
    const sizeOf = () => {
      const { busy = 0, idle = 0 } = database.connections() ?? {};
      return busy + idle;
    };
    t.ok(sizeOf() <= FEW, 'the pool');

    await eventually('a pool without connections', () => sizeOf() === 0);
    t.same(await storm(), expected, 'no request fails while the first connections are opened');

    await administer(`ALTER ROLE ${name} CONNECTION LIMIT -1`);
    await eventually('a larger pool', async () => {
      await storm();
      return sizeOf() > FEW;
    });
  },
);

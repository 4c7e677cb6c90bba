import pg from 'pg';
import { serveUsers } from './bare.js';
import { statements, type User } from './users.js';

/** node:http with named statements of pg. PIPELINE=on uses two shared connections with pipelining. */
const connectionString = process.env['DATABASE_URL'];

interface Runner {
  query<Row>(statement: { name: string; text: string }, values?: unknown[]): Promise<{ rows: Row[] }>;
}

async function pipelined(): Promise<Runner> {
  const clients = [1, 2].map(() => new pg.Client({ connectionString, pipeline: true } as pg.ClientConfig));
  await Promise.all(clients.map((client) => client.connect()));
  let turn = 0;
  return { query: (statement, values) => (clients[turn++ % 2] as Runner).query(statement, values) };
}

const db: Runner = process.env['PIPELINE'] === 'on' ? await pipelined() : new pg.Pool({ connectionString });

serveUsers({
  get: async (id) => (await db.query<User>(statements.get, [id])).rows[0],
  after: async (id, limit) => (await db.query<User>(statements.after, [id, limit])).rows,
  async page(limit, offset) {
    const [{ rows: users }, { rows: counted }] = await Promise.all([
      db.query<User>(statements.offset, [limit, offset]),
      db.query<{ count: number }>(statements.count),
    ]);
    return { users, count: counted[0]?.count as number };
  },
  create: async ({ name, email, role }) =>
    (await db.query<User>(statements.insert, [name, email, role])).rows[0] as User,
});

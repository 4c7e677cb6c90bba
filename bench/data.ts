import { randomUUID } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { startMeasured } from './server.js';

/** The data of all variants of a flow: the demo and further rows. */

const POSTGRESQL = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

/** Users with ten posts of three comments each, which is 41 objects with the user. */
export const AUTHORS = Array.from({ length: 100 }, (_, i) => 101 + i);
/** Users who can log in with the password of the demo. */
export const WRITERS = Array.from({ length: 50 }, (_, i) => 201 + i);
/** The users that reads request in turn. */
export const READ = Array.from({ length: 200 }, (_, i) => 301 + i);
const USERS = { postgresql: 100_000, embedded: 1000 };

const range = (ids: number[]) => `BETWEEN ${ids[0]} AND ${ids.at(-1)}`;

const seed = (users: number) => `
  INSERT INTO users (name, email, email_key, role, created_at)
  SELECT 'User ' || i, 'user' || i || '@example.com', 'user' || i || '@example.com', 'VIEWER', '2026-01-01'
  FROM generate_series(1, ${users}) i;
  INSERT INTO posts (author_id, title, created_at)
  SELECT u.id, 'What user ' || u.id || ' has to say, part ' || i, '2026-01-02'
  FROM users u, generate_series(1, 10) i WHERE u.id ${range(AUTHORS)} ORDER BY u.id, i;
  INSERT INTO comments (post_id, author_id, text, created_at)
  SELECT p.id, 1, 'Comment ' || i || ' on post ' || p.id, '2026-01-03'
  FROM posts p, generate_series(1, 3) i WHERE p.author_id ${range(AUTHORS)} ORDER BY p.id, i;
  UPDATE users SET role = 'DEVELOPER', password_hash = (SELECT password_hash FROM users WHERE id = 1)
  WHERE id ${range(WRITERS)};
`;

/** Runs statements on a database of the server, one after the other. */
export async function onPostgresql<Row>(url: string, ...statements: string[]): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect().catch((cause: unknown) => {
    throw new Error(`The bench needs PostgreSQL, and none answers at ${POSTGRESQL} (TEST_DATABASE_URL).`, { cause });
  });
  try {
    let rows: Row[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** Runs statements on the server's own database. */
export const administered = <Row>(...statements: string[]) => onPostgresql<Row>(POSTGRESQL, ...statements);

/** Creates a database with the data. `drop` removes it despite open connections. */
export async function postgresqlData(users = USERS.postgresql) {
  const name = `accord_bench_${randomUUID().replaceAll('-', '')}`;
  await administered(`CREATE DATABASE ${name}`);
  const url = Object.assign(new URL(POSTGRESQL), { pathname: `/${name}` }).href;
  const drop = () => administered(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  try {
    await (await startMeasured({ DATABASE_URL: url })).stop();
    await onPostgresql(url, seed(users), 'VACUUM ANALYZE');
  } catch (error) {
    await drop();
    throw error;
  }
  return { name, url, drop };
}

/** The folder of PostgreSQL's files in a data directory. */
const FILES = 'postgres';

export type Directories = Awaited<ReturnType<typeof embeddedData>>;

/** Creates data directories of the embedded database, each a copy of one with the data. */
export async function embeddedData() {
  const folder = mkdtempSync(join(tmpdir(), 'accord-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const original = join(folder, 'original');
  await (await startMeasured({ DATABASE_URL: `pglite://${original}` })).stop();
  const database = await PGlite.create(join(original, FILES));
  await database.exec(seed(USERS.embedded));
  await database.exec('VACUUM ANALYZE');
  await database.close();
  let copies = 0;
  return {
    /** Returns a directory for the service, and the folder of PostgreSQL's files for other variants. */
    copy() {
      copies += 1;
      const directory = join(folder, `copy-${copies}`);
      cpSync(original, directory, { recursive: true });
      return { directory, files: join(directory, FILES) };
    },
    /** Returns an empty directory. */
    empty() {
      copies += 1;
      return join(folder, `empty-${copies}`);
    },
  };
}

import { PGlite } from '@electric-sql/pglite';
import { serialize } from 'pg-protocol';
import { serveUsers } from './bare.js';
import { statements, type User } from './users.js';

/** node:http with statements that PGlite prepared once: Bind, Execute and Sync are one call. */
const client = await PGlite.create(process.env['DIRECTORY'] as string);
for (const { name, text } of [statements.get, statements.insert]) {
  await client.execProtocol(Buffer.concat([serialize.parse({ name, text }), serialize.sync()]));
}

async function first(statement: string, values: unknown[]): Promise<User | undefined> {
  const bytes = [serialize.bind({ statement, values }), serialize.execute(), serialize.sync()];
  const { messages } = await client.execProtocol(Buffer.concat(bytes));
  const row = messages.find(({ name }) => name === 'dataRow') as { fields: string[] } | undefined;
  if (row === undefined) return undefined;
  const [id, name, email, role, createdAt] = row.fields as [string, string, string, string, string];
  return { id: Number(id), name, email, role, createdAt: new Date(createdAt) };
}

serveUsers({
  get: (id) => first('get', [String(id)]),
  create: async ({ name, email, role }) => (await first('insert', [name, email, role])) as User,
});

import { createServer } from 'node:http';
import pg from 'pg';
import { listen } from './listening.js';
import { readJson } from './users.js';

/** A hand-written server for the two documents: one statement each, which generates the JSON. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });

const nested = {
  name: 'nested',
  text: `SELECT json_build_object('data', json_build_object('user', (
    SELECT json_build_object('id', u.id::text, 'name', u.name, 'email', u.email, 'posts', (
      SELECT coalesce(json_agg(json_build_object('id', p.id::text, 'title', p.title, 'comments', (
        SELECT coalesce(json_agg(json_build_object('id', c.id::text, 'text', c.text) ORDER BY c.id), '[]')
        FROM (SELECT id, text FROM comments WHERE post_id = p.id ORDER BY id LIMIT 20) c
      )) ORDER BY p.id), '[]')
      FROM (SELECT id, title FROM posts WHERE author_id = u.id ORDER BY id LIMIT 20) p
    )) FROM users u WHERE u.id = $1)))::text AS body`,
};
const only = {
  name: 'only',
  text: `SELECT json_build_object('data', json_build_object('user', (
    SELECT json_build_object('id', id::text) FROM users WHERE id = $1)))::text AS body`,
};

const server = createServer(async (request, response) => {
  const { query, variables } = await readJson<{ query: string; variables: { id: string } }>(request);
  const { rows } = await pool.query<{ body: string }>(query.includes('posts') ? nested : only, [variables.id]);
  const body = rows[0]?.body as string;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
});
listen(server);

import Fastify from 'fastify';
import openapiGlue from 'fastify-openapi-glue';
import pg from 'pg';
import { contract } from './contract.js';
import { ready } from './listening.js';
import { type NewUser, pageOf, represent, statements, type User } from './users.js';

/** Fastify with routes, validation and serialisation from the contract, and named statements. */
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'] });

const serviceHandlers = {
  async getUser({ params }: { params: { user_id: number } }) {
    const { rows } = await pool.query<User>(statements.get, [params.user_id]);
    if (rows[0] === undefined) throw Object.assign(new Error('There is no such user.'), { statusCode: 404 });
    return represent(rows[0]);
  },
  async listUsers({ query: { after, limit } }: { query: { after: number; limit: number } }) {
    const { rows } = await pool.query<User>(statements.after, [after, limit + 1]);
    return pageOf(rows, limit);
  },
  async createUser({ body: { name, email, role } }: { body: NewUser }, reply: { code: (status: number) => void }) {
    const { rows } = await pool.query<User>(statements.insert, [name, email, role]);
    reply.code(201);
    return represent(rows[0] as User);
  },
};

const app = Fastify();
await app.register(openapiGlue, { specification: contract, serviceHandlers });
await app.listen({ port: 0, host: '127.0.0.1' });
ready(app.server);

import { createServer, type ServerResponse } from 'node:http';
import { listen } from './listening.js';
import { type NewUser, pageOf, readJson, represent, type User } from './users.js';

/** The storage of users. A peer with fewer flows has fewer methods. */
export interface Store {
  get: (id: number) => Promise<User | undefined>;
  create: (user: NewUser) => Promise<User>;
  after?: (id: number, limit: number) => Promise<User[]>;
  page?: (limit: number, offset: number) => Promise<{ users: User[]; count: number }>;
}

function send(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** Serves users with node:http and nothing else. */
export function serveUsers({ get, create, after, page }: Store): void {
  async function list(response: ServerResponse, query: URLSearchParams): Promise<void> {
    const limit = Number(query.get('limit') ?? 20);
    if (after !== undefined && query.has('after')) {
      return send(response, 200, pageOf(await after(Number(query.get('after')), limit + 1), limit));
    }
    if (page === undefined) return send(response, 404, {});
    const { users, count } = await page(limit, Number(query.get('offset')));
    response.setHeader('x-total-count', String(count));
    send(response, 200, users.map(represent));
  }

  const server = createServer(async (request, response) => {
    const { method, url = '' } = request;
    try {
      const [, id] = /^\/api\/v1\/users\/(\d+)$/.exec(url) ?? [];
      if (method === 'GET' && id) {
        const user = await get(Number(id));
        return user ? send(response, 200, represent(user)) : send(response, 404, {});
      }
      const { pathname, searchParams } = new URL(url, 'http://localhost');
      if (pathname !== '/api/v1/users') return send(response, 404, {});
      if (method === 'GET') return await list(response, searchParams);
      send(response, 201, represent(await create(await readJson<NewUser>(request))));
    } catch (error) {
      console.error(error);
      send(response, 500, {});
    }
  });
  listen(server);
}

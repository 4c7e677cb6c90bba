import type { IncomingMessage } from 'node:http';

export interface User {
  id: number;
  name: string;
  email: string;
  role: string;
  createdAt: Date;
}

export interface NewUser {
  name: string;
  email: string;
  role: string;
}

/** Represents a user as in Accord's contract. All peers give the same answer. */
export const represent = ({ id, name, email, role, createdAt }: User) => ({
  id,
  name,
  email,
  role: role.toLowerCase(),
  createdAt: createdAt.toISOString(),
  _links: { self: { href: `/api/v1/users/${id}` }, orders: { href: `/api/v1/users/${id}/orders` } },
});

/** Returns a page by cursor. @param users one more than the page has, if there is a next page */
export function pageOf(users: User[], limit: number) {
  const data = users.slice(0, limit).map(represent);
  return { data, cursor: { next: String(data.at(-1)?.id), hasMore: users.length > limit } };
}

export const columnsOf = ({ name, email, role }: NewUser) => ({
  name,
  email,
  emailKey: email.toLowerCase(),
  role: role.toUpperCase(),
});

const FIELDS = 'id, name, email, role, created_at AS "createdAt"';

/** Named statements, which are parsed and planned once per connection. */
export const statements = {
  get: { name: 'get', text: `SELECT ${FIELDS} FROM users WHERE id = $1` },
  after: { name: 'after', text: `SELECT ${FIELDS} FROM users WHERE id > $1 ORDER BY id LIMIT $2` },
  offset: { name: 'offset', text: `SELECT ${FIELDS} FROM users ORDER BY id LIMIT $1 OFFSET $2` },
  count: { name: 'count', text: 'SELECT count(*)::int AS count FROM users' },
  insert: {
    name: 'insert',
    text: `INSERT INTO users (name, email, email_key, role) VALUES ($1, $2, lower($2), upper($3)) RETURNING ${FIELDS}`,
  },
};

/** Reads a JSON body. */
export async function readJson<T>(request: IncomingMessage): Promise<T> {
  let text = '';
  for await (const part of request.setEncoding('utf8')) text += part;
  return JSON.parse(text) as T;
}

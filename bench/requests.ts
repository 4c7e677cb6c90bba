import { AUTHORS, READ } from './data.js';
import type { Request } from './load.js';

/** The requests, and the parts of answers that all variants have in common. */

type Headers = Record<string, string>;

/** Returns GET requests of users. */
export const users = (headers: Headers = {}, ids: readonly number[] = READ) =>
  ids.map((id): Request => ({ method: 'GET', path: `/api/v1/users/${id}`, headers }));

export const pagesAfter = (cursors: readonly (string | number)[], headers: Headers = {}) =>
  cursors.map((after): Request => ({ method: 'GET', path: `/api/v1/users?after=${after}&limit=20`, headers }));

export const pageByOffset = (headers: Headers = {}): Request[] => [
  { method: 'GET', path: '/api/v1/users?limit=20', headers },
];

const newUser = JSON.stringify({ name: 'Somebody New', email: 'new{n}@example.com', role: 'viewer' });
export const newUsers = (headers: Headers = {}): Request[] => [
  { method: 'POST', path: '/api/v1/users', headers, body: newUser },
];

export const NESTED = 'query($id: ID!) { user(id: $id) { id name email posts { id title comments { id text } } } }';
export const SHALLOW = 'query($id: ID!) { user(id: $id) { id } }';
/** The document for PostGraphile, which names fields after the tables. */
export const NESTED_BY_ROWS = `query($id: Int!) { user: userByRowId(rowId: $id) { id: rowId name email
  posts: postsByAuthorIdList(first: 20) { id: rowId title comments: commentsByPostIdList(first: 20) { id: rowId text } } } }`;
export const SHALLOW_BY_ROWS = 'query($id: Int!) { user: userByRowId(rowId: $id) { id: rowId } }';

/** Returns a document for each author. @param idOf returns the variable for a user's id */
export const documents = (query: string, headers: Headers = {}, idOf: (id: number) => unknown = String) =>
  AUTHORS.map((author): Request => {
    const body = JSON.stringify({ query, variables: { id: idOf(author) } });
    return { method: 'POST', path: '/graphql', headers, body };
  });

export const document = (query: string, headers: Headers = {}): Request[] => [
  { method: 'POST', path: '/graphql', headers, body: JSON.stringify({ query }) },
];

/** Removes the id, the time and the number in the email address of a new user. */
export function likeNewUser(answer: unknown): unknown {
  const { id, createdAt, email, _links, ...rest } = answer as Record<string, unknown>;
  const links = JSON.parse(JSON.stringify(_links).replaceAll(`/${id}`, '/{id}'));
  return { ...rest, id: typeof id, createdAt: typeof createdAt, email: String(email).replace(/\d+/, '{n}'), links };
}

/** Removes the next cursor, which each server chooses. */
export const likePage = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (key, value) => (key === 'next' ? '' : value)));

/** Returns the users of a page of any style. */
export const usersOf = (answer: unknown): unknown =>
  Array.isArray(answer) ? answer : (answer as { data: unknown }).data;

/** Converts ids to text, because PostGraphile returns numbers. */
export const likeDocument = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (key, value) => (key === 'id' ? String(value) : value)));

/** Returns the id in the answer to a document, or that of a user. */
export function idOf(answer: unknown): string {
  const { data, id } = answer as { data?: { user: { id: unknown } }; id?: unknown };
  return String(data?.user.id ?? id);
}

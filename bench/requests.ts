import { AUTHORS, READ } from './data.js';
import type { Request } from './load.js';

/** What is asked, and what of the answers is the same for the same data, whoever answers. */

type Headers = Record<string, string>;

/** By GET, each of these users. */
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
/** PostGraphile names its fields after the tables. */
export const NESTED_BY_ROWS = `query($id: Int!) { user: userByRowId(rowId: $id) { id: rowId name email
  posts: postsByAuthorIdList(first: 20) { id: rowId title comments: commentsByPostIdList(first: 20) { id: rowId text } } } }`;
export const SHALLOW_BY_ROWS = 'query($id: Int!) { user: userByRowId(rowId: $id) { id: rowId } }';

/** A document of each author. @param idOf what the variable is, of a user's id */
export const documents = (query: string, headers: Headers = {}, idOf: (id: number) => unknown = String) =>
  AUTHORS.map((author): Request => {
    const body = JSON.stringify({ query, variables: { id: idOf(author) } });
    return { method: 'POST', path: '/graphql', headers, body };
  });

/** One document. */
export const document = (query: string, headers: Headers = {}): Request[] => [
  { method: 'POST', path: '/graphql', headers, body: JSON.stringify({ query }) },
];

/** Of a new user all but its id, its time, and the number in its address. */
export function likeNewUser(answer: unknown): unknown {
  const { id, createdAt, email, _links, ...rest } = answer as Record<string, unknown>;
  const links = JSON.parse(JSON.stringify(_links).replaceAll(`/${id}`, '/{id}'));
  return { ...rest, id: typeof id, createdAt: typeof createdAt, email: String(email).replace(/\d+/, '{n}'), links };
}

/** Of a page all but the next cursor, which is each server's own. */
export const likePage = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (key, value) => (key === 'next' ? '' : value)));

/** The users of a page, in whichever style. */
export const usersOf = (answer: unknown): unknown =>
  Array.isArray(answer) ? answer : (answer as { data: unknown }).data;

/** Ids are text in Accord's contract, and numbers in PostGraphile's. */
export const likeDocument = (answer: unknown): unknown =>
  JSON.parse(JSON.stringify(answer, (key, value) => (key === 'id' ? String(value) : value)));

/** The id that a document asks for, or that a user has. */
export function idOf(answer: unknown): string {
  const { data, id } = answer as { data?: { user: { id: unknown } }; id?: unknown };
  return String(data?.user.id ?? id);
}

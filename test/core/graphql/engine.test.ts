import t from 'tap';
import { slowClock } from '../../support/clock.js';
import { memoryDatabase } from '../../support/databases.js';
import { many } from '../../support/many.js';
import { heavy, parsedTexts } from '../../support/parsed-texts.js';
import type { Json } from '../../support/people.js';
import { startService } from '../../support/service.js';
import { dialAs } from '../../support/socket.js';

const TWO = 'query A { me { id } } query B { me { name } }';
const ADD = 'mutation($text: String!) { addMessage(channelId: "engine", text: $text) { text } }';
const CREATE = 'mutation { createUser(input: { name: "N", email: "n@example.com", role: VIEWER }) { id } }';

interface Row {
  what: string;
  query: string;
  variables?: object | null;
  operationName?: string;
  /** The codes of the errors; none: it succeeds. */
  codes?: string[];
}

/** What one transport is asked as well as the other. */
const rows: Row[] = [
  { what: 'a query', query: '{ me { id name } users(limit: 2) { ...F } } fragment F on User { id posts { id } }' },
  { what: 'a mutation', query: ADD, variables: { text: 'said' } },
  { what: 'variables that are null', query: '{ me { id } }', variables: null },
  { what: 'the operation that is named', query: TWO, operationName: 'B' },
  { what: 'nothing but introspection', query: '{ __typename __type(name: "User") { fields { name } } }' },
  { what: 'what is no document', query: '{ me { id }', codes: ['BAD_REQUEST'] },
  { what: 'no text', query: '', codes: ['BAD_REQUEST'] },
  { what: 'no operation', query: 'fragment F on User { id }', codes: ['BAD_REQUEST'] },
  { what: 'two operations and no name', query: TWO, codes: ['BAD_REQUEST'] },
  { what: 'a name of no operation', query: TWO, operationName: 'C', codes: ['BAD_REQUEST'] },
  { what: 'a name that is empty', query: TWO, operationName: '', codes: ['BAD_REQUEST'] },
  { what: 'fields that do not exist', query: '{ mee { id } me { nam } }', codes: ['BAD_REQUEST', 'BAD_REQUEST'] },
  { what: 'more faults than are told', query: `{ ${many(25, (n) => `f${n}`)} }`, codes: Array(20).fill('BAD_REQUEST') },
  {
    what: 'too many levels',
    query: `{ me { ${'posts(limit: 1) { author { '.repeat(6)} id ${'} } '.repeat(6)} } }`,
    codes: ['BAD_REQUEST'],
  },
  { what: 'too high a cost', query: '{ users { posts { comments { id } } } }', codes: ['BAD_REQUEST'] },
  { what: 'too many aliases', query: `{ ${many(31, (n) => `a${n}: me { id }`)} }`, codes: ['BAD_REQUEST'] },
  { what: 'too many tokens', query: `{ ${'me '.repeat(3000)} }`, codes: ['BAD_REQUEST'] },
  { what: 'a fragment in itself', query: '{ me { ...F } } fragment F on User { ...F }', codes: ['BAD_REQUEST'] },
  { what: 'a variable that is missing', query: ADD, codes: ['BAD_REQUEST'] },
  { what: 'a variable of another type', query: ADD, variables: { text: ['x'] }, codes: ['BAD_REQUEST'] },
  { what: 'an id that is none', query: '{ me { id } user(id: "x") { id } }', codes: ['BAD_REQUEST'] },
  { what: 'content that breaks a constraint', query: ADD, variables: { text: '' }, codes: ['VALIDATION_FAILED'] },
  { what: 'a field that the caller may not use', query: CREATE, codes: ['FORBIDDEN'] },
  { what: 'data, and what is not there', query: '{ me { id } user(id: 999999) { id } }', codes: ['NOT_FOUND'] },
  {
    what: 'as many failures as are told',
    query: `{ ${many(25, (n) => `a${n}: user(id: ${900_000 + n}) { id }`)} }`,
    codes: Array(20).fill('NOT_FOUND'),
  },
];

/** What is left out of `errors` is told beside them, or by the last one where a message has no place for that. */
function inOneForm({ errors, extensions, ...rest }: Json): Json {
  if (rest.data !== undefined || extensions === undefined) return { errors, extensions, ...rest };
  const last = errors.at(-1);
  return inOneForm({
    errors: [...errors.slice(0, -1), { ...last, extensions: { ...last.extensions, ...extensions } }],
  });
}

t.test('both transports use one engine', async (t) => {
  const database = await memoryDatabase(t);
  const { url, developer, rest } = await startService(t, database, {}, slowClock());
  const dialled = await dialAs(t, url, developer);

  async function byPost(body: object): Promise<Json> {
    const headers = { 'content-type': 'application/json', ...developer.headers };
    const response = await fetch(`${url}/graphql`, { method: 'POST', headers, body: JSON.stringify(body) });
    return response.json();
  }

  let count = 0;
  async function bySocket(payload: object): Promise<Json> {
    const id = `${++count}`;
    dialled.send({ type: 'subscribe', id, payload });
    const { type, payload: told } = await dialled.take((message) => message.id === id);
    if (type === 'next') await dialled.take((message) => message.id === id && message.type === 'complete');
    return type === 'error' ? { errors: told } : told;
  }

  /** How many requests the caller may still make. */
  async function remaining(): Promise<number> {
    const { headers } = await rest('GET', '/api/v1/users', { as: developer });
    return Number(headers.get('x-rate-limit-remaining'));
  }

  for (const { what, codes = [], ...operation } of rows) {
    t.test(`POST and sockets give the same answer: ${what}`, async (t) => {
      const start = await remaining();
      const posted = await byPost(operation);
      const between = await remaining();
      const sent = await bySocket(operation);
      const end = await remaining();
      const withoutIds = (answer: Json) =>
        JSON.parse(JSON.stringify(inOneForm(answer)).replaceAll(/"requestId":"[^"]*"/g, '"requestId":""'));
      t.strictSame(withoutIds(sent), withoutIds(posted));
      t.strictSame(
        (posted.errors ?? []).map((error: Json) => error.extensions.code),
        codes,
      );
      t.strictSame([start - between, between - end], [2, 2], 'and each counts once');
    });
  }

  t.test('both transports share cached documents', async (t) => {
    const query = heavy(7001);
    for (const ask of [byPost, bySocket, byPost]) t.equal((await ask({ query })).errors, undefined);
    t.equal(await parsedTexts('#7001\n'), 1);
  });
});

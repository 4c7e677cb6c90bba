import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import t, { type Test } from 'tap';
import { addressOf, soundRequest } from '../../support/conformance.js';
import { contractOperations } from '../../support/contract.js';
import { memoryDatabase } from '../../support/databases.js';
import { type HostileText, hostileTexts, textArguments } from '../../support/hostile-texts.js';
import type { Json } from '../../support/people.js';
import { PROXIED } from '../../support/production.js';
import { skipUnlessWhole } from '../../support/servers.js';
import { type Service, startInstance, startService } from '../../support/service.js';

/*
 * Work must not grow faster than what is sent (docs/decisions.md, "Limits"): n against 4n. What counts is processor
 * time of this process, in which the service runs, and the least of several goes, so that what else the machine does is left
 * out. A request that costs little at 4n is fast enough however it got there; nearly all are, and are sent once. For the others
 * one request of 4n is compared with four of n.
 */

/** Characters: of a header or a path, of which 16 KiB get in, and of a body, of which 64 KiB do. */
const IN_HEAD = 3500;
const IN_BODY = 15_000;
/** Milliseconds of processor time at 4n that nobody need explain: what grows with the square of n takes longer. */
const FLOOR = 30;
/** One request of 4n may cost as much as so many times four requests of n: 1 is linear, 4 quadratic. */
const GROWTH = 2;
const GOES = 15;

interface Sent {
  method: string;
  path: string;
  headers?: Record<string, string>;
  body?: string;
}
interface Subject {
  name: string;
  send: (text: string) => Sent;
  texts: HostileText[];
  length: number;
}

function measuring(t: Test, url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.teardown(() => agent.destroy());

  const answered = ({ method, path, headers = {}, body }: Sent): Promise<number> =>
    new Promise((resolve, reject) => {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
      const sent = { 'content-type': 'application/json', ...headers, ...length };
      const outgoing = request(new URL(url), { agent, method, path, headers: sent }, (incoming) => {
        incoming.resume().on('end', () => resolve(incoming.statusCode ?? 0));
      });
      outgoing.on('error', reject).end(body);
    });

  /** Milliseconds of the processor, for the service and for us who ask it. */
  async function costOf(sent: Sent): Promise<number> {
    const before = process.cpuUsage();
    const status = await answered(sent);
    const { user, system } = process.cpuUsage(before);
    if (status === 431 || status === 500) throw new Error(`${sent.method} ${sent.path} was answered with ${status}.`);
    return (user + system) / 1000;
  }

  /** @returns in words how the cost grows, where it goes on growing too fast however often it is looked at */
  return async ({ name, send, length }: Subject, { name: what, of }: HostileText): Promise<string | undefined> => {
    const least = { short: Number.POSITIVE_INFINITY, long: Number.POSITIVE_INFINITY };
    for (let go = 0; go < GOES; go++) {
      least.long = Math.min(least.long, await costOf(send(of(4 * length))));
      if (least.long <= FLOOR) return undefined;
      // As many bytes in a row, so that garbage collection and other work of the machine affect both alike.
      let short = 0;
      for (let times = 0; times < 4; times++) short += await costOf(send(of(length)));
      least.short = Math.min(least.short, short);
      if (least.long <= GROWTH * least.short) return undefined;
    }
    return `${name} ${what}: ${least.short.toFixed(1)} ms for four of n, ${least.long.toFixed(1)} ms for one of 4n`;
  };
}

async function cheap(t: Test, url: string, subjects: Subject[]): Promise<void> {
  const tooFast = measuring(t, url);
  let sent = 0;
  for (const subject of subjects) {
    const found: string[] = [];
    for (const text of subject.texts) {
      sent += 1;
      const problem = await tooFast(subject, text);
      if (problem !== undefined) found.push(problem);
    }
    t.same(found, [], subject.name);
  }
  t.comment(`${sent} texts`);
}

const inHead = (beginnings: string[]) => ({ texts: hostileTexts(beginnings, 'head'), length: IN_HEAD });
const inBody = (beginnings: string[]) => ({ texts: hostileTexts(beginnings, 'body'), length: IN_BODY });

/** By header: what its values begin with, and where it is read. */
async function headers({ url, viewer, admin }: Service): Promise<Subject[]> {
  const [asset = ''] = /\/docs\/assets\/[^"]+/.exec(await (await fetch(`${url}/docs`)).text()) ?? [];
  const get = { method: 'GET', path: '/api/v1/users' };
  const one = { method: 'GET', path: `/api/v1/users/${viewer.id}` };
  const patch = { method: 'PATCH', path: `/api/v1/users/${viewer.id}`, body: '{"name":1}' };
  const post = { method: 'POST', path: '/api/v1/users', body: '{}' };
  const graphql = { method: 'POST', path: '/graphql', body: '{"query":"{ me { id } }"}' };
  const refresh = { method: 'POST', path: '/api/v1/auth/refresh', headers: { cookie: `accord_refresh=a` } };
  const preflight = { method: 'OPTIONS', path: '/api/v1/users', headers: { origin: 'https://app.example.com' } };
  const read: [header: string, where: Sent, beginnings: string[]][] = [
    ['accept', get, ['', '"', 'application/json;', 'application/vnd.accord+json;v="', 'a/b;q="']],
    ['accept', graphql, ['', '"', 'application/json;charset=']],
    ['prefer', patch, ['', 'return=', 'return="']],
    ['if-match', patch, ['', 'W/"']],
    ['if-none-match', one, ['', 'W/"']],
    ['authorization', get, ['', 'Bearer ', 'Basic ', 'Bearer a.']],
    ['authorization', { method: 'POST', path: '/api/v1/auth/logout' }, ['Bearer ']],
    ['cookie', get, ['', 'accord_access=', 'accord_access="']],
    ['content-type', post, ['', 'application/json;', 'application/json;charset=', 'application/json;charset="']],
    ['content-encoding', post, ['']],
    ['range', { method: 'GET', path: '/openapi.json' }, ['', 'bytes=', 'bytes=0-']],
    ['if-range', { method: 'GET', path: '/openapi.json', headers: { range: 'bytes=0-1' } }, ['', '"']],
    ['idempotency-key', post, ['']],
    ['origin', refresh, ['', 'https://', 'https://a:']],
    ['origin', get, ['https://']],
    ['access-control-request-method', preflight, ['']],
    [
      'access-control-request-headers',
      { ...preflight, headers: { ...preflight.headers, 'access-control-request-method': 'PUT' } },
      [''],
    ],
    ['host', get, ['', 'v1.', 'v', 'a:']],
    ['expect', post, ['']],
    ['user-agent', get, ['']],
    ['accept-encoding', { method: 'GET', path: asset }, ['', 'gzip;q=']],
    ['traceparent', get, ['', '00-']],
    ['x-request-id', get, ['']],
    ['sec-fetch-site', get, ['']],
  ];
  return read.map(([name, where, beginnings]) => ({
    name: `${name} of ${where.method} ${where.path}`,
    send: (text) => ({ ...where, headers: { ...admin.headers, ...where.headers, [name]: text } }),
    ...inHead(beginnings),
  }));
}

/** The parts of an address; a query as all operations have it, and each parameter that there is. */
function addresses({ viewer }: Service): Subject[] {
  const paths = [
    '/',
    '/api/v',
    '/api/v1/',
    '/api/v1/users/',
    '/api/v1/users/1/orders/',
    '/docs/',
    '/graphql/',
    '//',
    '/:a(',
    '/*',
  ];
  const parameters = contractOperations.flatMap(({ operation, path, method }) =>
    operation.parameters
      .filter((parameter) => parameter.in === 'query' && method === 'GET')
      .map(({ name }) => `${path.replaceAll(/{\w+}/g, '1')}?${name}=`),
  );
  const queries = ['/api/v1/users?', '/users?version=', '/users?version=1&', '/api/v1/users/?', ...parameters];
  return [...paths, ...queries].map((address) => ({
    name: address,
    // A client that sent other characters would not be let in by Node's parser.
    send: (text) => ({
      method: 'GET',
      path: address + text.replaceAll(' ', '%20').replaceAll('\\', '%5C'),
      headers: viewer.headers,
    }),
    texts: hostileTexts([''], 'head').filter(({ name }) => !/%41| |\\/.test(name) || address === paths[0]),
    length: address === '/' ? IN_HEAD / 3 : IN_HEAD / 1.1,
  }));
}

/** Each member of each body that takes a text. */
async function members(service: Service): Promise<Subject[]> {
  const withBody = contractOperations.filter(({ operation }) => operation.requestBody);
  const subjects = withBody.map(async (operation) => {
    const draft = await soundRequest(service, operation);
    const schema = Object.values(operation.operation.requestBody?.content ?? {})[0]?.schema as Json;
    const names = Object.keys(schema.properties ?? schema.oneOf?.[0]?.properties ?? draft.body ?? {});
    const path = addressOf(operation, draft);
    return names.map((name) => ({
      name: `${name} of ${operation.operationId}`,
      send: (text: string) => ({
        method: operation.method,
        path,
        headers: draft.as?.headers ?? {},
        body: JSON.stringify({ ...draft.body, [name]: text }).slice(0, 65_536),
      }),
      ...inBody(/mail/.test(name) ? ['', 'a@'] : ['']),
    }));
  });
  return (await Promise.all(subjects)).flat();
}

/** Whole bodies: what JSON is made of, sound and not. */
function bodies({ admin, viewer }: Service): Subject[] {
  const repeated = (unit: string, around: (text: string) => string = (text) => text): HostileText => ({
    name: around(`${unit}…`),
    of: (length) => around(unit.repeat(Math.floor(length / unit.length)).replace(/,$/, '')),
  });
  const numbered = (make: (index: number) => string, around: (text: string) => string): HostileText => ({
    name: around(`${make(0)}…`),
    of: (length) => around(Array.from({ length: length / 10 }, (_, index) => make(10_000 + index)).join(',')),
  });
  const object = (text: string) => `{${text}}`;
  const array = (text: string) => `[${text}]`;
  const texts = [
    ...['{', '[', '"', '\\"', ' ', '-', '1', 'e', '{"a":', '[{"a":'].map((unit) => repeated(unit)),
    repeated('"a":1,', object),
    repeated('"\\u0000":1e999,', object),
    repeated('1e5,', array),
    repeated('1e999,', array),
    repeated('[],', array),
    repeated('\\"', (text) => `{"name":"${text}"}`),
    repeated('\\\\', (text) => `{"name":"${text}"}`),
    repeated('\\"', (text) => `{"${text}":1}`),
    repeated('~/', (text) => `{"${text}":1}`),
    repeated('\\ud800', (text) => `{"${text}":"\\u0000"}`),
    repeated('1', (text) => `{"name":${text}}`),
    numbered((index) => `"a${index}":1`, object),
    numbered((index) => `"a${index}":"\\u0000"`, object),
  ];
  const to = [
    { method: 'POST', path: '/api/v1/auth/login' },
    { method: 'PATCH', path: `/api/v1/users/${viewer.id}`, headers: admin.headers },
    { method: 'POST', path: '/graphql', headers: admin.headers },
  ];
  return to.map((where) => ({
    name: `bodies of ${where.method} ${where.path}`,
    send: (text) => ({ ...where, body: text.slice(0, 65_536) }),
    texts,
    length: IN_BODY,
  }));
}

/** What a GraphQL request is made of: the document, its name and id, and each argument that takes a text. */
function graphql({ admin }: Service): Subject[] {
  const to = { method: 'POST', path: '/graphql', headers: admin.headers };
  const asked = (body: object): Sent => ({ ...to, body: JSON.stringify(body).slice(0, 65_536) });
  const documents: [what: string, query: (text: string) => string, unit: string][] = [
    ['white space', (text) => `{${text}me { id } }`, ' '],
    ['commas', (text) => `{${text}me { id } }`, ','],
    ['lines', (text) => `{${text}me { id } }`, '\n'],
    ['lines before a fault', (text) => `{${text}you }`, '\n'],
    ['a comment', (text) => `{ me { id } } #${text}`, '#'],
    ['a name', (text) => `{ ${text} }`, 'a'],
    ['an alias', (text) => `{ ${text}: user(id: 1000000) { id } }`, 'a'],
    ['a fragment', (text) => `{ ...${text} } fragment ${text} on Query { you }`, 'a'],
    ['a string', (text) => `{ user(id: "${text}") { id } }`, 'a'],
    ['escapes', (text) => `{ user(id: "${text}") { id } }`, '\\u0061'],
    ['a block string', (text) => `{ user(id: """${text}""") { id } }`, '\n '],
    ['quotation marks', (text) => `{ user(id: "${text}) { id } }`, '"'],
    ['digits', (text) => `{ user(id: ${text}) { id } }`, '1'],
    ['an open list', (text) => `{ user(id: ${text}) { id } }`, '['],
    ['open selections', (text) => text, '{a'],
    ['fields', (text) => `{ me { ${text} } }`, 'id '],
    ['directives', (text) => `{ me ${text} { id } }`, '@skip(if: true) '],
    ['stray characters', (text) => text, '?'],
  ];
  const ofDocuments = documents.map(([what, query, unit]) => ({
    name: `${what} in a document`,
    send: (text: string) => asked({ query: query(text) }),
    texts: [{ name: unit, of: (length: number) => unit.repeat(Math.floor(length / JSON.stringify(unit).length)) }],
    length: IN_BODY,
  }));
  /** The longer the text, the more users there are for whom the field fails. */
  const failing = {
    name: 'lines before a field that fails for many',
    send: (text: string) => {
      const limit = Math.ceil((100 * text.length) / (2 * IN_BODY));
      return asked({ query: `{ users(limit: ${limit}) {${text}posts(limit: 0) { id } } }` });
    },
    texts: [' ', '\n'].map((unit) => ({ name: unit, of: (length: number) => unit.repeat(length / 2) })),
    length: IN_BODY,
  };
  const ids = [
    (text: string) => ({ documentId: text }),
    (text: string) => ({ documentId: `sha256:${text}` }),
    (text: string) => ({ query: '{ me { id } }', operationName: text }),
    (text: string) => ({ extensions: { persistedQuery: { version: 1, sha256Hash: text } } }),
  ].map((make) => ({ name: JSON.stringify(make('…')), send: (text: string) => asked(make(text)), ...inBody(['']) }));
  const ofArguments = textArguments(readFileSync('schema.graphql', 'utf8')).map(({ name, query, variables }) => ({
    name: `${name}, a variable`,
    send: (text: string) => asked({ query, variables: variables(text) }),
    ...inBody(/mail/.test(name) ? ['a@'] : ['']),
  }));
  const input = {
    name: 'unknown members of an input',
    send: (text: string) =>
      asked({
        query: 'mutation($input: CreateUserInput!) { createUser(input: $input) { id } }',
        variables: {
          input: Object.fromEntries(Array.from({ length: text.length / 12 }, (_, index) => [`a${index}`, 1])),
        },
      }),
    texts: [{ name: 'many', of: (length: number) => 'a'.repeat(length) }],
    length: IN_BODY,
  };
  return [...ofDocuments, failing, ...ids, ...ofArguments, input];
}

t.test('the cost of each part of a request is linear', { skip: skipUnlessWhole }, async (t) => {
  const database = await memoryDatabase(t);
  const limits = { RATE_LIMIT: '10000000', RATE_LIMIT_ANONYMOUS: '10000000', RATE_CEILING: '100000000' };
  const environment = { ...limits, LOGIN_LIMIT: '10000000', CORS_ORIGINS: 'https://app.example.com' };
  const service = await startService(t, database, environment);
  const rows = Array.from({ length: 100 }, (_, index) => `many${index}@example.com`);
  await database.client.user.createMany({
    data: rows.map((email) => ({ name: 'Many', email, emailKey: email, role: 'VIEWER' as const })),
  });

  await t.test('headers', async (t) => cheap(t, service.url, await headers(service)));
  await t.test('addresses', (t) => cheap(t, service.url, addresses(service)));
  await t.test('members of bodies', async (t) => cheap(t, service.url, await members(service)));
  await t.test('whole bodies', (t) => cheap(t, service.url, bodies(service)));
  await t.test('GraphQL', (t) => cheap(t, service.url, graphql(service)));
  await t.test('headers of a proxy', async (t) => {
    const { url } = await startInstance(t, database, { ...environment, ...PROXIED });
    const names = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded'];
    const send = (name: string) => (text: string) => ({
      method: 'GET',
      path: '/api/v1/users',
      headers: { [name]: text },
    });
    await cheap(
      t,
      url,
      names.map((name) => ({ name, send: send(name), ...inHead(['', '127.0.0.1,', 'https']) })),
    );
  });
});

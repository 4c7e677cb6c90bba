import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLField, isNonNullType } from 'graphql';
import t from 'tap';
import { contractOperations } from '../support/contract.js';
import { onEachDatabase } from '../support/databases.js';
import { PASSWORD, type Person } from '../support/people.js';
import { allows, type Line, type Role, readMatrix } from '../support/permissions.js';
import { basic } from '../support/process.js';
import { type Service, startService } from '../support/service.js';

const matrix = readMatrix();
const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const SHORT = { current_password: 'not the current one', new_password: 'short' };

/** Structurally sound, and refused for its content after access was decided: nothing that is tried here has an effect. */
const BODIES: Record<string, (role: string) => object> = {
  createUser: () => ({ name: '', email: 'nobody', role: 'viewer' }),
  replaceUser: (role) => ({ name: '', email: 'nobody', role }),
  updateUser: () => ({ name: '' }),
  changePassword: () => SHORT,
  payOrder: () => ({}),
  createOrder: () => ({ total: { amount: 0, currency: 'EUR' } }),
};
const OTHER_ROLE: Record<string, string> = { viewer: 'developer', developer: 'viewer', admin: 'viewer' };

/** Lines by name, and those with a condition also together with what they add to. */
function cases(lines: Line[]): { name: string; when: string | undefined; lines: Line[] }[] {
  return lines.map((line) => {
    const base = lines.filter(({ name, when }) => name === line.name && when === undefined);
    return { name: line.name, when: line.when, lines: line.when === undefined ? base : [...base, line] };
  });
}

async function fixture(service: Service) {
  const { database, viewer, developer, admin, url } = service;
  const { client } = database;
  const data = {
    name: 'S',
    email: 'stranger@example.com',
    emailKey: 'stranger@example.com',
    role: 'DEVELOPER' as const,
  };
  const stranger = await client.user.create({ data });
  const people: [Role, Person][] = [
    ['viewer', viewer],
    ['developer', developer],
    ['admin', admin],
  ];
  const post = (authorId: number) => client.post.create({ data: { authorId, title: 'T' } });
  /** A new resource of each kind that a path or an argument can name, of a user's. */
  const made: Record<string, (owner: number) => Promise<number | string>> = {
    user: async (owner) => owner,
    order: async (userId) => (await client.order.create({ data: { userId, amount: 1, currency: 'EUR' } })).id,
    session: async () => randomUUID(),
    post: async (owner) => (await post(owner)).id,
    comment: async (authorId) => {
      const { id: postId } = await post(stranger.id);
      return (await client.comment.create({ data: { authorId, postId, text: 'T' } })).id;
    },
    message: async (authorId) => (await client.message.create({ data: { authorId, channelId: 'c', text: 'T' } })).id,
  };
  /** Ways for the administrator to prove who it is; without those that are not built yet. */
  async function mechanisms(): Promise<Record<string, Record<string, string>>> {
    const login = (more: object) => {
      const body = JSON.stringify({ email: admin.email, password: PASSWORD, ...more });
      const headers = { 'content-type': 'application/json' };
      return fetch(`${url}/api/v1/auth/login`, { method: 'POST', headers, body });
    };
    const [opaque, cookie] = [await login({ flow: 'opaque' }), await login({ cookie: true })];
    const { token } = (await opaque.json()) as { token?: string };
    const access = cookie.headers.getSetCookie().find((one) => one.startsWith('accord_access='));
    return {
      basicAuth: basic(admin.email, PASSWORD),
      jwt: admin.headers,
      ...(token && { opaqueToken: { authorization: `Bearer ${token}` } }),
      ...(access && { cookieAuth: { cookie: access.split(';')[0] as string, origin: url } }),
    };
  }
  return { stranger, people, made, mechanisms };
}

onEachDatabase(t, async (t, open) => {
  const service = await startService(t, await open());
  const { rest, graphql, app, database } = service;
  const { stranger, people, made, mechanisms } = await fixture(service);
  let ways = await mechanisms();
  const isWritten = (name: string) => !app.notWritten.includes(name);

  t.test("REST: every operation, by every role, to one's own and to another's", async (t) => {
    async function attempt(name: string, when: string | undefined, owner: number, headers: Record<string, string>) {
      const { method, path } = contractOperations.find((one) => one.operationId === name) as {
        method: string;
        path: string;
      };
      const { role } = await database.client.user.findUniqueOrThrow({ where: { id: owner } });
      const stored = role.toLowerCase();
      const given = BODIES[name]?.(stored);
      const body = given && (when === undefined ? given : { ...given, role: OTHER_ROLE[stored] });
      const names = [...path.matchAll(/{(\w+)_id}/g)].map(([, kind = '']) => kind);
      let url = path;
      for (const kind of names) url = url.replace(`{${kind}_id}`, String(await made[kind]?.(owner)));
      // A stale version: a deletion that is allowed is refused all the same.
      const stale = name === 'deleteUser' ? { 'if-match': '"stale"' } : {};
      return (await rest(method, url, { headers: { ...headers, ...stale }, ...(body && { body }) })).status;
    }
    const hasOwner = (name: string) =>
      /{(user|order)_id}/.test(contractOperations.find((one) => one.operationId === name)?.path ?? '');

    for (const { name, when, lines } of cases(matrix.rest)) {
      if (lines[0]?.anonymous !== '401') continue;
      t.equal(await attempt(name, when, stranger.id, {}), 401, `${name} by nobody`);
      if (!isWritten(name)) continue;
      for (const [role, person] of people) {
        for (const owner of hasOwner(name) ? [person.id, stranger.id] : [person.id]) {
          const own = owner === person.id;
          const status = await attempt(name, when, owner, person.headers);
          const what = `${name}${when ? ` when ${when}` : ''} by ${role}, ${own ? 'own' : "another's"}: ${status}`;
          t.equal(status === 403, !allows(lines, role, own), what);
          t.not(status, 401, what);
        }
      }
      for (const mechanism of Object.keys(ways)) {
        const status = await attempt(name, when, service.admin.id, ways[mechanism] ?? {});
        // It may have ended the very sessions that the other mechanisms descend from.
        if (name.startsWith('revoke')) ways = await mechanisms();
        t.equal(status !== 401 && status !== 403, lines[0]?.cells[mechanism] === 'yes', `${name} by ${mechanism}`);
      }
    }
  });

  t.test('REST: what is open takes a request without a credential', async (t) => {
    const open = matrix.rest.filter(
      ({ anonymous, cells }) => anonymous === 'open' && cells['request']?.startsWith('GET'),
    );
    t.ok(open.length > 4);
    for (const { name, cells } of open) {
      const { status } = await rest('GET', cells['request']?.slice(4) as string);
      t.notOk([401, 403].includes(status), name);
    }
  });

  t.test("GraphQL: every field, by every role, to one's own and to another's", async (t) => {
    // An order that is being paid: a deletion that is allowed is refused all the same.
    for (const userId of [stranger.id, ...people.map(([, { id }]) => id)]) {
      await database.client.order.create({ data: { userId, amount: 1, currency: 'EUR', status: 'PROCESSING' } });
    }
    const fieldOf = (name: string) => {
      const [type = '', field = ''] = name.split('.');
      const root = schema.getRootType(type.toLowerCase() as never)?.getFields()[field] as GraphQLField<
        unknown,
        unknown
      >;
      return { root, operation: type.toLowerCase(), kind: field.replace(/^[a-z]+(?=[A-Z])/, '').toLowerCase() };
    };
    async function document(name: string, owner: number): Promise<string> {
      const { root, operation, kind } = fieldOf(name);
      const values: [string, string][] = [];
      for (const { name: argument, type } of root.args) {
        const text = ['name', 'title', 'text'].includes(argument);
        if (argument === 'id') values.push(['id', `"${await (made[kind] ?? made['post'])?.(owner)}"`]);
        else if (argument === 'postId') values.push(['postId', `"${await made['post']?.(stranger.id)}"`]);
        else if (argument === 'channelId') values.push(['channelId', '"c"']);
        else if (argument === 'input') values.push(['input', '{ name: "", email: "nobody", role: VIEWER }']);
        else if (text || isNonNullType(type)) values.push([argument, '""']);
      }
      const given = values.map(([argument, value]) => `${argument}: ${value}`).join(', ');
      return `${operation} { field: ${root.name}${given && `(${given})`} { __typename } }`;
    }
    const creates = (name: string) => !fieldOf(name).root.args.some(({ name: argument }) => argument === 'id');
    const nobody = null;

    for (const { name, lines } of cases(matrix.graphql)) {
      // Subscriptions travel over the socket, and are tried there.
      if (name.startsWith('Subscription.')) continue;
      const anonymous = await graphql(nobody, await document(name, stranger.id));
      t.same([anonymous.codes, anonymous.data ?? null], [['UNAUTHENTICATED'], null], `${name} by nobody`);
      if (!isWritten(name)) continue;
      for (const [role, person] of people) {
        for (const owner of creates(name) ? [person.id] : [person.id, stranger.id]) {
          const own = owner === person.id;
          const { codes } = await graphql(person, await document(name, owner));
          const what = `${name} by ${role}, ${own ? 'own' : "another's"}: ${codes}`;
          t.equal(codes.includes('FORBIDDEN'), !allows(lines, role, own), what);
          t.notOk(codes.includes('UNAUTHENTICATED') || codes.includes('BAD_REQUEST'), what);
        }
      }
      for (const [mechanism, headers] of Object.entries(ways)) {
        const { codes } = await graphql({ ...service.admin, headers }, await document(name, service.admin.id));
        t.notOk(codes.includes('UNAUTHENTICATED') || codes.includes('FORBIDDEN'), `${name} by ${mechanism}`);
      }
    }
  });

  t.test("no field is taken that is not the caller's to set", async (t) => {
    const path = `/api/v1/users/${service.viewer.id}`;
    const before = await database.client.user.findUniqueOrThrow({ where: { id: service.viewer.id } });
    const attempts = [{ id: 1 }, { createdAt: '2020-01-01T00:00:00.000Z' }, { passwordHash: 'x' }, { role: 'admin' }];
    for (const body of attempts) {
      const { status } = await rest('PATCH', path, { as: service.viewer, body });
      t.equal(status, 'role' in body ? 403 : 422, String(Object.keys(body)));
      const full = { name: 'N', email: 'new@example.com', role: 'viewer', ...body };
      t.equal((await rest('POST', '/api/v1/users', { as: service.viewer, body: full })).status, 403);
      const created = await rest('POST', '/api/v1/users', { as: service.admin, body: full });
      t.equal(created.status, 'role' in body ? 201 : 422);
      t.notMatch(created.text, /"passwordHash"|argon/i);
    }
    t.same(await database.client.user.findUniqueOrThrow({ where: { id: service.viewer.id } }), before);
  });
});

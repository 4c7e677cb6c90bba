import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import t, { type Test } from 'tap';
import type { Prisma } from '../../../src/platform/database/client.js';
import { openDatabase } from '../../../src/platform/database/open.js';
import { addressOf, soundRequest } from '../../support/conformance.js';
import { contractOperations } from '../../support/contract.js';
import { onEachDatabase } from '../../support/databases.js';
import { waiting } from '../../support/locks.js';
import { PASSWORD, type Person, passwordHash } from '../../support/people.js';
import { allows, readMatrix } from '../../support/permissions.js';
import { eventually } from '../../support/process.js';
import { codeOf, type Instance, startInstance, startService } from '../../support/service.js';
import { ADD } from '../../support/socket.js';
import { uncommitted } from '../../support/uncommitted.js';

const USERS = '/api/v1/users';
const WRITERS = 12;
const CREATE_POST = 'mutation { createPost(title: "T") { id } }';
const ADD_COMMENT = 'mutation($postId: ID!) { addComment(postId: $postId, text: "T") { id } }';
const EUR = { total: { amount: 1999, currency: 'EUR' } };

const matrix = readMatrix();
const linesOf = (name: string) =>
  [...matrix.rest, ...matrix.graphql].filter((line) => line.name === name && line.when === undefined);
const mutations = Object.keys(buildSchema(readFileSync('schema.graphql', 'utf8')).getMutationType()?.getFields() ?? {});
const writes = contractOperations.filter(
  ({ method, permission }) => !['GET', 'HEAD'].includes(method.toUpperCase()) && permission !== 'public',
);

/** Changes of an account in the database, without a signal to the instances. */
const CHANGES = {
  viewer: (db: Prisma.TransactionClient, id: number) => db.user.update({ where: { id }, data: { role: 'VIEWER' } }),
  developer: (db: Prisma.TransactionClient, id: number) =>
    db.user.update({ where: { id }, data: { role: 'DEVELOPER' } }),
  gone: (db: Prisma.TransactionClient, id: number) => db.user.delete({ where: { id } }),
} as const;
type Change = keyof typeof CHANGES;
const changes = Object.keys(CHANGES) as Change[];

/** All tables but those that count attempts. */
const TABLES =
  'users posts comments messages orders payments idempotency_keys tombstones sessions refresh_tokens revocations';

type Patient = Pick<Instance, 'rest' | 'graphql'>;

/** Retries requests that a busy machine has refused. */
function patient({ rest, graphql }: Instance): Patient {
  async function until<T>(ask: () => Promise<T>, said: (answer: T) => string | undefined): Promise<T> {
    for (;;) {
      const answer = await ask();
      if (!/^The database (took too long|cannot be reached)/.test(said(answer) ?? '')) return answer;
    }
  }
  return {
    rest: (...args) =>
      until(
        () => rest(...args),
        ({ body }) => body?.detail,
      ),
    graphql: (...args) =>
      until(
        () => graphql(...args),
        ({ errors }) => errors[0]?.message,
      ),
  };
}

onEachDatabase(t, async (t, open) => {
  const database = await open();
  // The embedded database runs transactions one after another, so fewer rounds suffice.
  const ROUNDS = database.url === undefined ? 3 : 20;
  const { client } = database;
  const service = await startService(t, database);
  const { rest, graphql, admin } = service;
  let made = 0;

  async function account(role: 'ADMIN' | 'DEVELOPER' | 'VIEWER', id?: number) {
    made += 1;
    const email = `account${made}@example.com`;
    const data = { name: `Account ${made}`, email, emailKey: email, role, passwordHash: await passwordHash };
    return client.user.create({ data: { ...data, ...(id !== undefined && { id }) } });
  }

  async function person(role: 'ADMIN' | 'DEVELOPER' | 'VIEWER'): Promise<Person> {
    const { id, email } = await account(role);
    const { body } = await rest('POST', '/api/v1/auth/login', { body: { email, password: PASSWORD } });
    return { id, email, headers: { authorization: `Bearer ${body.access_token}` } };
  }

  async function stored(): Promise<Set<string>> {
    const rows = TABLES.split(' ').map(async (table) => {
      const found = await client.$queryRawUnsafe<{ row: string }[]>(`SELECT t::text AS row FROM ${table} t`);
      return found.map(({ row }) => `${table} ${row}`);
    });
    return new Set((await Promise.all(rows)).flat());
  }

  interface Attempt {
    name: string;
    /** True if the written row belongs to the actor. */
    own: boolean;
    /** @returns the status, or the corresponding status of REST */
    send: () => Promise<number>;
  }

  async function* attempts(actor: Person): AsyncGenerator<Attempt> {
    for (const operation of writes) {
      const name = operation.operationId;
      const takesKey = operation.operation.parameters?.some(({ name }) => /^idempotency-key$/i.test(name));
      for (const key of takesKey ? [undefined, `key-${made}-${name}`] : [undefined]) {
        const draft = await soundRequest(service, operation, actor);
        const { as, headers, body } = draft;
        const sent = { as, headers: { ...headers, ...(key && { 'idempotency-key': `${key}` }) }, body };
        const send = async () => (await rest(operation.method, addressOf(operation, draft), sent)).status;
        yield { name, own: name.startsWith('revoke'), send };
      }
    }
    const other = await account('DEVELOPER');
    for (const own of [true, false]) {
      const owner = own ? actor.id : other.id;
      const post = async (authorId = owner) => (await client.post.create({ data: { authorId, title: 'T' } })).id;
      const comment = async () => {
        const data = { authorId: owner, postId: await post(other.id), text: 'T' };
        return (await client.comment.create({ data })).id;
      };
      const message = async () =>
        (await client.message.create({ data: { authorId: owner, channelId: 'c', text: 'T' } })).id;
      const user = async () => (own ? owner : (await account('VIEWER')).id);
      const email = `created${made}@example.com`;
      const fields: [string, boolean, () => Promise<string> | string][] = [
        ['createUser', !own, () => `input: { name: "N", email: "${email}", role: VIEWER }`],
        ['updateUser', true, async () => `id: ${await user()}, name: "Changed"`],
        // Actors can delete their own account, but not again.
        ['deleteUser', !own, async () => `id: ${await user()}`],
        ['createPost', own, () => 'title: "T"'],
        ['updatePost', true, async () => `id: ${await post()}, title: "Changed"`],
        ['deletePost', true, async () => `id: ${await post()}`],
        ['addComment', own, async () => `postId: ${await post(other.id)}, text: "T"`],
        ['updateComment', true, async () => `id: ${await comment()}, text: "Changed"`],
        ['deleteComment', true, async () => `id: ${await comment()}`],
        ['addMessage', own, () => 'channelId: "c", text: "T"'],
        ['deleteMessage', true, async () => `id: ${await message()}`],
      ];
      t.same(fields.map(([name]) => name).sort(), [...mutations].sort(), 'every mutation is tried');
      for (const [name, applies, args] of fields) {
        if (!applies) continue;
        const document = `mutation { ${name}(${await args()}) { __typename } }`;
        const send = async () => (await graphql(actor, document)).errors[0]?.extensions.statusCode ?? 200;
        yield { name: `Mutation.${name}`, own, send };
      }
    }
  }

  /** Sends every write after `change` of its actor, or during it. */
  async function tryAll(
    t: Test,
    change: Change,
    befalling: (attempt: Attempt, actor: Person) => Promise<number>,
  ): Promise<void> {
    const actor = await person('ADMIN');
    let tried = 0;
    for await (const attempt of attempts(actor)) {
      const { name, own } = attempt;
      const before = await stored();
      const status = await befalling(attempt, actor);
      const what = `${name}, ${own ? 'own' : "another's"}, of one who is ${change}: ${status}`;
      const allowed = change !== 'gone' && allows(linesOf(name), change, own);
      t.equal(status, allowed ? Math.min(Math.max(status, 200), 299) : change === 'gone' ? 401 : 403, what);
      const changed = [...(await stored())].filter((row) => !before.has(row) && !row.startsWith(`users (${actor.id},`));
      if (!allowed) t.strictSame(changed, [], `${what} leaves nothing`);
      tried += 1;
      const data = { role: 'ADMIN' } as const;
      if (change === 'gone') await account('ADMIN', actor.id);
      else await client.user.update({ where: { id: actor.id }, data });
    }
    t.ok(tried > writes.length + mutations.length, `${tried} writes`);
  }

  for (const change of database.url === undefined ? changes : []) {
    t.test(`every write uses the stored account, not the token: ${change}`, (t) =>
      tryAll(t, change, async ({ name, send }, actor) => {
        await CHANGES[change](client, actor.id);
        const status = await send();
        // The session was deleted with the account.
        return change === 'gone' && name === 'revokeSession' && status === 404 ? 401 : status;
      }),
    );
  }

  for (const change of database.url === undefined ? [] : changes) {
    t.test(`every write waits for a running change of its actor: ${change}`, (t) =>
      tryAll(t, change, async ({ name, send }, actor) => {
        const { commit, over } = await uncommitted(client, (db) => CHANGES[change](db, actor.id));
        let answered = false;
        const answer = send().finally(() => {
          answered = true;
        });
        await eventually(`${name} waits`, async () => answered || (await waiting(database)) > 0 || undefined);
        t.notOk(answered, `${name} waits`);
        commit();
        await over;
        return answer;
      }),
    );
  }

  t.test('a demotion succeeds during continuous writes of the account', async (t) => {
    if (database.url === undefined) return t.comment('on the embedded database nobody can pass anybody');
    const developer = await person('DEVELOPER');
    const { id } = await client.post.create({ data: { authorId: developer.id, title: 'T' } });
    const { commit, over } = await uncommitted(
      client,
      (db) => db.$executeRaw`SELECT 1 FROM posts WHERE id = ${id} FOR UPDATE`,
    );
    const wait = (count: number) =>
      eventually(`${count} wait`, async () => (await waiting(database)) >= count || undefined);
    const first = graphql(developer, `mutation { updatePost(id: ${id}, title: "Changed") { title } }`);
    await wait(1);
    const demotion = rest('PATCH', `${USERS}/${developer.id}`, { as: admin, body: { role: 'viewer' } });
    await wait(2);
    let passed = false;
    const late = graphql(developer, CREATE_POST).finally(() => {
      passed = true;
    });
    await eventually('the late one waits', async () => passed || (await waiting(database)) >= 3 || undefined);
    t.notOk(passed, 'who comes later does not pass the demotion');
    commit();
    await over;
    t.same((await first).codes, []);
    t.equal((await demotion).status, 200);
    t.same((await late).codes, ['FORBIDDEN']);
  });

  t.test('a full replacement with the role that was read does not restore it', async (t) => {
    const roles = ['ADMIN', 'DEVELOPER', 'VIEWER'] as const;
    for (const had of roles) {
      for (const has of roles.filter((role) => role !== had)) {
        const { id, email, headers } = await person(had);
        await client.user.update({ where: { id }, data: { role: has } });
        const body = { name: 'Replaced', email, role: had.toLowerCase() };
        t.same(
          codeOf(await rest('PUT', `${USERS}/${id}`, { headers, body })),
          [403, 'FORBIDDEN'],
          `${had}, now ${has}`,
        );
        const kept = await rest('PUT', `${USERS}/${id}`, { headers, body: { ...body, role: has.toLowerCase() } });
        t.match([kept.status, kept.body], [200, { name: 'Replaced', role: has.toLowerCase() }], 'the role it has');
        t.equal(
          (await rest('PATCH', `${USERS}/${id}`, { headers, body: { name: 'Other' } })).body.role,
          has.toLowerCase(),
        );
      }
    }
  });

  /** Starts another instance on the same data. The embedded database allows it in this process only. */
  const connection = database.url === undefined ? database : await openDatabase(database.url);
  if (connection !== database) t.teardown(connection.close);
  const instances = [service, await startInstance(t, connection)].map(patient);
  const instanceOf = (n: number) => instances[n % instances.length] as Patient;

  /** Writes from many clients until they are refused. @returns the statuses of the refusals */
  const writers = (write: (instance: Patient, n: number) => Promise<number>): Promise<number>[] =>
    Array.from({ length: WRITERS }, async (_, n) => {
      for (;;) {
        const status = await write(instanceOf(n), n);
        if (status >= 300) return status;
      }
    });
  /** The statuses for a demoted or deleted actor. */
  const REFUSALS = [401, 403];
  const onlyRefusals = async (t: Test, ends: Promise<number>[], round: number) =>
    t.strictSame(
      (await Promise.all(ends)).filter((status) => !REFUSALS.includes(status)),
      [],
      `round ${round}`,
    );

  t.test('S04: no write to the own profile reverts a demotion', async (t) => {
    for (let round = 0; round < ROUNDS; round++) {
      const { id, email, headers } = await person('ADMIN');
      let written = 0;
      const ends = writers(async ({ rest }, n) => {
        const body = { name: `Writer ${n}`, email, role: 'admin' };
        const { status } = await rest(n % 3 ? 'PUT' : 'PATCH', `${USERS}/${id}`, { headers, body });
        written += 1;
        return status;
      });
      await eventually('writes', () => written >= WRITERS || undefined);
      const demotion = await instanceOf(round).rest('PATCH', `${USERS}/${id}`, { as: admin, body: { role: 'viewer' } });
      t.same([demotion.status, demotion.body.role], [200, 'viewer']);
      await onlyRefusals(t, ends, round);
      t.equal((await client.user.findUniqueOrThrow({ where: { id } })).role, 'VIEWER', `round ${round}`);
    }
  });

  t.test('S04: nothing is written after a demotion that forbids it', async (t) => {
    const elsewhere = await client.post.create({ data: { authorId: admin.id, title: 'T' } });
    const kinds = ['post', 'comment', 'message'] as const;
    for (let round = 0; round < ROUNDS; round++) {
      const developer = await person('DEVELOPER');
      const where = { authorId: developer.id };
      const count = async () => [
        await client.post.count({ where }),
        await client.comment.count({ where }),
        await client.message.count({ where }),
      ];
      const ends = writers(async ({ graphql }, n) => {
        const documents = { post: CREATE_POST, comment: ADD_COMMENT, message: ADD };
        const variables = { postId: elsewhere.id, channelId: `round-${round}`, text: 'T' };
        const kind = kinds[n % kinds.length] as (typeof kinds)[number];
        const { errors } = await graphql(developer, documents[kind], variables);
        return errors[0]?.extensions.statusCode ?? 200;
      });
      await eventually('some of each', async () => (await count()).every((made) => made > 1) || undefined);
      const body = { role: 'viewer' };
      const demotion = await instanceOf(round).rest('PATCH', `${USERS}/${developer.id}`, { as: admin, body });
      t.equal(demotion.status, 200);
      const then = await count();
      await onlyRefusals(t, ends, round);
      t.strictSame(await count(), then, `round ${round}`);
    }
  });

  t.test('S04: the last writes of a deleted user are deleted, with tombstones', async (t) => {
    const elsewhere = await client.post.create({ data: { authorId: admin.id, title: 'T' } });
    for (let round = 0; round < ROUNDS; round++) {
      const leaver = await person('DEVELOPER');
      const acknowledged: [kind: 'POST' | 'COMMENT' | 'MESSAGE' | 'ORDER', id: number][] = [];
      const said = async (
        { graphql }: Patient,
        kind: 'POST' | 'COMMENT' | 'MESSAGE',
        document: string,
        field: string,
      ) => {
        const variables = { postId: elsewhere.id, channelId: `leaving-${round}`, text: 'T' };
        const { data, errors } = await graphql(leaver, document, variables);
        if (errors[0]) return errors[0].extensions.statusCode;
        acknowledged.push([kind, Number(data[field].id)]);
        return 200;
      };
      const ends = writers(async (instance, n) => {
        if (n % 4 === 0) return said(instance, 'POST', CREATE_POST, 'createPost');
        if (n % 4 === 1) return said(instance, 'COMMENT', ADD_COMMENT, 'addComment');
        if (n % 4 === 2) return said(instance, 'MESSAGE', ADD, 'addMessage');
        const headers = { 'idempotency-key': `${round}-${n}-${acknowledged.length}` };
        const sent = { as: leaver, body: EUR, ...(n % 8 === 3 && { headers }) };
        const { status, body } = await instance.rest('POST', `${USERS}/${leaver.id}/orders`, sent);
        // A token that is still accepted may get 410 instead of 401, because a deleted user has no orders.
        if (status === 410) return 401;
        if (status === 201) acknowledged.push(['ORDER', body.id]);
        return status;
      });
      await eventually('some of each', () => new Set(acknowledged.map(([kind]) => kind)).size === 4 || undefined);
      const deletion = await instanceOf(round).rest('DELETE', `${USERS}/${leaver.id}`, { as: admin });
      t.equal(deletion.status, 204);
      await onlyRefusals(t, ends, round);
      const graves = await client.tombstone.findMany({ select: { kind: true, id: true } });
      const known = new Set(graves.map(({ kind, id }) => `${kind} ${id}`));
      const lost = acknowledged.filter(([kind, id]) => !known.has(`${kind} ${id}`));
      t.strictSame(lost, [], `round ${round}: ${acknowledged.length} written`);
      t.equal(await client.idempotencyKey.count({ where: { callerId: leaver.id } }), 0);
    }
  });

  t.test('S04: one administrator always remains', async (t) => {
    const demote = { method: 'PATCH', body: { role: 'viewer' } };
    const remove = { method: 'DELETE', body: undefined };
    for (let round = 0; round < ROUNDS; round++) {
      const pair = [await person('ADMIN'), await person('ADMIN')] as const;
      await client.user.updateMany({
        where: { role: 'ADMIN', id: { notIn: pair.map(({ id }) => id) } },
        data: { role: 'VIEWER' },
      });
      const [{ method, body }, each] = [round % 2 ? demote : remove, round % 4 < 2];
      const answers = await Promise.all(
        Array.from({ length: WRITERS }, (_, n) => {
          const as = pair[n % 2] as Person;
          const whom = each ? as : (pair[(n + 1) % 2] as Person);
          return instanceOf(n + (n >> 1)).rest(method, `${USERS}/${whom.id}`, { as, body });
        }),
      );
      const statuses = answers.map(({ status }) => status);
      const done = statuses.filter((status) => status < 300);
      const what = `round ${round}, ${method} ${each ? 'oneself' : 'each other'}: ${statuses}`;
      t.ok(done.length > 0, what);
      t.same(
        statuses.filter((status) => status >= 300 && ![401, 403, 404, 409, 410].includes(status)),
        [],
        what,
      );
      t.equal(await client.user.count({ where: { role: 'ADMIN' } }), 1, what);
    }
    await client.user.update({ where: { id: admin.id }, data: { role: 'ADMIN' } });
  });

  t.test('writes to the same two accounts run concurrently', async (t) => {
    const pair = [await person('ADMIN'), await person('ADMIN')] as const;
    const answers = await Promise.all(
      Array.from({ length: 8 * WRITERS }, async (_, n) => {
        const as = pair[n % 2] as Person;
        const whom = pair[(n >> 1) % 2] as Person;
        const { rest } = instanceOf(n >> 2);
        const path = `${USERS}/${whom.id}`;
        if (n % 3 === 0) return rest('POST', `${path}/orders`, { as, body: EUR });
        return rest('PATCH', path, { as, body: { name: `Name ${n}`, email: whom.email } });
      }),
    );
    t.strictSame([...new Set(answers.map(({ status }) => status))].sort(), [200, 201]);
  });
});

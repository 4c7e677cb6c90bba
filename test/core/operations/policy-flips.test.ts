import t from 'tap';
import { application } from '../../../src/application/application.js';
import { models, Order, User } from '../../../src/application/models.js';
import { route } from '../../../src/application/routes.js';
import type { Application } from '../../../src/platform/core/application.js';
import type { Db, Operation } from '../../../src/platform/index.js';
import { create, record } from '../../../src/platform/index.js';
import type { Account, Json, Person } from '../../../src/testing/client.js';
import { allows, type MatrixRow, rootFields, rowsOfField, rowsOfOperation } from '../../../src/testing/contract.js';
import { type TestService, testService } from '../../../src/testing/index.js';
import { addressOf, isOwned, requestContext, soundRequest } from '../../../src/testing/sound-request.js';
import { example } from '../../support/conformance.js';
import { memoryDatabase } from '../../support/databases.js';

// Changes each cell of the policy and each owner in a running service, and expects an answer that violates the
// contract.

const ROLES = ['VIEWER', 'DEVELOPER', 'ADMIN'];
const REACHES = ['none', 'own', 'any'] as const;
type Reach = (typeof REACHES)[number];

const policy = structuredClone(application.policy) as Record<string, Record<string, Reach>>;
type Owner = (caller: { id: number; role: string }) => object;
/** Owners that differ from the application's, by model. */
const owners = new Map<string, Owner>();
const flippable = models.map((model) => ({
  ...model,
  owner: (caller: { id: number; role: string }) => (owners.get(model.name) ?? (model.owner as Owner))(caller),
}));
const pay = ({ body }: Json, { db, record }: Operation & { db: Db; record: Json }) =>
  db.payment
    .create({ data: { orderId: body.total.amount, dueAt: new Date() } })
    .then(() => db.order.create({ data: { userId: record.id, amount: 1, currency: 'EUR' } }));
const { orders } = application.handlers as { orders: Record<string, Json> };

const changed = {
  ...application,
  policy,
  models: flippable,
  handlers: {
    ...application.handlers,
    orders: {
      ...orders,
      createOrder: route({
        target: create(Order, { of: record(User, 'user_id') }),
        handler: pay as never,
        reply: orders['createOrder'].reply,
      }),
    },
  },
} as Application;

t.test('an answer reveals each changed cell of the policy', async (t) => {
  const database = await memoryDatabase(t);
  const service = await testService(changed, { ...(example as object), database, coverage: false });
  t.teardown(service.close);
  const { contract } = service;
  // A message of another account in the same channel.
  const { id: authorId } = await service.account('ADMIN');
  await database.client.message.create({ data: { authorId, channelId: 'c', text: 'T' } });
  const rows: { row: MatrixRow; attempt: Attempt; byOthers: boolean }[] = [
    ...contract.operations.flatMap((operation) =>
      rowsOfOperation(operation).map((row) => ({
        row,
        attempt: restAttempt(service, operation),
        byOthers: isOwned(example, operation),
      })),
    ),
    ...rootFields(contract.schema)
      .filter(([name]) => !name.startsWith('Subscription'))
      .flatMap(([name, field]) =>
        rowsOfField(contract.schema, name, field).map((row) => ({
          row,
          attempt: fieldAttempt(service, name),
          byOthers: name in (example.fields ?? {}),
        })),
      ),
  ];

  /** Returns true if an answer to the role differs from the contract's permissions for an action. */
  async function isNoticed(action: string, role: string): Promise<boolean> {
    for (const { row, attempt, byOthers } of rows) {
      if (!row.permissions.some((permission) => permission.action === action)) continue;
      for (const own of byOthers ? [true, false] : [true]) {
        const person = await service.person(role);
        const owner = own ? person : await service.account('DEVELOPER');
        const { isForbidden, othersShown } = await attempt(row, person, owner);
        if (isForbidden === allows(row, role, own)) return true;
        const reach = row.permissions[0]?.[role.toLowerCase()];
        if (othersShown !== undefined && othersShown !== (reach === 'any')) return true;
      }
    }
    return false;
  }

  t.test('no answer differs without a change', async (t) => {
    for (const action of Object.keys(policy))
      for (const role of ROLES) t.notOk(await isNoticed(action, role), `${action} ${role}`);
  });

  /** Requests of these actions name no resource of another account. */
  const HAS_NO_OTHER = ['posts.create', 'comments.create', 'messages.create', 'sessions.read', 'sessions.revoke'];
  /** The role of a new user is a protected member, so users.set-role decides as well. */
  const DECIDED_TWICE = ['users.create'];
  /** Subscribers share a stream, so only `any` and `none` start (careless.test.ts). */
  const OF_STREAMS = ['messages.subscribe'];

  for (const [action, row] of Object.entries(policy)) {
    if (OF_STREAMS.includes(action)) continue;
    t.test(action, async (t) => {
      for (const [role, reach] of Object.entries(row))
        for (const flipped of REACHES) {
          if (flipped === reach) continue;
          if (flipped !== 'none' && reach !== 'none' && HAS_NO_OTHER.includes(action)) continue;
          if (reach === 'none' && DECIDED_TWICE.includes(action)) continue;
          row[role] = flipped;
          t.ok(await isNoticed(action, role), `${role}: ${flipped} in place of ${reach}`);
          row[role] = reach;
        }
    });
  }

  /** An action with the reach `own` for a role, which the owner of the model decides. */
  const decided: Record<string, [action: string, role: string]> = {
    Post: ['posts.update', 'DEVELOPER'],
    Comment: ['comments.update', 'DEVELOPER'],
    Order: ['orders.cancel', 'VIEWER'],
    Message: ['messages.delete', 'DEVELOPER'],
  };
  const everybodys: Owner = () => ({ id: { gt: 0 } });
  const nobodys: Owner = () => ({ id: -1 });
  for (const { name } of models.filter((model) => model.name in decided))
    t.test(`the owner of ${name}`, async (t) => {
      for (const owner of [everybodys, nobodys]) {
        owners.set(name, owner);
        t.ok(await isNoticed(...(decided[name] as [string, string])), owner === nobodys ? 'nobody' : 'everybody');
        owners.delete(name);
      }
    });

  t.test('the owner of Payment', async (t) => {
    const stranger = await service.account('VIEWER');
    const statusOf = async (isOwn: boolean) => {
      const as = await service.person('VIEWER');
      const data = { userId: isOwn ? as.id : stranger.id, amount: 1, currency: 'EUR' };
      const { id: amount } = await database.client.order.create({ data });
      const body = { total: { amount, currency: 'EUR' } };
      return (await service.rest('POST', `/api/v1/users/${as.id}/orders`, { as, body })).status;
    };
    t.same([await statusOf(true), await statusOf(false)], [201, 403]);
    owners.set('Payment', () => ({ id: { not: '00000000-0000-0000-0000-000000000000' } }));
    t.equal(await statusOf(false), 201, 'everybody');
    owners.set('Payment', () => ({ id: '00000000-0000-0000-0000-000000000000' }));
    t.equal(await statusOf(true), 403, 'nobody');
    owners.delete('Payment');
  });
});

/** An answer: its denial, and whether a list contains rows of other accounts. */
interface Answered {
  isForbidden: boolean;
  othersShown?: boolean | undefined;
}
type Attempt = (row: MatrixRow, caller: Person, owner: Account) => Promise<Answered>;

const meet = ({ when }: MatrixRow, values: Json, about: Json) => when && example.conditions?.[when]?.(values, about);

function restAttempt(service: TestService, operation: Parameters<typeof rowsOfOperation>[0]): Attempt {
  return async (row, caller, owner) => {
    const { draft, context } = await soundRequest(service, example, operation, { caller, owner });
    meet(row, draft.body, context);
    const request = { headers: { ...draft.headers, ...caller.headers }, body: draft.body };
    const { status, body } = await service.rest(operation.method, addressOf(operation, draft), request);
    const isList = operation.operationId === 'listUsers' && status === 200;
    return { isForbidden: status === 403, othersShown: isList ? hasOthers(body, caller) : undefined };
  };
}

const hasOthers = (rows: { id: number | string }[], { id }: Account) => rows.some((row) => Number(row.id) !== id);

function fieldAttempt(service: TestService, name: string): Attempt {
  const [root = '', field = ''] = name.split('.');
  const definition = new Map(rootFields(service.contract.schema)).get(name);
  return async (row, caller, owner) => {
    const context = requestContext(service, caller, owner);
    const make = example.fields?.[name] ?? example.ownFields?.[name];
    const variables: Json = make
      ? await make(context)
      : name.endsWith('.messages') || name.endsWith('.addMessage')
        ? { channelId: 'c', text: 'T' }
        : {};
    if (name === 'Mutation.createPost') variables.title = 'T';
    meet(row, variables, context);
    const given = (definition?.args ?? []).filter((arg) => variables[arg.name] !== undefined);
    const inBrackets = (parts: string[]) => (parts.length > 0 ? `(${parts.join(', ')})` : '');
    const selected = { 'Query.users': '{ id }', 'Query.messages': '{ author { id } }' }[name] ?? '{ __typename }';
    const document = `${root.toLowerCase()}${inBrackets(given.map((argument) => `$${argument.name}: ${argument.type}`))} { ${field}${inBrackets(given.map((argument) => `${argument.name}: $${argument.name}`))} ${selected} }`;
    const used = Object.fromEntries(given.map((argument) => [argument.name, variables[argument.name]]));
    const { data, codes } = await service.graphql(caller, document, used);
    const users = data?.users ?? data?.messages?.map(({ author }: Json) => author);
    return { isForbidden: codes.includes('FORBIDDEN'), othersShown: users ? hasOthers(users, caller) : undefined };
  };
}

import { application } from '../../src/application/application.js';
import { variables } from '../../src/application/variables.js';
import type { RestOperation } from '../../src/platform/core/contract/openapi.js';
import { newToken } from '../../src/platform/parts/identity/sessions/session-tokens.js';
import { parameterNames } from '../../src/testing/contract.js';
import type { ConformanceOptions, Draft, RequestContext, TestRunner, TestService } from '../../src/testing/index.js';
import * as sound from '../../src/testing/sound-request.js';
import { PASSWORD, type Person } from './people.js';
import type { Instance } from './service.js';

const A_DAY = 86_400_000;
const DELETED = 999_998;

/** Creates a session and returns its refresh token. */
async function refreshToken({ service: { database }, owner }: RequestContext): Promise<string> {
  const { token, hash } = newToken('acr_');
  const expiresAt = new Date(Date.now() + A_DAY);
  const data = { userId: owner.id, expiresAt, tokens: { create: { hash } } };
  await database.client.session.create({ data });
  return token;
}

async function order({ service: { database }, owner }: RequestContext): Promise<number> {
  const data = { userId: owner.id, amount: 1999, currency: 'EUR' };
  return (await database.client.order.create({ data, select: { id: true } })).id;
}

async function session({ service: { database }, owner }: RequestContext): Promise<string> {
  const data = { userId: owner.id, expiresAt: new Date(Date.now() + A_DAY) };
  return (await database.client.session.create({ data, select: { id: true } })).id;
}

async function post({ service: { database }, owner }: RequestContext): Promise<number> {
  return (await database.client.post.create({ data: { authorId: owner.id, title: 'T' }, select: { id: true } })).id;
}

async function comment(asked: RequestContext): Promise<number> {
  const data = { authorId: asked.owner.id, postId: await post(asked), text: 'T' };
  return (await asked.service.database.client.comment.create({ data, select: { id: true } })).id;
}

async function message({ service: { database }, owner }: RequestContext): Promise<number> {
  const data = { authorId: owner.id, channelId: 'c', text: 'T' };
  return (await database.client.message.create({ data, select: { id: true } })).id;
}

const deleted =
  (kind: 'USER' | 'ORDER') =>
  async ({ database }: TestService) => {
    const row = { kind, id: DELETED };
    await database.client.tombstone.upsert({ where: { kind_id: row }, create: row, update: {} });
    return DELETED;
  };

const free = ({ number }: RequestContext) => `free${number}@example.com`;
const OTHER_ROLE: Record<string, string> = { VIEWER: 'developer', DEVELOPER: 'viewer', ADMIN: 'viewer' };
const byId =
  (make: (asked: RequestContext) => Promise<number>) =>
  async (asked: RequestContext): Promise<object> => ({ id: String(await make(asked)) });
const user = async ({ owner }: RequestContext) => owner.id;
const subjectOf = ({ path }: RestOperation) => parameterNames(path).at(-1);

/** Describes what the contracts of the example cannot express about their requests. */
export const example: ConformanceOptions = {
  variables,
  accounts: ['user_id'],
  make: { order_id: order },
  makeOwn: { session_id: session },
  deleted: { user_id: deleted('USER'), order_id: deleted('ORDER') },
  bodies: {
    login: ({ owner }) => ({ email: owner.email, password: PASSWORD }),
    refreshSession: async (asked) => ({ refresh_token: await refreshToken(asked) }),
    logout: async (asked) => ({ refresh_token: await refreshToken(asked) }),
    createUser: (asked, example) => ({ ...example, email: free(asked) }),
    replaceUser: (asked, example) => ({ ...example, email: free(asked), role: asked.owner.role.toLowerCase() }),
    changePassword: (_, example) => ({ ...example, current_password: PASSWORD }),
  },
  conditions: {
    'role differs from the stored one': (values, { owner }) => {
      values.role = OTHER_ROLE[owner.role];
    },
  },
  fields: {
    'Query.user': byId(user),
    'Query.post': byId(post),
    'Mutation.updateUser': async (asked) => ({ id: String(asked.owner.id), name: 'N' }),
    'Mutation.deleteUser': byId(user),
    'Mutation.updatePost': async (asked) => ({ id: String(await post(asked)), title: 'N' }),
    'Mutation.deletePost': byId(post),
    'Mutation.updateComment': async (asked) => ({ id: String(await comment(asked)), text: 'N' }),
    'Mutation.deleteComment': byId(comment),
    'Mutation.deleteMessage': byId(message),
  },
  ownFields: {
    'Mutation.createUser': (asked) => ({ input: { name: 'N', email: free(asked), role: 'VIEWER' } }),
    'Mutation.addComment': async (asked) => ({ postId: String(await post(asked)), text: 'N' }),
  },
  events: {
    'Subscription.messageAdded': ({ service: { graphql, people } }, { channelId }) =>
      graphql(people['developer'] ?? null, 'mutation($to: ID!) { addMessage(channelId: $to, text: "T") { id } }', {
        to: channelId,
      }),
  },
  faults: [
    {
      name: 'an e-mail address that is taken',
      status: 409,
      operations: ({ operation }) =>
        '409' in operation.responses &&
        'email' in (Object.values(operation.requestBody?.content ?? {})[0]?.schema?.properties ?? {}),
      apply: (draft, { service }) => {
        draft.body.email = service.people['developer']?.email.toUpperCase();
      },
    },
    {
      name: 'the last administrator',
      status: 409,
      operations: ['deleteUser'],
      apply: (draft, { service }) => {
        draft.path['user_id'] = String(service.people['admin']?.id);
      },
    },
    {
      name: 'an order that is final',
      status: 409,
      operations: (operation) => operation.method === 'POST' && subjectOf(operation) === 'order_id',
      apply: async ({ path }, { service: { database } }) => {
        const id = Number(path['order_id']);
        if (id < DELETED) await database.client.order.update({ where: { id }, data: { status: 'PAID' } });
      },
    },
  ],
  // The links of the root: test/core/http/platform.test.ts
  elsewhere: ({ operationId }) => operationId === 'getRoot',
  // The embedded gateway fails these payments.
  mayFail: ({ url, payload = '' }) => url.includes('/payment') && /tok_(fail|delay)/.test(String(payload)),
  draws: {
    runs: process.env['CI'] === 'true' ? 5000 : 300,
    // The seed is constant, so that no test fails by chance.
    seed: Number(process.env['PROPERTY_SEED'] ?? 1),
  },
  coverage: true,
};

type Suite = (t: TestRunner, served: typeof application, options: ConformanceOptions) => Promise<void>;

/** Runs a suite on the example, with databases that the test opens. */
export const ofExample = (suite: Suite, t: TestRunner, open: NonNullable<ConformanceOptions['open']>): Promise<void> =>
  suite(t, application, { ...example, open });

/** Returns a request that must succeed. @param as sends it with the permissions of an administrator */
export async function soundRequest(service: Instance, operation: RestOperation, as?: Person): Promise<Draft> {
  const who = as && operation.permission !== 'public' ? { caller: { ...as, role: 'ADMIN' } } : {};
  return (await sound.soundRequest(service as unknown as TestService, example, operation, who)).draft;
}

export const { addressOf } = sound;

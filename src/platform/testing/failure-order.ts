import t from 'tap';
import { errors } from '../../generated/errors.js';
import type { Operation } from '../../src/platform/contract/openapi.js';
import { contractOperations } from '../support/contract.js';
import { onEachDatabase } from '../support/databases.js';
import { stages } from '../support/pipeline.js';
import { type Service, startService } from '../support/service.js';
import { addressOf, type Draft, soundRequest } from '../support/sound-requests.js';

/** One way of being wrong. */
interface Fault {
  name: string;
  status: number;
  /** Its place in the order of failures (docs/decisions.md, "Failures"). */
  rank: number;
  /** That of the pipeline which tells it. */
  stage: string;
  /** Whether a request to this operation can be wrong in this way. */
  fits: (operation: Operation) => boolean;
  /** Decided by the handler, so that an operation that is not written yet does not tell it. */
  byHandler?: true;
  apply: (draft: Draft, operation: Operation, service: Service) => void | Promise<void>;
}

const ABSENT = '999999';
const DELETED = '999998';

const hasBody = ({ operation }: Operation) => operation.requestBody !== undefined;
const hasParameter =
  (name: string) =>
  ({ operation }: Operation) =>
    operation.parameters.some((one) => one.name === name);
const memberOf =
  (name: string) =>
  ({ operation }: Operation) =>
    name in (Object.values(operation.requestBody?.content ?? {})[0]?.schema?.properties ?? {});
const lastParameter = ({ path }: Operation) => [...path.matchAll(/{(\w+)}/g)].at(-1)?.[1];
const isOrder = (operation: Operation) => lastParameter(operation) === 'order_id';

/** The role that may not do it to what belongs to somebody else, if there is one. */
const strangerTo = ({ permission }: Operation): 'viewer' | 'developer' | undefined => {
  if (permission === 'public') return undefined;
  return (['viewer', 'developer'] as const).find((role) => permission[role] !== 'any');
};
/** Whose it is stands in the path, or it is nobody's; otherwise it must be loaded before the caller can be refused. */
const ownerIsKnown = (operation: Operation) =>
  operation.path.includes('{user_id}') || lastParameter(operation) === undefined;

const JSON_TYPE = { 'content-type': 'application/json' };

const faults: Fault[] = [
  {
    name: 'a body that is no JSON',
    status: 400,
    rank: 1,
    stage: 'body',
    fits: hasBody,
    apply: (draft) => void Object.assign(draft, { body: '{"', headers: { ...draft.headers, ...JSON_TYPE } }),
  },
  {
    name: 'an unknown query parameter',
    status: 400,
    rank: 1,
    stage: 'structure',
    fits: () => true,
    apply: (draft) => {
      draft.query['colour'] = 'red';
    },
  },
  {
    name: 'an id that is none',
    status: 400,
    rank: 1,
    stage: 'structure',
    fits: (operation) => lastParameter(operation)?.match(/user_id|order_id/) != null,
    apply: (draft, operation) => {
      draft.path[lastParameter(operation) as string] = 'x';
    },
  },
  {
    name: 'two selectors of versions that disagree',
    status: 400,
    rank: 1,
    stage: 'served-version',
    fits: hasParameter('version'),
    apply: (draft) => {
      draft.query['version'] = '7';
    },
  },
  {
    name: 'an answer that cannot be had',
    status: 406,
    rank: 1,
    stage: 'media-types',
    fits: ({ operation }) =>
      '406' in operation.responses && Object.values(operation.responses)[0]?.content !== undefined,
    apply: (draft) => {
      draft.headers['accept'] = 'image/png';
    },
  },
  {
    name: 'a media type that is not read',
    status: 415,
    rank: 1,
    stage: 'media-types',
    fits: ({ operation }) => '415' in operation.responses,
    apply: (draft) =>
      void Object.assign(draft, { body: 'text', headers: { ...draft.headers, 'content-type': 'text/plain' } }),
  },
  {
    name: 'a body that is too large',
    status: 413,
    rank: 1,
    stage: 'body',
    fits: ({ operation }) => '413' in operation.responses,
    apply: (draft) => void Object.assign(draft, { body: { name: 'x'.repeat(70_000) } }),
  },
  {
    name: 'no credentials',
    status: 401,
    rank: 2,
    stage: 'authentication',
    fits: ({ permission }) => permission !== 'public',
    apply: (draft) => {
      draft.as = undefined;
    },
  },
  {
    name: 'a bad credential',
    status: 401,
    rank: 2,
    stage: 'authentication',
    fits: ({ permission, operationId }) => permission !== 'public' || operationId === 'logout',
    apply: (draft) => {
      draft.as = undefined;
      draft.headers['authorization'] = 'Bearer a.b.c';
      // Whoever gives a refresh token may log out by it alone.
      if (draft.body?.refresh_token) draft.body = undefined;
    },
  },
  {
    name: 'a wrong password',
    status: 401,
    rank: 2,
    stage: 'access',
    byHandler: true,
    fits: ({ operationId }) => operationId === 'login',
    apply: (draft) => {
      draft.body.password = 'not this one';
    },
  },
  {
    name: 'a refresh token that nobody gave',
    status: 401,
    rank: 2,
    stage: 'access',
    byHandler: true,
    fits: ({ operationId }) => operationId === 'refreshSession',
    apply: (draft) => {
      draft.body = { ...draft.body, refresh_token: 'acr_nobody' };
    },
  },
  {
    name: 'a caller who may not',
    status: 403,
    rank: 3,
    stage: 'access',
    fits: (operation) => strangerTo(operation) !== undefined && operation.tag !== 'auth',
    apply: (draft, operation, service) => {
      draft.as = service[strangerTo(operation) as 'viewer'];
    },
  },
  {
    name: 'something that never was',
    status: 404,
    rank: 4,
    stage: 'existence',
    fits: (operation) => lastParameter(operation) !== undefined,
    apply: (draft, operation) => {
      const name = lastParameter(operation) as string;
      draft.path[name] = name === 'session_id' ? '019a0000-0000-7000-8000-000000000000' : ABSENT;
    },
  },
  {
    name: 'something that was deleted',
    status: 410,
    rank: 4,
    stage: 'existence',
    fits: (operation) => '410' in operation.operation.responses && lastParameter(operation) !== undefined,
    apply: (draft, operation) => {
      // Whose a deleted order was is not kept, so under a user it is the user who was deleted.
      const name = operation.path.includes('{user_id}') ? 'user_id' : (lastParameter(operation) as string);
      draft.path[name] = DELETED;
    },
  },
  {
    name: 'a state that has moved on',
    status: 412,
    rank: 5,
    stage: 'state',
    fits: hasParameter('If-Match'),
    apply: (draft) => {
      draft.headers['if-match'] = '"stale"';
    },
  },
  {
    name: 'an e-mail address that is taken',
    status: 409,
    rank: 6,
    stage: 'state',
    fits: (operation) => '409' in operation.operation.responses && memberOf('email')(operation),
    apply: (draft, _, { developer }) => {
      draft.body.email = developer.email.toUpperCase();
    },
  },
  {
    name: 'the last administrator',
    status: 409,
    rank: 6,
    stage: 'state',
    fits: ({ operationId }) => operationId === 'deleteUser',
    apply: (draft, _, { admin }) => {
      draft.path['user_id'] = String(admin.id);
    },
  },
  {
    name: 'an order that is final',
    status: 409,
    rank: 6,
    stage: 'state',
    fits: (operation) => operation.method === 'POST' && isOrder(operation),
    apply: async ({ path }, _, { database }) => {
      const where = { id: Number(path['order_id']) };
      if (where.id < Number(DELETED)) await database.client.order.update({ where, data: { status: 'PAID' } });
    },
  },
  {
    name: 'a member that is unknown',
    status: 422,
    rank: 7,
    stage: 'content',
    fits: hasBody,
    apply: (draft) => {
      draft.body = { ...draft.body, colour: 'red' };
    },
  },
  {
    name: 'a limit out of range',
    status: 422,
    rank: 7,
    stage: 'content',
    fits: hasParameter('limit'),
    apply: (draft) => {
      draft.query['limit'] = '0';
    },
  },
  {
    name: 'an idempotency key of another form',
    status: 422,
    rank: 7,
    stage: 'content',
    fits: hasParameter('Idempotency-Key'),
    apply: (draft) => {
      draft.headers['idempotency-key'] = 'two words';
    },
  },
];

/** Declared failures that no request of one caller can bring about here, with the test that does. */
const elsewhere = (operation: Operation, status: number): boolean =>
  // A slow client, by a raw socket: test/http/slow-clients.test.ts
  status === 408 ||
  // A version that is not served, by the subdomain: test/conformance/every-operation.test.ts
  (status === 404 && lastParameter(operation) === undefined) ||
  // Plain HTTP in production and cookies from a foreign origin; here where every role may.
  (status === 403 && (operation.tag === 'auth' || strangerTo(operation) === undefined)) ||
  // An idempotency key in flight needs two requests at once.
  (status === 409 && operation.operationId === 'createOrder') ||
  // Who was deleted, and has not been heard of as deleted: test/auth/auth.test.ts
  (status === 410 && operation.operationId === 'getCurrentUser') ||
  // The media type of an answer without a body is not negotiated.
  status === 406 ||
  // The metrics have a token of their own.
  operation.tag === 'platform';

const placeOf = ({ stage }: Fault) => stages.findIndex(({ name }) => name === stage);

t.test('the stages of the pipeline tell the failures in their order', async (t) => {
  for (const { name, stage, status } of faults) {
    const { refuses = [] } = stages.find((one) => one.name === stage) ?? {};
    t.ok(
      refuses.some((code) => errors[code].status === status),
      `${stage}: ${name}`,
    );
  }
  const inOrder = faults.toSorted((one, other) => placeOf(one) - placeOf(other) || one.rank - other.rank);
  // Who logs in or refreshes brings what they are known by in the body, which a service reads.
  const ranks = inOrder.filter(({ byHandler }) => !byHandler).map(({ rank }) => rank);
  t.strictSame(
    ranks,
    ranks.toSorted((a, b) => a - b),
  );
});

// The caller's requests are used up, so 429 is the last of the order in every request below.
const USED_UP = { RATE_LIMIT: '1', RATE_LIMIT_ANONYMOUS: '3', RATE_CEILING: '1000000', LOGIN_LIMIT: '1000' };

onEachDatabase(t, async (t, open) => {
  // Used up they stay, however long this takes.
  const now = Date.now();
  const service = await startService(t, await open(), USED_UP, () => now);
  const { rest, app, database } = service;
  for (const as of [service.admin, service.developer, service.viewer]) await rest('GET', '/api/v1/auth/me', { as });
  for (const kind of ['USER', 'ORDER'] as const) {
    await database.client.tombstone.create({ data: { kind, id: Number(DELETED) } });
  }

  const send = async (operation: Operation, wrong: Fault[]): Promise<number> => {
    const draft = await soundRequest(service, operation);
    // The later fault first: where both are in one place, the earlier one shows.
    for (const fault of wrong.toReversed()) await fault.apply(draft, operation, service);
    return (await rest(operation.method, addressOf(operation, draft), draft)).status;
  };

  for (const operation of contractOperations) {
    const { operationId } = operation;
    const declared = Object.keys(operation.operation.responses).map(Number);
    const isWritten = !app.notWritten.includes(operationId);
    // What is not written yet refuses all the same what is decided before its handler.
    const own = faults.filter(
      ({ fits, rank, byHandler }) => fits(operation) && (isWritten || (rank <= 2 && !byHandler)),
    );

    t.test(operationId, async (t) => {
      for (const status of declared.filter((one) => one >= 400 && one < 429 && isWritten)) {
        const told = own.some((fault) => fault.status === status) || elsewhere(operation, status);
        t.ok(told, `${status} is brought about by some fault`);
      }
      if (isWritten && declared.includes(429)) t.equal(await send(operation, []), 429, 'a sound request');
      for (const fault of own) t.equal(await send(operation, [fault]), fault.status, fault.name);
      const ranks = [...new Set(own.map(({ rank }) => rank))].sort((a, b) => a - b);
      for (const [index, rank] of ranks.entries()) {
        const next = ranks[index + 1];
        for (const first of own.filter((fault) => fault.rank === rank)) {
          const isNext = (fault: Fault) =>
            fault.rank === next || (fault.rank === rank && placeOf(fault) > placeOf(first));
          for (const second of own.filter(isNext)) {
            // An order that does not exist is 404 for everyone who is known (docs/decisions.md, "Failures").
            const mustLoad = first.status === 403 && second.rank === 4 && !ownerIsKnown(operation);
            const expected = mustLoad ? second.status : first.status;
            t.equal(await send(operation, [first, second]), expected, `${first.name} and ${second.name}`);
          }
        }
      }
    });
  }

  t.test('and nothing has had an effect', async (t) => {
    const users = await database.client.user.findMany();
    t.notOk(
      users.some(({ email, passwordHash }) => email.startsWith('free') || (email.startsWith('owner') && passwordHash)),
    );
    t.equal(await database.client.tombstone.count(), 2);
    t.equal(await database.client.order.count({ where: { status: { notIn: ['PENDING', 'PAID'] } } }), 0);
  });
});

import type { Test } from 'tap';
import type { Application } from '../../../src/platform/index.js';
import type { AppOptions } from '../../../src/platform/server/app.js';
import { type ConformanceOptions, type Person, type RequestContext, testService } from '../../../src/testing/index.js';
import { contractsFrom } from '../contracts.js';
import { memoryDatabase } from '../databases.js';
import { type LibraryServices, library } from './application.js';
import { contracts } from './files.js';
import type { Role } from './generated/policy.js';

export type { Person } from '../../../src/testing/index.js';

type About = RequestContext<LibraryServices>;

const loan = ({ service, owner, number }: About) => service.services.loans.put(`Loan ${number}`, owner.id);
const GONE = { kind: 'USER', id: 999_998 };
const ENDED = { kind: 'MESSAGE', id: 999_998 };

/** The information for requests that the contracts do not contain. */
export const conformance = async (): Promise<ConformanceOptions<LibraryServices>> => ({
  contracts: await contractsFrom(contracts.openapi, contracts.schema),
  accounts: ['person_id'],
  make: { loan_id: async (asked) => (await loan(asked)).id },
  deleted: {
    loan_id: async ({ database: { client } }) => {
      await client.tombstone.upsert({ where: { kind_id: ENDED }, create: ENDED, update: {} });
      return ENDED.id;
    },
    person_id: async ({ database: { client } }) => {
      await client.tombstone.upsert({ where: { kind_id: GONE }, create: GONE, update: {} });
      return GONE.id;
    },
  },
  bodies: {
    lend: ({ number }) => ({ book: `Book ${number}` }),
    appoint: ({ owner }) => ({ role: owner.role.toLowerCase() }),
  },
  fields: {
    'Query.loan': async (asked) => ({ id: String((await loan(asked)).id) }),
    'Mutation.endLoan': async (asked) => ({ id: String((await loan(asked)).id) }),
    'Mutation.appoint': ({ owner }) => ({ id: String(owner.id), role: owner.role }),
  },
  ownFields: { 'Mutation.lend': ({ number }) => ({ book: `Book ${number}` }) },
  events: {
    'Subscription.lent': ({ service, number }) => {
      const keeper = service.people['keeper'] as Person;
      return service.graphql(keeper, 'mutation($book: String!) { lend(book: $book) { id } }', {
        book: `Lent ${number} ${Math.random()}`,
      });
    },
  },
  conditions: {
    'role is another': (values, { owner }) => {
      const isUpper = values.role === values.role.toUpperCase();
      const other = owner.role === 'CLERK' ? 'READER' : 'CLERK';
      values.role = isUpper ? other : other.toLowerCase();
    },
  },
  faults: [
    {
      name: 'a book that somebody has',
      status: 423,
      operations: ['lend'],
      apply: async (draft, asked) => {
        draft.body = { ...draft.body, book: (await loan(asked)).text };
      },
    },
    {
      name: 'the last keeper',
      status: 409,
      operations: ['appoint', 'removePerson'],
      apply: (draft, { service }) => {
        draft.path['person_id'] = String(service.people['keeper']?.id);
        if (draft.body?.role) draft.body.role = 'clerk';
      },
    },
  ],
});

/** Starts the library on its own database. `options` extend the options of `buildApp`. */
export async function openLibrary(t: Test, options: Partial<AppOptions> = {}, application: Application = library) {
  const { contracts } = await conformance();
  const database = await memoryDatabase(t);
  const service = await testService(application, { contracts, database, people: {}, ...options });
  t.teardown(service.close);
  const ask = (path: string, method: string, as: Person | undefined, body?: object) =>
    service.rest(method, path, { as, ...(body && { body }) });
  return {
    database,
    person: (role: Role) => service.person(role),
    ask,
    fetch: service.fetch,
    rest: (method: string, path: string, as?: Person, body?: object) => ask(`/api/v1${path}`, method, as, body),
    /** Returns the data, and the `extensions` of each error. */
    async graphql(as: Person, query: string, variables: object = {}) {
      const { data, errors } = await service.graphql(as, query, variables);
      return { data, errors: errors.map(({ extensions }) => extensions) };
    },
  };
}

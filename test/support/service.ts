import type { Test } from 'tap';
import type { Code } from '../../generated/errors.js';
import { application } from '../../src/application/application.js';
import { variables } from '../../src/application/variables.js';
import type { Application } from '../../src/platform/core/application.js';
import type { Database } from '../../src/platform/database/open.js';
import type { AppOptions } from '../../src/platform/server/app.js';
import {
  type GraphQLAnswer as Answer,
  type RestAnswer,
  type TestService,
  testService,
} from '../../src/testing/index.js';
import type { Opened } from './databases.js';
import type { Person } from './people.js';
import './glue.js';

export type { RestAnswer, RestRequest } from '../../src/testing/index.js';
export type GraphQLAnswer = Answer<Code>;

/** The running example. Each answer is checked against the contract. */
export interface Instance extends Omit<TestService, 'graphql'> {
  graphql: (person: Person | null, query: string, variables?: object) => Promise<GraphQLAnswer>;
}

export interface Service extends Instance {
  database: Opened;
  admin: Person;
  developer: Person;
  viewer: Person;
}

/** The options of `buildApp`, and a changed example. */
type Options = Partial<AppOptions> & { changed?: Application };

async function start<Name extends string>(
  t: Test,
  database: Database,
  environment: Record<string, string>,
  people: Record<Name, string>,
  { changed = application, ...options }: Options,
): Promise<TestService<object, Name> & Instance> {
  const service = await testService(changed, {
    variables,
    coverage: true,
    onBreach: (breach) => t.fail(breach),
    ...options,
    database,
    environment,
    people,
  });
  t.teardown(service.close);
  return service as unknown as TestService<object, Name> & Instance;
}

/** Starts an instance without accounts. */
export const startInstance = (
  t: Test,
  database: Database,
  environment: Record<string, string> = {},
  options: Options = {},
): Promise<Instance> => start(t, database, environment, {}, options);

/** Starts a service with an account of each role. */
export async function startService(
  t: Test,
  database: Opened,
  environment: Record<string, string> = {},
  now: () => number = database.clock.now,
  options: Options = {},
): Promise<Service> {
  const people = { admin: 'ADMIN', developer: 'DEVELOPER', viewer: 'VIEWER' };
  const instance = await start(t, database, environment, people, { now, ...options });
  return { ...instance, ...instance.people, database };
}

export const codeOf = ({ status, body }: RestAnswer): [number, Code] => [status, body?.code];

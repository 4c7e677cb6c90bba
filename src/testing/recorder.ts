import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import { rootPath } from '@accord-api/platform/root';
import type { Contract } from './contract.js';
import { note, type Observations, writeObservations } from './coverage/observations.js';
import {
  type GraphQLObserver,
  type GraphQLRequest,
  type GraphQLResult,
  graphqlObserver,
} from './coverage/observe-graphql.js';
import { type Exchange, restObserver } from './coverage/observe-rest.js';

/** What this process has seen of the contracts of the project in a folder. */
const seenIn = new Map<string, Observations>();

function observationsOf(folder: string): Observations {
  const known = seenIn.get(folder);
  if (known) return known;
  const seen: Observations = new Map();
  seenIn.set(folder, seen);
  process.once('exit', () => writeObservations(folder, seen));
  return seen;
}

export interface Recorder {
  /** Notes what of the contract an exchange shows; `operation` is the one at its method and path. */
  rest: (operation: Operation | undefined, exchange: Exchange) => void;
  /** The same for a request to `/graphql` and its result, over HTTP or a socket. */
  graphql: (request: GraphQLRequest, result: GraphQLResult) => void;
}

/** What reads exchanges by a contract: made once, for there is a recorder for each service that is started. */
const observers = new WeakMap<Contract, { rest: ReturnType<typeof restObserver>; graphql: GraphQLObserver }>();

function observersOf(contract: Contract) {
  const known = observers.get(contract) ?? {
    rest: restObserver(contract.source),
    graphql: graphqlObserver(contract.schema),
  };
  observers.set(contract, known);
  return known;
}

/**
 * Notes what of a contract the tests see, for `accord coverage`, and leaves it in the project when the process ends.
 * @param folder of the project; that which is served
 */
export function recorderOf(contract: Contract, folder = rootPath()): Recorder {
  const seen = observationsOf(folder);
  const observe = observersOf(contract);
  return {
    rest: (operation, exchange) => note(seen, observe.rest(operation, exchange)),
    graphql: (request, result) => note(seen, observe.graphql(request, result)),
  };
}

import type { Operation } from '../contract/openapi.js';
import { rootPath } from '../root.js';
import type { Contract } from './contract.js';
import { note, type Observations, writeObservations } from './coverage/observations.js';
import { type GraphQLRequest, type GraphQLResult, graphqlObserver } from './coverage/observe-graphql.js';
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

/**
 * Notes what of a contract the tests see, for `accord coverage`, and leaves it in the project when the process ends.
 * @param folder of the project; that which is served
 */
export function recorderOf({ source, schema }: Contract, folder = rootPath()): Recorder {
  const seen = observationsOf(folder);
  const observeRest = restObserver(source);
  const observeGraphql = graphqlObserver(schema);
  return {
    rest: (operation, exchange) => note(seen, observeRest(operation, exchange)),
    graphql: (request, result) => note(seen, observeGraphql(request, result)),
  };
}

import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import type { OpenApiDocument } from '../../src/platform/contract/document.js';
import type { Operation } from '../../src/platform/contract/openapi.js';
import { parseYaml } from '../../src/platform/contract/yaml.js';
import { note, type Observations, writeObservations } from '../../src/workbench/coverage/observations.js';
import {
  type GraphQLRequest,
  type GraphQLResult,
  graphqlObserver,
} from '../../src/workbench/coverage/observe-graphql.js';
import { type Exchange, restObserver } from '../../src/workbench/coverage/observe-rest.js';

/** Held for a test that changes the directory. */
const root = process.cwd();

/** `openapi.yaml` as it is written. */
export const source = parseYaml(readFileSync('openapi.yaml', 'utf8')) as OpenApiDocument;

const seen: Observations = new Map();
process.once('exit', () => writeObservations(root, seen));

const observeRest = restObserver(source);
const observeGraphql = graphqlObserver(buildSchema(readFileSync('schema.graphql', 'utf8')));

/** Notes what of the contract an exchange shows, for `accord coverage`; `operation` is the one at its method and path. */
export const recordRest = (operation: Operation | undefined, exchange: Exchange): void =>
  note(seen, observeRest(operation, exchange));

/** The same for a request to `/graphql` and its result, over HTTP or a socket. */
export const recordGraphql = (request: GraphQLRequest, result: GraphQLResult): void =>
  note(seen, observeGraphql(request, result));

import { publishedContracts } from '../../src/platform/pages/published.js';
import { contractOf } from '../../src/testing/contract.js';
import type { Exchange } from '../../src/testing/coverage/observe-rest.js';
import { recorderOf } from '../../src/testing/recorder.js';

const { openapi, schemaGraphql } = await publishedContracts();
/** The contracts of the example, as its answers are held to them. */
export const contract = contractOf({ openapi, graphql: schemaGraphql.toString() });
export const { source, document, operations: contractOperations } = contract;

const recorder = recorderOf(contract);
export const recordGraphql = recorder.graphql;

/** Holds an answer to the contract that came in another way than by `rest`, and records what of the contract it shows. */
export function breaches(exchange: Exchange, notWritten: readonly string[]): string[] {
  recorder.rest(contract.operationOf(exchange), exchange);
  return contract.breaches(exchange, notWritten);
}

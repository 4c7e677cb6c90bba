import { publishedContracts } from '../../src/platform/core/contract/published.js';
import { rootPath } from '../../src/platform/root.js';
import { contractOf } from '../../src/testing/contract.js';
import { note, observationsOf } from '../../src/testing/coverage/elements.js';
import type { Exchange } from '../../src/testing/coverage/exchange.js';

const { openapi, schemaGraphql } = await publishedContracts();
export const contract = contractOf({ openapi, graphql: schemaGraphql.toString() });
export const { source, document, operations: contractOperations } = contract;

const observations = observationsOf(rootPath());

/** Checks an answer that `rest` did not receive, and records what it shows of the contract. */
export function breaches(exchange: Exchange, notWritten: readonly string[]): string[] {
  note(observations, contract.observeRest(exchange));
  return contract.breaches(exchange, notWritten);
}

import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
} from 'graphql';
import type { Transport } from '../order.js';
import { fragmentsOf, nodesWithin } from './cost.js';

/** A hostile document can have as many errors as tokens. */
export const MAX_ERRORS = 20;

export type GraphQLTransport = Exclude<Transport, 'REST'>;

export interface PreparedOperation {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  operationName: string | undefined;
  variableValues: Record<string, unknown>;
}

/** Returns the operation to run, which mercurius has found. @throws GraphQLError for a subscription with POST */
export function selectedOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | undefined,
  transport: GraphQLTransport,
): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName) as OperationDefinitionNode;
  if (operation.operation !== 'subscription' || transport !== 'GraphQL') return operation;
  const advice = 'Send a subscription over a WebSocket to this address (graphql-transport-ws).';
  throw new GraphQLError(schema.getSubscriptionType() ? advice : 'There are no subscriptions.', { nodes: [operation] });
}

const CONDITIONS = new Set(['skip', 'include']);

/**
 * Reports conditions on the root field of a subscription (GraphQL, September 2025, 5.2.4.1). graphql-js 16 has an older
 * rule, which throws for a variable, and fails at run time.
 */
export function conditionalRoots(document: DocumentNode): GraphQLError[] {
  const roots = operationsOf(document).filter(({ operation }) => operation === OperationTypeNode.SUBSCRIPTION);
  const sets = roots.map(({ selectionSet }) => selectionSet);
  const conditions = [...nodesWithin(fragmentsOf(document), sets)].flatMap(
    ({ directives = [] }) => directives.find(({ name }) => CONDITIONS.has(name.value)) ?? [],
  );
  const message = (name: string) => `The root field of a subscription takes no @${name}.`;
  return conditions.slice(0, MAX_ERRORS).map((node) => new GraphQLError(message(node.name.value), { nodes: [node] }));
}

const operationsOf = ({ definitions }: DocumentNode): OperationDefinitionNode[] =>
  definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);

/**
 * Removes the value of a variable, which may be a secret. graphql-js quotes it: `Variable "$x" got invalid value … at
 * "x.y"; reason`.
 */
export function withoutValue(error: GraphQLError): GraphQLError {
  if (!(error instanceof GraphQLError))
    return new GraphQLError('The variables are nested too deeply. Send flatter ones.');
  const [, variable, after] = /^Variable "\$(\w+)" got invalid value (.*)$/s.exec(error.message) ?? [];
  const reason = error.originalError?.message;
  if (variable === undefined || after === undefined || reason === undefined) return error;
  const path = / at "([^"]*)"$/.exec(after.slice(0, -`; ${reason}`.length))?.[1] ?? variable;
  const shown = reason.replace(/ value: .*$/s, ' value.').replace(/^Value "[^"]*" does/, 'The value does');
  return new GraphQLError(`Variable "$${path}" has an invalid value: ${shown}`, { nodes: error.nodes ?? null });
}

export function refuse(errors: readonly GraphQLError[]): void {
  if (errors.length > 0) throw new DocumentErrors(errors);
}

export class DocumentErrors extends Error {
  override readonly name = 'DocumentErrors';
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super('The document is not valid.');
    this.errors = errors;
  }
}

const INTROSPECTION_FIELDS = new Set(['__schema', '__type', '__typename']);

const introspections = new WeakMap<DocumentNode, boolean>();

export function isIntrospection(document: DocumentNode): boolean {
  const known = introspections.get(document) ?? selectsSchemaOnly(document);
  introspections.set(document, known);
  return known;
}

function selectsSchemaOnly(document: DocumentNode): boolean {
  const fragments = fragmentsOf(document);
  const operations = operationsOf(document);
  const sets = operations.map(({ selectionSet }) => selectionSet);
  const isSchemaOnly = (node: SelectionNode): boolean =>
    node.kind === Kind.FIELD
      ? INTROSPECTION_FIELDS.has(node.name.value)
      : node.kind === Kind.INLINE_FRAGMENT || fragments.has(node.name.value);
  return (
    operations.length > 0 &&
    operations.every(({ operation }) => operation === OperationTypeNode.QUERY) &&
    [...nodesWithin(fragments, sets)].every(isSchemaOnly)
  );
}

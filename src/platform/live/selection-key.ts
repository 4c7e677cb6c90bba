import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { Actor } from '../calls/access.js';
import { documentHash } from '../graphql/documents.js';
import type { CheckedOperation } from '../graphql/operation-check.js';
import type { OperationRequest } from '../graphql/request.js';

const known = new WeakMap<DocumentNode, string[]>();

/**
 * The variables on which the result of an event depends. The arguments of the subscription's own field choose the events, not
 * what is shown of them.
 */
function variablesOf(schema: GraphQLSchema, document: DocumentNode): string[] {
  const names = new Set<string>();
  const types = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(types, {
    VariableDefinition: () => false,
    Argument: () =>
      types.getDirective() == null && types.getParentType() === schema.getSubscriptionType() ? false : undefined,
    Variable: ({ name }) => void names.add(name.value),
  });
  visit(document, visitor);
  return [...names].sort();
}

/**
 * The same for all whose events look the same: the same document, operation, variables that matter, and role. It is short,
 * however long the document: each subscription has one.
 */
export function selectionKey(
  schema: GraphQLSchema,
  { document, text }: Pick<CheckedOperation, 'document' | 'text'>,
  { operationName, variables = {} }: OperationRequest,
  role: Actor['role'],
): string {
  const names = known.get(document) ?? variablesOf(schema, document);
  known.set(document, names);
  const mattering = names.filter((name) => Object.hasOwn(variables, name)).map((name) => [name, variables[name]]);
  return JSON.stringify([role, operationName, mattering, documentHash(text)]);
}

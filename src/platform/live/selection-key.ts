import { type DocumentNode, type GraphQLSchema, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import type { Actor } from '../calls/access.js';
import { textOf } from '../graphql/document-cache.js';
import { documentHash as hashOf } from '../graphql/documents.js';
import type { PreparedOperation } from '../graphql/operation-check.js';
import type { StreamSource } from './stream-source.js';

const known = new WeakMap<DocumentNode, string[]>();

/** The argument of a subscription's own field that says where a durable stream goes on, and nothing of what is shown. */
const SINCE = 'since';

/** The variables on which the result of an event may depend. */
function variablesOf(schema: GraphQLSchema, document: DocumentNode): string[] {
  const names = new Set<string>();
  const types = new TypeInfo(schema);
  const visitor = visitWithTypeInfo(types, {
    VariableDefinition: () => false,
    Argument: ({ name }) => {
      const isOfRoot = types.getDirective() == null && types.getParentType() === schema.getSubscriptionType();
      return isOfRoot && name.value === SINCE ? false : undefined;
    },
    Variable: ({ name }) => void names.add(name.value),
  });
  visit(document, visitor);
  return [...names].sort();
}

/**
 * The same for all whose events look the same: the same document, operation, variables that matter, and role, or where the
 * stream says so caller. It is short, however long the document and the variables: each subscription has one.
 */
export function selectionKey(
  { schema, document, operationName, variableValues: variables }: PreparedOperation,
  { id, role }: Actor,
  { perCaller }: Pick<StreamSource, 'perCaller'>,
): string {
  const names = known.get(document) ?? variablesOf(schema, document);
  known.set(document, names);
  const mattering = names.filter((name) => Object.hasOwn(variables, name)).map((name) => [name, variables[name]]);
  const caller = perCaller ? [role, id] : [role];
  return hashOf(JSON.stringify([caller, operationName, mattering, textOf(document)]));
}

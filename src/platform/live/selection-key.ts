import { type ASTNode, type DocumentNode, Kind, visit } from 'graphql';
import type { Actor } from '../calls/access.js';
import { documentHash } from '../graphql/documents.js';
import type { CheckedOperation } from '../graphql/operation-check.js';
import type { OperationRequest } from '../graphql/request.js';

/** Its arguments choose the events, not what is shown of them. */
const SOURCE_FIELD = 'messageAdded';

const known = new WeakMap<DocumentNode, string[]>();

/** The variables on which the result of an event depends. */
function variablesOf(document: DocumentNode): string[] {
  const names = new Set<string>();
  visit(document, {
    VariableDefinition: () => false,
    Argument(_node, _key, _parent, _path, ancestors) {
      const owner = ancestors.at(-1) as ASTNode | undefined;
      return owner?.kind === Kind.FIELD && owner.name.value === SOURCE_FIELD ? false : undefined;
    },
    Variable: ({ name }) => void names.add(name.value),
  });
  return [...names].sort();
}

/**
 * The same for all whose events look the same: the same document, operation, variables that matter, and role. It is short,
 * however long the document: each subscription has one.
 */
export function selectionKey(
  { document, text }: Pick<CheckedOperation, 'document' | 'text'>,
  { operationName, variables = {} }: OperationRequest,
  role: Actor['role'],
): string {
  const names = known.get(document) ?? variablesOf(document);
  known.set(document, names);
  const mattering = names.filter((name) => Object.hasOwn(variables, name)).map((name) => [name, variables[name]]);
  return JSON.stringify([role, operationName, mattering, documentHash(text)]);
}

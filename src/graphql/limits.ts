import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  visit,
} from 'graphql';
import { measure } from './measure.js';

/** How much one document may ask for. */
export interface Limits {
  /** Levels of fields: `user { name }` is 2. */
  depth: number;
  /** Each field costs 1, and a list multiplies what is selected under it. */
  complexity: number;
  /** Also of fields that stand beside themselves under one name. */
  aliases: number;
  directives: number;
  tokens: number;
}

export interface LimitedOperation {
  schema: GraphQLSchema;
  /** Parsed, not necessarily valid. */
  document: DocumentNode;
  operationName?: string | null | undefined;
  /** As the client sent them. */
  variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * Holds an operation against the limits before anything of it runs, by POST and by socket alike. The time that it takes
 * grows with the length of the document and not with what fragments unfold to, so it comes before validation.
 * @returns one error for each limit that is exceeded, and one for a fragment that contains itself
 */
export function checkLimits(
  { schema, document, operationName, variables }: LimitedOperation,
  limits: Limits,
): GraphQLError[] {
  const { aliases, introspectionAliases, repeats, directives } = counted(document);
  const ofDocument = [
    (document.tokenCount ?? 0) > limits.tokens && `more than ${limits.tokens} tokens`,
    Math.max(aliases, introspectionAliases) > limits.aliases && `more than ${limits.aliases} aliases`,
    repeats > limits.aliases && `more than ${limits.aliases} fields that are asked for again beside themselves`,
    directives > limits.directives && `more than ${limits.directives} directives`,
  ];
  const found = ofDocument.flatMap((what) => (what ? [new GraphQLError(`The document has ${what}.`)] : []));
  const operation = getOperationAST(document, operationName);
  // A document without that operation is refused elsewhere; one that is too long is not looked at any further.
  if (found.length > 0 || !operation) return found;

  const measured = measure(schema, document, operation, variables ?? {});
  if ('cycle' in measured) return [new GraphQLError('A fragment contains itself.', { nodes: [measured.cycle] })];
  const ofOperation = [
    measured.depth > limits.depth && `is deeper than ${limits.depth} levels of fields`,
    measured.cost > limits.complexity && `costs more than ${limits.complexity}`,
  ];
  const nodes = [operation];
  return ofOperation.flatMap((what) => (what ? [new GraphQLError(`The operation ${what}.`, { nodes })] : []));
}

/** Fields that ask for the schema, and the fragments that can only stand below one. */
const isIntrospection = (node: ASTNode): boolean =>
  (node.kind === Kind.FIELD && node.name.value.startsWith('__')) ||
  (node.kind === Kind.FRAGMENT_DEFINITION && node.typeCondition.name.value.startsWith('__'));

/**
 * Counts in the whole document, in operations and fragments that are not used as well. Aliases of introspection use up none
 * of the others, and are counted by themselves: they multiply an answer too. A field that stands beside itself is merged
 * and costs nothing to resolve, but validation compares each with each: 500 of them take it a quarter of a second.
 */
function counted(document: DocumentNode) {
  const count = { aliases: 0, introspectionAliases: 0, repeats: 0, directives: 0 };
  const names: Set<string>[] = [];
  let within = 0;
  visit(document, {
    enter(node, _key, parent) {
      if (isIntrospection(node)) within++;
      if (node.kind === Kind.DIRECTIVE) count.directives++;
      if (node.kind === Kind.SELECTION_SET) names.push(isInline(parent) ? (names.at(-1) ?? new Set()) : new Set());
      if (node.kind !== Kind.FIELD) return;
      if (node.alias) count[within > 0 ? 'introspectionAliases' : 'aliases']++;
      const name = (node.alias ?? node.name).value;
      if (names.at(-1)?.has(name) && within === 0) count.repeats++;
      names.at(-1)?.add(name);
    },
    leave(node) {
      if (isIntrospection(node)) within--;
      if (node.kind === Kind.SELECTION_SET) names.pop();
    },
  });
  return count;
}

/** What stands in an inline fragment stands beside what is around it. */
const isInline = (parent: ASTNode | readonly ASTNode[] | undefined): boolean =>
  parent !== undefined && 'kind' in parent && parent.kind === Kind.INLINE_FRAGMENT;

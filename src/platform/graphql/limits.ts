import {
  type ASTNode,
  type DocumentNode,
  type FragmentSpreadNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { measure } from './measure.js';
import { countRepeats, pairsOf } from './repeats.js';

/** How much one document may ask for. */
export interface Limits {
  /** Levels of fields: `user { name }` is 2. */
  depth: number;
  /** Each field costs 1, and a list multiplies what is selected under it. */
  complexity: number;
  /** Also how often one field may stand beside itself; several share the pairs that this makes. */
  aliases: number;
  directives: number;
  tokens: number;
  /** Bytes of a document that comes by a socket, which may hold it for long. */
  subscribe: number;
}

/**
 * Holds a document against the limits that do not depend on which of its operations runs, before it is validated. The time
 * that it takes grows with the length of the document and not with what fragments unfold to.
 * @param most aliases, where fewer are allowed than usual
 * @returns one error for each limit that is exceeded, or one for a fragment that is not there
 */
export function checkDocument(document: DocumentNode, limits: Limits, most = limits.aliases): GraphQLError[] {
  const { aliases, introspectionAliases, directives, unknown } = counted(document);
  // Validation would say so, too, but compares each spread of a selection with each before that.
  if (unknown) return [new GraphQLError(`Unknown fragment "${unknown.name.value}".`, { nodes: [unknown] })];
  // As many of one field as there may be aliases, and the field that they repeat.
  const pairs = pairsOf(limits.aliases + 1);
  const repeats = countRepeats(document, pairs);
  const found = [
    (document.tokenCount ?? 0) > limits.tokens && `more than ${limits.tokens} tokens`,
    Math.max(aliases, introspectionAliases) > most && `more than ${most} aliases`,
    Math.max(repeats.fields, repeats.introspection) > pairs && `more than ${pairs} pairs of fields beside themselves`,
    directives > limits.directives && `more than ${limits.directives} directives`,
  ];
  return found.flatMap((what) => (what ? [new GraphQLError(`The document has ${what}.`)] : []));
}

interface LimitedOperation {
  schema: GraphQLSchema;
  /** Parsed, not necessarily valid. */
  document: DocumentNode;
  operation: OperationDefinitionNode;
  /** As the client sent them. */
  variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/**
 * Holds an operation against the limits before anything of it runs, as quickly as `checkDocument`.
 * @returns one error for each limit that is exceeded, and one for a fragment that contains itself
 */
export function checkOperation(
  { schema, document, operation, variables }: LimitedOperation,
  limits: Limits,
): GraphQLError[] {
  const measured = measure(schema, document, operation, variables ?? {});
  if ('cycle' in measured) return [new GraphQLError('A fragment contains itself.', { nodes: [measured.cycle] })];
  const found = [
    measured.depth > limits.depth && `is deeper than ${limits.depth} levels of fields`,
    measured.cost > limits.complexity && `costs more than ${limits.complexity}`,
  ];
  const nodes = [operation];
  return found.flatMap((what) => (what ? [new GraphQLError(`The operation ${what}.`, { nodes })] : []));
}

/** Fields that ask for the schema, and the fragments that can only stand below one. */
const isIntrospection = (node: ASTNode): boolean =>
  (node.kind === Kind.FIELD && node.name.value.startsWith('__')) ||
  (node.kind === Kind.FRAGMENT_DEFINITION && node.typeCondition.name.value.startsWith('__'));

/**
 * Counts in the whole document, in operations and fragments that are not used as well. Aliases of introspection use up none
 * of the others, and are counted by themselves: they multiply an answer too.
 */
function counted(document: DocumentNode) {
  const count = { aliases: 0, introspectionAliases: 0, directives: 0 };
  const fragments = new Set(
    document.definitions.flatMap((one) => (one.kind === Kind.FRAGMENT_DEFINITION ? one.name.value : [])),
  );
  let unknown: FragmentSpreadNode | undefined;
  let within = 0;
  visit(document, {
    enter(node) {
      if (isIntrospection(node)) within++;
      if (node.kind === Kind.DIRECTIVE) count.directives++;
      if (node.kind === Kind.FRAGMENT_SPREAD && !fragments.has(node.name.value)) unknown ??= node;
      if (node.kind === Kind.FIELD && node.alias) count[within > 0 ? 'introspectionAliases' : 'aliases']++;
    },
    leave(node) {
      if (isIntrospection(node)) within--;
    },
  });
  return { ...count, unknown };
}

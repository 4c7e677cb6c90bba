import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  OperationTypeNode,
  type SelectionNode,
  specifiedRules,
  validate,
} from 'graphql';
import type { Actor } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { fragmentsOf, nodesWithin } from './cost.js';
import { type Documents, documentCache, type OperationRequest, parseDocument } from './documents.js';
import { checkDocument, checkOperation, type Limits } from './limits.js';

/** A hostile document can have as many errors as tokens. */
const MAX_ERRORS = 20;

export interface CheckOptions {
  schema: GraphQLSchema;
  documents: Documents;
  limits: Limits;
  introspection: boolean;
}

export type Transport = 'post' | 'socket';

export interface ParsedDocument {
  text: string;
  document: DocumentNode;
  /** True if no service decides about the caller and the rate. */
  isIntrospection: boolean;
}

export interface PreparedOperation {
  schema: GraphQLSchema;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  operationName: string | undefined;
  variableValues: Record<string, unknown>;
}

export function operationChecker({ schema, documents, limits, introspection }: CheckOptions) {
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const valid = documentCache();

  return {
    /** @throws GraphQLError for syntax; Failure BAD_REQUEST, PAYLOAD_TOO_LARGE */
    parse(request: OperationRequest, transport: Transport): ParsedDocument {
      const text = documents.textOf(request);
      if (transport === 'socket' && Buffer.byteLength(text) > limits.subscribe)
        throw new Failure('PAYLOAD_TOO_LARGE', `A document on a socket must have at most ${limits.subscribe} bytes.`);
      const document = valid.get(text) ?? parseDocument(text, limits.tokens);
      return { text, document, isIntrospection: isIntrospection(document) };
    },

    /**
     * Checks limits, validity and variables. A document of an anonymous caller is not cached, and has no aliases, which
     * would multiply the answer.
     * @throws DocumentErrors, GraphQLError
     */
    check(
      request: OperationRequest,
      { text, document: parsed }: ParsedDocument,
      actor: Actor | null,
      transport: Transport,
    ): PreparedOperation {
      // Another request may have validated the same text in the meantime.
      const known = valid.get(text);
      const document = known ?? parsed;
      const { variables = {}, operationName } = request;
      const operation = operationOf(document, operationName, transport);
      if (!known || !actor) refuse(checkDocument(document, limits, actor ? limits.aliases : 0));
      refuse(checkOperation({ schema, document, operation, variables }, limits));
      if (!known) refuse(conditionalRoots(document));
      if (!known) refuse(validate(schema, document, rules, { maxErrors: MAX_ERRORS }));
      const { errors } = getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
        maxErrors: MAX_ERRORS,
      });
      refuse((errors ?? []).map(withoutValue));
      if (actor) {
        if (!known) valid.set(text, document);
        documents.ran(request, text);
      }
      return { schema, document, operation, operationName, variableValues: variables };
    },
  };
}

function operationOf(
  document: DocumentNode,
  operationName: string | undefined,
  transport: Transport,
): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  if (!operation)
    throw new GraphQLError(
      operationsOf(document).length > 0
        ? '`operationName` must name one operation of the document.'
        : 'The document must have an operation, for example `{ __typename }`.',
    );
  if (operation.operation === 'subscription' && transport === 'post')
    throw new GraphQLError('Send a subscription over a WebSocket to this address (graphql-transport-ws).', {
      nodes: [operation],
    });
  return operation;
}

const CONDITIONS = new Set(['skip', 'include']);

/**
 * Reports conditions on the root field of a subscription (GraphQL, September 2025, 5.2.4.1). graphql-js 16 has an older
 * rule, and fails at run time.
 */
function conditionalRoots(document: DocumentNode): GraphQLError[] {
  const isSubscription = ({ operation }: OperationDefinitionNode) => operation === OperationTypeNode.SUBSCRIPTION;
  const roots = operationsOf(document).filter(isSubscription);
  const nodes = nodesWithin(
    fragmentsOf(document),
    roots.map(({ selectionSet }) => selectionSet),
  );
  const conditions = [...nodes].flatMap(
    ({ directives = [] }) => directives.find(({ name }) => CONDITIONS.has(name.value)) ?? [],
  );
  return conditions.slice(0, MAX_ERRORS).map((condition) => {
    const message = `The root field of a subscription takes no @${condition.name.value}.`;
    return new GraphQLError(message, { nodes: [condition] });
  });
}

const operationsOf = ({ definitions }: DocumentNode): OperationDefinitionNode[] =>
  definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);

/**
 * Removes the value of a variable, which may be a secret. graphql-js quotes it: `Variable "$x" got invalid value … at
 * "x.y"; reason`.
 */
function withoutValue(error: GraphQLError): GraphQLError {
  if (!(error instanceof GraphQLError))
    return new GraphQLError('The variables are nested too deeply. Send flatter ones.');
  const [, variable, after] = /^Variable "\$(\w+)" got invalid value (.*)$/s.exec(error.message) ?? [];
  const reason = error.originalError?.message;
  if (variable === undefined || after === undefined || reason === undefined) return error;
  const path = / at "([^"]*)"$/.exec(after.slice(0, -`; ${reason}`.length))?.[1] ?? variable;
  const shown = reason.replace(/ value: .*$/s, ' value.').replace(/^Value "[^"]*" does/, 'The value does');
  return new GraphQLError(`Variable "$${path}" has an invalid value: ${shown}`, { nodes: error.nodes ?? null });
}

function refuse(errors: readonly GraphQLError[]): void {
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

import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  specifiedRules,
  validate,
} from 'graphql';
import type { Actor } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { UnconditionalSubscriptionRule } from '../live/subscription-rule.js';
import { documentCache } from './document-cache.js';
import type { Documents } from './documents.js';
import { isIntrospection } from './introspection.js';
import { checkDocument, checkOperation, type Limits } from './limits.js';
import { parseDocument } from './parse.js';
import type { OperationRequest } from './request.js';
import { variableFaults } from './variables.js';

/** Faults of one document that are looked for; a hostile one could have as many as it has tokens. */
const MAX_FAULTS = 20;

export interface CheckOptions {
  schema: GraphQLSchema;
  documents: Documents;
  limits: Limits;
  /** Whether the schema may be asked for. */
  introspection: boolean;
}

/** How an operation comes: a POST cannot carry subscriptions, and a socket no long documents. */
export type Transport = 'post' | 'socket';

/** A document that can be read, of which nothing else is known. */
export interface ParsedDocument {
  text: string;
  document: DocumentNode;
  /** It asks for nothing but the schema, so that no service decides on the caller and the rate. */
  isIntrospection: boolean;
}

/** An operation that may run: all that graphql needs for it, but the context. A subscription keeps it for as long as it goes on. */
export interface PreparedOperation {
  schema: GraphQLSchema;
  document: DocumentNode;
  /** The one of the document that runs. */
  operation: OperationDefinitionNode;
  operationName: string | undefined;
  variableValues: Record<string, unknown>;
}

/** All that is looked at in an operation before it runs: first without knowing who calls, then for its caller. */
export function operationChecker({ schema, documents, limits, introspection }: CheckOptions) {
  const rules = [...specifiedRules, UnconditionalSubscriptionRule];
  if (!introspection) rules.push(NoSchemaIntrospectionCustomRule);
  const sound = documentCache();

  return {
    /** @throws what keeps the document from being read: 400, or 413 */
    parse(request: OperationRequest, transport: Transport): ParsedDocument {
      const text = documents.textOf(request);
      if (transport === 'socket' && Buffer.byteLength(text) > limits.subscribe) {
        throw new Failure('PAYLOAD_TOO_LARGE', `A document on a socket has at most ${limits.subscribe} bytes.`);
      }
      const document = sound.find(text) ?? parseDocument(text, limits.tokens);
      return { text, document, isIntrospection: isIntrospection(document) };
    },

    /**
     * What comes from nobody is not remembered, and has no aliases, which would multiply the answer.
     * @throws all else that is wrong with the document or the variables (400)
     */
    check(
      request: OperationRequest,
      { text, document: parsed }: ParsedDocument,
      actor: Actor | null,
      transport: Transport,
    ): PreparedOperation {
      // The same text may have been found sound meanwhile: then all share that document.
      const known = sound.find(text);
      const document = known ?? parsed;
      const { variables = {}, operationName } = request;
      const operation = operationOf(document, operationName, transport);
      if (!known || !actor) refuse(checkDocument(document, limits, actor ? limits.aliases : 0));
      refuse(checkOperation({ schema, document, operation, variables }, limits));
      if (!known) refuse(validate(schema, document, rules, { maxErrors: MAX_FAULTS }));
      refuse(variableFaults(schema, operation, variables, MAX_FAULTS));
      // What is left is missing: the order of failures has it here, before what needs the caller.
      refuse(getVariableValues(schema, operation.variableDefinitions ?? [], variables).errors);
      if (actor) {
        if (!known) sound.keep(text, document);
        documents.ran(request, text);
      }
      return { schema, document, operation, operationName, variableValues: variables };
    },

    /** To be told of an operation that goes on for long. */
    hold: ({ document }: PreparedOperation): void => sound.hold(document),
  };
}

function operationOf(
  document: DocumentNode,
  operationName: string | undefined,
  transport: Transport,
): OperationDefinitionNode {
  const operation = getOperationAST(document, operationName);
  const several = document.definitions.some(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (!operation) {
    throw new GraphQLError(
      several ? 'operationName does not name one operation of the document.' : 'There is no operation.',
    );
  }
  if (operation.operation === 'subscription' && transport === 'post') {
    throw new GraphQLError('Subscriptions travel over a WebSocket at this address.', { nodes: [operation] });
  }
  return operation;
}

function refuse(errors: readonly GraphQLError[] = []): void {
  if (errors.length > 0) throw new DocumentErrors(errors);
}

/** All that is wrong with one document. */
export class DocumentErrors extends Error {
  override readonly name = 'DocumentErrors';
  readonly errors: readonly GraphQLError[];

  constructor(errors: readonly GraphQLError[]) {
    super('The document is not valid.');
    this.errors = errors;
  }
}

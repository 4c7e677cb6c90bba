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
import { type Actor, authenticated } from '../calls/access.js';
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
  /** Whether a document of nothing but introspection needs no credential. */
  openIntrospection: boolean;
}

/** An operation that may run. */
export interface CheckedOperation {
  text: string;
  document: DocumentNode;
  operation: OperationDefinitionNode;
  /** It asks for nothing but the schema, so that no service decides on the caller and the rate. */
  isIntrospection: boolean;
}

export type OperationChecker = ReturnType<typeof operationChecker>;

/** All that is looked at before an operation runs, by POST and by socket alike. */
export function operationChecker({ schema, documents, limits, introspection, openIntrospection }: CheckOptions) {
  const rules = [...specifiedRules, UnconditionalSubscriptionRule];
  if (!introspection) rules.push(NoSchemaIntrospectionCustomRule);
  const sound = documentCache();

  return {
    /**
     * What comes from nobody is parsed, and neither validated nor remembered; only the schema, where it is open, is told to
     * nobody, and without aliases, which would multiply the answer.
     * @param identify who calls, or null; rejects for a credential that does not hold
     * @param transport a POST cannot carry subscriptions, and a socket no long documents
     * @throws what keeps the document from being read (400, 413), then UNAUTHENTICATED, then what else is wrong with it (400)
     */
    async check(
      request: OperationRequest,
      identify: () => Promise<Actor | null>,
      transport: 'post' | 'socket',
    ): Promise<CheckedOperation> {
      const text = documents.textOf(request);
      if (transport === 'socket' && Buffer.byteLength(text) > limits.subscribe) {
        throw new Failure('PAYLOAD_TOO_LARGE', `A document on a socket has at most ${limits.subscribe} bytes.`);
      }
      const parsed = sound.find(text) ?? parseDocument(text, limits.tokens);
      const ofSchema = isIntrospection(parsed);
      const actor = await identify();
      if (!(openIntrospection && ofSchema)) authenticated({ actor });

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
      return { text, document, operation, isIntrospection: ofSchema };
    },

    /** To be told of an operation that goes on for long. */
    hold: ({ text, document }: CheckedOperation): void => sound.hold(text, document),
  };
}

function operationOf(
  document: DocumentNode,
  operationName: string | undefined,
  transport: 'post' | 'socket',
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

import { makeExecutableSchema } from '@graphql-tools/schema';
import type { Ajv2020 } from 'ajv/dist/2020.js';
import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type ValueNode,
} from 'graphql';
import { Failure } from '../calls/errors.js';
import { bounded, type Issue } from '../calls/issues.js';
import { unstorableText } from '../calls/text.js';
import { toFailure } from '../http/failures.js';
import { bodyIssues, lazily, schemaCompiler } from '../http/json-schema.js';
import { argumentsSchema, leastId } from './constraints.js';
import type { GraphQLContext } from './context.js';
import { checkPermissions } from './permissions.js';

/**
 * The executable schema. Every field that takes arguments gets them checked: ids at once (BAD_REQUEST), the content at
 * the service's checkpoint (VALIDATION_FAILED), as `@constraint` says.
 * @param typeDefs the text of `schema.graphql`
 * @param resolvers by type and field
 * @param onField told what became of each root field, and of each field below that failed
 * @throws Error when a root field has no `@permission`
 */
export function executableSchema(
  typeDefs: string,
  resolvers: object,
  onField: FieldListener = () => {},
): GraphQLSchema {
  const schema = makeExecutableSchema<GraphQLContext>({ typeDefs, resolvers: resolvers as never });
  checkPermissions(schema);
  const ajv = schemaCompiler();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const isRoot = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].includes(type);
    for (const field of Object.values(type.getFields())) {
      if (field.args.length > 0) checkArguments(schema, ajv, field);
      tellOutcome(field, (code) => {
        if (isRoot || code !== 'OK') onField(type.name, field.name, code);
      });
    }
  }
  return schema;
}

/** `code`: of the failure, or `OK`. */
export type FieldListener = (type: string, field: string, code: string) => void;

/** Tells what becomes of a field that has a resolver of its own; of a subscription, what became of its beginning. */
function tellOutcome(field: GraphQLField<unknown, GraphQLContext>, tell: (code: string) => void): void {
  const failed = (error: unknown): never => {
    tell(toFailure(error).code);
    throw error;
  };
  const done = <T>(value: T): T => {
    tell('OK');
    return value;
  };
  const telling = (resolve: GraphQLFieldResolver<unknown, GraphQLContext>): typeof resolve => {
    return (parent, args, context, info) => {
      let value: unknown;
      try {
        value = resolve(parent, args, context, info);
      } catch (error) {
        return failed(error);
      }
      return isThenable(value) ? Promise.resolve(value).then(done, failed) : done(value);
    };
  };
  if (field.subscribe) field.subscribe = telling(field.subscribe);
  else if (field.resolve) field.resolve = telling(field.resolve);
}

/** What GraphQL waits for; a promise of Prisma is none of Node's. */
const isThenable = (value: unknown): boolean =>
  typeof (value as { then?: unknown } | null | undefined)?.then === 'function';

const isId = (text: string, least: number): boolean => /^(?:0|[1-9][0-9]*)$/.test(text) && Number(text) >= least;

/** Puts the checks of the arguments in front of the field's own resolver. */
function checkArguments(schema: GraphQLSchema, ajv: Ajv2020, field: GraphQLField<unknown, GraphQLContext>): void {
  const faults = lazily(ajv, () => argumentsSchema(schema, field.args));
  const ids = field.args.flatMap((arg) => {
    const least = leastId(schema, arg);
    return least === undefined ? [] : { name: arg.name, least };
  });
  const { resolve = defaultFieldResolver, subscribe } = field;
  /** Where a document itself says all arguments, and they are right: they are right each time. */
  const sound = new WeakSet<FieldNode>();

  const checked = (
    args: Record<string, unknown>,
    context: GraphQLContext,
    { fieldNodes: [node] }: GraphQLResolveInfo,
  ): GraphQLContext => {
    if (node && sound.has(node)) return context;
    const wrong = ids.filter(({ name, least }) => args[name] != null && !isId(String(args[name]), least));
    if (wrong.length > 0) {
      const issues = wrong.map(
        ({ name, least }): Issue => ({ pointer: `/${name}`, detail: `must be an integer of at least ${least}` }),
      );
      throw new Failure('BAD_REQUEST', `An id is an integer of at least ${wrong[0]?.least}.`, { issues });
    }
    const content = bounded(bodyIssues(faults(args)), unstorableText(args));
    if (content.issues.length > 0) return { ...context, call: context.callWith(content) };
    if (node && !node.arguments?.some(({ value }) => isVariable(value))) sound.add(node);
    return context;
  };
  field.resolve = (parent, args, context, info) => resolve(parent, args, checked(args, context, info), info);
  if (subscribe)
    field.subscribe = (parent, args, context, info) => subscribe(parent, args, checked(args, context, info), info);
}

/** Whether a value in a document is, or holds, one that comes beside it. */
function isVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(isVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => isVariable(field.value));
  return value.kind === Kind.VARIABLE;
}

import { makeExecutableSchema } from '@graphql-tools/schema';
import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isObjectType,
  type ObjectTypeDefinitionNode,
  parse,
} from 'graphql';
import type { Policy } from '../calls/access.js';
import { notWritten } from '../calls/errors.js';
import { toFailure } from '../http/failures.js';
import { schemaCompiler } from '../http/json-schema.js';
import { checkRoutes } from '../operations/check.js';
import type { DeclaredModels } from '../operations/model-data.js';
import { checkArguments } from './arguments.js';
import type { GraphQLContext } from './context.js';
import { nameField } from './errors.js';
import { checkPermissions } from './permissions.js';
import { type SchemaRelations, schemaRelations } from './relations.js';
import { withRoutes } from './routes.js';

interface SchemaOptions {
  readonly policy: Policy;
  readonly models: DeclaredModels;
  /** Called with the outcome of each root field, and of each field below that failed. */
  readonly onField?: FieldListener;
}

/**
 * The executable schema. Routes become the resolvers of root fields; a field that is a relation of its type's model, and has no
 * resolver, is read with its parent. Every field with arguments has them checked: ids at once (BAD_REQUEST), the content with the
 * rate (VALIDATION_FAILED), as `@constraint` says.
 * @param typeDefs the text of `schema.graphql`
 * @param resolvers by type and field
 * @throws Error when a root field has no `@permission`, or a route does not decide what its action needs
 */
export function executableSchema(
  typeDefs: string,
  resolvers: object,
  { policy, models, onField = () => {} }: SchemaOptions,
): GraphQLSchema {
  const actions = rootActions(typeDefs);
  const complete = withNotWritten(resolvers as Resolvers, [...actions.keys()]);
  const routes = ROOTS.flatMap((type) =>
    Object.entries(complete[type] ?? {}).map(([field, route]) => {
      const by = `${type}.${field}`;
      const { action = '', parameters = [] } = actions.get(by) ?? {};
      return { by, action, route, parameters };
    }),
  );
  checkRoutes(policy, models, routes);

  let relations: SchemaRelations | undefined;
  const made = withRoutes(complete, {
    actionOf: (type, field) => actions.get(`${type}.${field}`)?.action ?? '',
    relations: () => relations as SchemaRelations,
  });
  const schema = makeExecutableSchema<GraphQLContext>({ typeDefs, resolvers: made as never });
  checkPermissions(schema);
  const written = new Set(objectFields(schema).filter(({ resolve }) => resolve));
  relations = schemaRelations(schema, models);
  const ajv = schemaCompiler();
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const isRoot = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].includes(type);
    for (const field of Object.values(type.getFields())) {
      if (field.args.length > 0) checkArguments(schema, ajv, field, !isRoot && written.has(field));
      else field.resolve ??= memberResolver;
      tellOutcome(`${type.name}.${field.name}`, field, (code) => {
        if (isRoot || code !== 'OK') onField(type.name, field.name, code);
      });
    }
  }
  return schema;
}

const objectFields = (schema: GraphQLSchema): GraphQLField<unknown, GraphQLContext>[] =>
  Object.values(schema.getTypeMap()).flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()) : []));

/** The member of a row; a time is shown in ISO 8601. */
const memberResolver: GraphQLFieldResolver<unknown, GraphQLContext> = (parent, args, context, info) => {
  const value: unknown = defaultFieldResolver(parent, args, context, info);
  return value instanceof Date ? value.toISOString() : value;
};

const ROOTS = ['Query', 'Mutation', 'Subscription'];

type Resolvers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Adds `notWritten` for root fields without a resolver: graphql would answer them by itself, and ask nobody. */
function withNotWritten(resolvers: Resolvers, fields: readonly string[]): Resolvers {
  const complete: Record<string, Record<string, unknown>> = { ...resolvers } as never;
  for (const [type = '', field = ''] of fields.map((one) => one.split('.')))
    complete[type] = { [field]: notWritten, ...complete[type] };
  return complete;
}

/** The action of each root field, as its first `@permission` says, and its arguments. */
function rootActions(typeDefs: string): ReadonlyMap<string, { action: string; parameters: string[] }> {
  const types = parse(typeDefs).definitions.filter(
    (one): one is ObjectTypeDefinitionNode => 'fields' in one && 'name' in one && ROOTS.includes(one.name.value),
  );
  return new Map(
    types.flatMap((type) =>
      (type.fields ?? []).flatMap(({ name, directives = [], arguments: args = [] }) => {
        const found = directives
          .find((one) => one.name.value === 'permission')
          ?.arguments?.find((one) => one.name.value === 'action');
        const by = `${type.name.value}.${name.value}`;
        const parameters = args.map((one) => one.name.value);
        return found?.value.kind === 'StringValue' ? [[by, { action: found.value.value, parameters }] as const] : [];
      }),
    ),
  );
}

/** `code`: of the failure, or `OK`. */
type FieldListener = (type: string, field: string, code: string) => void;

/** Tells what becomes of a field that has a resolver of its own; of a subscription, what became of its beginning. */
function tellOutcome(name: string, field: GraphQLField<unknown, GraphQLContext>, tell: (code: string) => void): void {
  const failed = (thrown: unknown): never => {
    const error = typeof thrown === 'object' && thrown !== null ? thrown : new Error(`thrown: ${thrown}`);
    nameField(error, name);
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

import { addResolversToSchema } from '@graphql-tools/schema';
import {
  buildSchema,
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
} from 'graphql';
import type { Policy } from '../calls/access.js';
import { notWritten } from '../calls/errors.js';
import type { Cursors, Page, PageRequest, WindowPage } from '../calls/rows.js';
import { waits } from '../calls/schedulers.js';
import { refuseUnanswered } from '../contract/part-operations.js';
import { toFailure } from '../http/failures.js';
import { schemaCompiler } from '../http/json-schema.js';
import { checkRoutes } from '../operations/check.js';
import type { AnyRow } from '../operations/model.js';
import type { ModelStream } from '../operations/model-data.js';
import { operationOf, type StagedServices } from '../operations/operate.js';
import { isRoute, type Route } from '../operations/route.js';
import { checkArguments } from './arguments.js';
import type { GraphQLContext } from './context.js';
import { setErrorField } from './errors.js';
import { findRelations, installRelations, isShared, rootPlan, type SchemaRelations } from './relations.js';
import { type ConnectionArgs, connectionOf, markRows, page, type SelectionPlan, windowOf } from './selection.js';
import { readFields } from './writer.js';

type Resolve = GraphQLFieldResolver<unknown, GraphQLContext, Record<string, unknown>>;

interface RootFieldOptions {
  /** `Type.field`. */
  readonly name: string;
  readonly action: string;
  readonly services: StagedServices;
  readonly isMutation: boolean;
  readonly route: Route<never, unknown>;
  /** Returns the relations of the schema, which exists only after its resolvers. */
  readonly relations: () => SchemaRelations;
}

const sent = (args: Record<string, unknown>) => ({ content: args, parameters: {} });

const requestOf = (args: Record<string, unknown>, context: GraphQLContext) => ({
  call: context.call,
  request: args,
  sent,
  idOf: (key: string) => Number(args[key]),
  page: page(args) as PageRequest,
  services: context.services,
  prefix: '',
});

/** Returns the resolver of a query or mutation with a route. */
function rootResolver({ isMutation, relations, ...options }: RootFieldOptions): Resolve {
  const { route } = options;
  const { target, handler } = route;
  const run = operationOf({ ...options, writes: isMutation });
  const isConnection = target.kind === 'list' && target.isConnection === true;
  const path = isConnection ? ['edges', 'node'] : [];
  return async (_parent, args, context, info) => {
    const { cursors } = context.services as { cursors: Cursors };
    let plan: SelectionPlan | undefined;
    const result = await run({
      // Handlers and writes need whole rows.
      select:
        handler || isMutation
          ? undefined
          : (data) => {
              plan ??= rootPlan({ relations: relations(), context, info, data }, path);
              return { select: plan.select, ...(plan.relations.size > 0 && { relationLoadStrategy: 'join' }) };
            },
      window: isConnection ? windowOf(info.fieldName, args as ConnectionArgs, cursors) : undefined,
      reply: (result) => (route.reply ? route.reply(result as never, {} as never) : result),
      ...requestOf(args, context),
    });
    const isPage = target.kind === 'list' && !handler && !route.reply;
    const rows = isPage ? (result as Page<AnyRow>).items : result;
    if (plan) markRows(rows, plan);
    return isConnection && isPage ? connectionOf(info.fieldName, result as WindowPage<AnyRow>, cursors) : rows;
  };
}

/** Returns `subscribe` of a subscription with a route. */
function sourceResolver({ relations, ...options }: Omit<RootFieldOptions, 'isMutation'>): Resolve {
  const { route, services } = options;
  const { target, handler } = route;
  if (handler) {
    const run = operationOf({ ...options, writes: false });
    return (_parent, args, context) =>
      run({ signal: context.signal, reply: (made) => made, ...requestOf(args, context) });
  }
  // The check of routes has found the stream.
  const stream = services.streams.get(target.model.name) as ModelStream;
  const data = services.models(target.model);
  const run = operationOf({ ...options, writes: false }, ({ given }) => given.call.enforce());
  return (_parent, args, context, info) => {
    const since = args['since'] == null ? undefined : Number(args['since']);
    const open = () =>
      stream.from(stream.keyOf(args), since, isShared({ relations: relations(), context, info, data }));
    return run({ reply: open, ...requestOf(args, context) });
  };
}

/** Replaces the routes among the resolvers of an application by functions for graphql-js. */
function routeResolvers(
  resolvers: object,
  actionOf: (type: string, field: string) => string,
  { relations, services }: Pick<RootFieldOptions, 'relations' | 'services'>,
): object {
  const fieldsOf = (type: string, fields: object) =>
    Object.fromEntries(
      Object.entries(fields).map(([field, resolver]) => {
        // graphql-js runs `subscribe` of a subscription instead of its resolver.
        if (resolver === notWritten) return [field, type === 'Subscription' ? { subscribe: resolver } : resolver];
        if (!isRoute(resolver)) return [field, resolver];
        const one = { name: `${type}.${field}`, action: actionOf(type, field), route: resolver, relations, services };
        if (type === 'Subscription')
          return [field, { subscribe: sourceResolver(one), resolve: (event: unknown) => event }];
        return [field, rootResolver({ ...one, isMutation: type === 'Mutation' })];
      }),
    );
  return Object.fromEntries(Object.entries(resolvers).map(([type, fields]) => [type, fieldsOf(type, fields)]));
}

interface SchemaOptions {
  readonly policy: Policy;
  readonly services: StagedServices;
  /** The resolvers of parts, by `Type.field`. The application may replace them. */
  readonly ofParts?: Readonly<Record<string, unknown>>;
  /**
   * Gets the code, or `OK`, of each root field, and of each nested field that failed.
   * @param began the call of a root field, in milliseconds of `performance.now()`
   */
  readonly onField?: (type: string, field: string, code: string, began?: number) => void;
}

type Field = GraphQLField<unknown, GraphQLContext>;
type Resolvers = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/**
 * Makes the executable schema. Routes become resolvers of root fields. Relations of a model without a resolver are read
 * with their parent. The arguments of every field are checked.
 * @param resolvers by type and field
 * @throws Error for a root field without `@permission` or without a resolver, and for an incomplete route
 */
export function executableSchema(
  typeDefs: string,
  resolvers: object,
  { policy, services, ofParts = {}, onField = () => {} }: SchemaOptions,
): GraphQLSchema {
  const { models } = services;
  const contract = buildSchema(typeDefs);
  checkPermissions(contract);
  const fields = new Map(rootFields(contract).map((root) => [`${root.type.name}.${root.field.name}`, root]));
  const actionOf = (type: string, field: string) => actionOfField(fields.get(`${type}.${field}`)?.field);
  const complete = withResolversOfParts(contract, resolvers as Resolvers, ofParts);
  // graphql-js would resolve a root field without a resolver by itself.
  for (const [name, { type, field }] of fields)
    if (complete[type.name]?.[field.name] === undefined) refuseUnanswered(name, 'the resolvers');
  const routes = rootTypes(contract).flatMap(({ name }) =>
    Object.entries(complete[name] ?? {}).map(([field, route]) => {
      const operation = `${name}.${field}`;
      const parameters = fields.get(operation)?.field.args.map((arg) => arg.name) ?? [];
      return { operation, action: actionOf(name, field), route, parameters };
    }),
  );
  checkRoutes(policy, models, routes);

  let relations: SchemaRelations | undefined;
  const made = routeResolvers(complete, actionOf, { relations: () => relations as SchemaRelations, services });
  const schema = addResolversToSchema({ schema: contract, resolvers: made as never });
  const types = Object.values(schema.getTypeMap()).filter(
    (type): type is GraphQLObjectType => isObjectType(type) && !type.name.startsWith('__'),
  );
  const written = new Set(types.flatMap((type) => Object.values(type.getFields())).filter(({ resolve }) => resolve));
  relations = findRelations(schema, models);
  installRelations(schema, relations);
  const ajv = schemaCompiler();
  for (const type of types) {
    const isRoot = rootTypes(schema).includes(type);
    for (const field of Object.values(type.getFields())) {
      const isRelation = relations.byType.get(type.name)?.has(field.name);
      const isOwn = !written.has(field) && (isRelation || field.args.length === 0);
      const route = complete[type.name]?.[field.name];
      if (isRoot ? isRoute(route) && !route.handler && !route.reply : isOwn) readFields.add(field);
      if (field.args.length > 0) checkArguments(schema, ajv, field, !isRoot && written.has(field));
      else field.resolve ??= memberResolver;
      reportOutcome(`${type.name}.${field.name}`, field, isRoot, (code, began) => {
        if (isRoot || code !== 'OK') onField(type.name, field.name, code, began);
      });
    }
  }
  return schema;
}

/** Adds the resolvers of parts for the fields that the contract has. */
function withResolversOfParts(
  contract: GraphQLSchema,
  resolvers: Resolvers,
  ofParts: Readonly<Record<string, unknown>>,
): Record<string, Readonly<Record<string, unknown>>> {
  const complete = { ...resolvers };
  for (const [name, resolver] of Object.entries(ofParts)) {
    const [type = '', field = ''] = name.split('.');
    const declared = contract.getType(type);
    if (isObjectType(declared) && declared.getFields()[field])
      complete[type] = { [field]: resolver, ...complete[type] };
  }
  return complete;
}

const rootTypes = (schema: GraphQLSchema): GraphQLObjectType[] =>
  [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) => type ?? []);

const rootFields = (schema: GraphQLSchema) =>
  rootTypes(schema).flatMap((type) => Object.values(type.getFields()).map((field: Field) => ({ type, field })));

function actionOfField(field: Field | undefined): string {
  const permission = field?.astNode?.directives?.find(({ name }) => name.value === 'permission');
  const value = permission?.arguments?.find(({ name }) => name.value === 'action')?.value;
  return value?.kind === 'StringValue' ? value.value : '';
}

export function checkPermissions(schema: GraphQLSchema): void {
  const problems = rootFields(schema)
    .filter(({ field }) => !field.astNode?.directives?.some(({ name }) => name.value === 'permission'))
    .map(({ type, field }) => `${type.name}.${field.name} has no @permission`);
  if (problems.length > 0) throw new Error(`schema.graphql cannot be served:\n  ${problems.join('\n  ')}`);
}

/** Returns the member of a row. Times become ISO 8601. */
const memberResolver: GraphQLFieldResolver<unknown, GraphQLContext> = (parent, args, context, info) => {
  const value: unknown = defaultFieldResolver(parent, args, context, info);
  return value instanceof Date ? value.toISOString() : value;
};

/** Reports the outcome of each call of a field. Times root fields, and names them for the log. */
function reportOutcome(
  name: string,
  field: Field,
  isRoot: boolean,
  report: (code: string, began: number | undefined) => void,
): void {
  const failed = (thrown: unknown, began: number | undefined): never => {
    const error = typeof thrown === 'object' && thrown !== null ? thrown : new Error(`thrown: ${thrown}`);
    setErrorField(error, name);
    report(toFailure(error).code, began);
    throw error;
  };
  const done = <T>(value: T, began: number | undefined): T => {
    report('OK', began);
    return value;
  };
  const reporting = (resolve: GraphQLFieldResolver<unknown, GraphQLContext>): typeof resolve => {
    return (parent, args, context, info) => {
      const began = isRoot ? performance.now() : undefined;
      if (isRoot) context.fields?.add(name);
      let value: unknown;
      try {
        value = resolve(parent, args, context, info);
      } catch (error) {
        return failed(error, began);
      }
      if (!waits(value)) return done(value, began);
      return Promise.resolve(value).then(
        (result) => done(result, began),
        (error) => failed(error, began),
      );
    };
  };
  if (field.subscribe) field.subscribe = reporting(field.subscribe);
  else if (field.resolve) field.resolve = reporting(field.resolve);
}

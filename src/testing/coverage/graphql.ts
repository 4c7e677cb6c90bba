import type { Issue } from '@accord-api/platform/internals/calls/issues';
import { isObject } from '@accord-api/platform/internals/contract/references';
import type { InputValue } from '@accord-api/platform/internals/graphql/constraints';
import {
  buildASTSchema,
  type DocumentNode,
  execute,
  type FieldNode,
  type GraphQLFieldResolver,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLTypeResolver,
  getNamedType,
  getNullableType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  isUnionType,
  Kind,
  parse,
  printSchema,
  responsePathAsArray,
  type TypeNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields.js';
import { type Bound, isId, refusalOf, SIDES, type Side, sdlBounds, sideName, sideOf } from './bounds.js';
import type { ElementKind, SdlElement } from './elements.js';

type Values = Record<string | symbol, unknown>;
type Owner = GraphQLObjectType | GraphQLInterfaceType;

export interface GraphQLRequest {
  query?: string | undefined;
  variables?: object | null | undefined;
  operationName?: string | null | undefined;
}

export interface GraphQLResult {
  data?: unknown;
  errors?:
    | readonly { path?: readonly (string | number)[] | undefined; extensions?: { errors?: readonly Issue[] } }[]
    | undefined;
}

export type GraphQLObserver = (request: GraphQLRequest, result: GraphQLResult) => Set<string>;

/** The types that a type names: of its fields and their arguments, of its implementations and members. */
function neighboursOf(schema: GraphQLSchema, type: GraphQLNamedType): GraphQLNamedType[] {
  if (isUnionType(type)) return [...type.getTypes()];
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const inputs = isInputObjectType(type) ? Object.values(type.getFields()) : fields.flatMap(({ args }) => args);
  const implementations = isInterfaceType(type) ? schema.getPossibleTypes(type) : [];
  return [...[...fields, ...inputs].map((one) => getNamedType(one.type)), ...implementations];
}

/** The types that an operation can reach, in the order of the schema. Types that only directives use never travel. */
function reachableTypes(schema: GraphQLSchema): GraphQLNamedType[] {
  const found = new Set<GraphQLNamedType>();
  const add = (type: GraphQLNamedType | null | undefined) => {
    if (!type || found.has(type)) return;
    found.add(type);
    neighboursOf(schema, type).forEach(add);
  };
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]) add(root);
  return Object.values(schema.getTypeMap()).filter((type) => found.has(type));
}

/** Lists the elements of the GraphQL contract: fields, arguments, input fields and enum values, and both sides of each bound. */
export function sdlElements(schema: GraphQLSchema): SdlElement[] {
  return reachableTypes(schema).flatMap((type) => {
    const element = (kind: ElementKind, name: string, node: SdlElement['node']): SdlElement => ({
      ...{ kind, owner: type.name, name, key: `${type.name}.${name}`, file: 'schema.graphql', node },
    });
    const inputElements = (kind: ElementKind, name: string, input: InputValue): SdlElement[] => {
      const own = element(kind, name, input.astNode);
      const sides = sdlBounds(schema, input).flatMap((bound) => SIDES.map((side) => sideName(name, bound, side)));
      return [own, ...sides.map((side) => ({ ...element('bound', side, input.astNode), within: own.key }))];
    };
    if (isEnumType(type)) return type.getValues().map(({ name, astNode }) => element('enumValue', name, astNode));
    if (isInputObjectType(type))
      return Object.values(type.getFields()).flatMap((field) => inputElements('inputField', field.name, field));
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.values(type.getFields()).flatMap(({ name, args, astNode }) => [
      element('field', name, astNode),
      ...args.flatMap((one) => inputElements('argument', `${name}(${one.name})`, one)),
    ]);
  });
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** A value that a request gives to an argument or an input field; of a list, each item. */
interface Given {
  /** The key of the element. */
  key: string;
  input: InputValue;
  type: GraphQLInputType;
  value: unknown;
  /** From the arguments of the field. */
  pointer: string;
}

/** Lists what an input is given, with all that is in it. Null and an empty list count as not given. */
function* givenIn(given: Given): Generator<Given> {
  const { value, pointer } = given;
  if (value === undefined || value === null || isEmptyList(value)) return;
  const type = getNullableType(given.type);
  if (isListType(type)) {
    for (const [index, item] of [value].flat().entries())
      yield* givenIn({ ...given, type: type.ofType, value: item, pointer: `${pointer}/${index}` });
    return;
  }
  yield { ...given, type };
  if (!isInputObjectType(type) || !isObject(value)) return;
  for (const input of Object.values(type.getFields())) {
    const { name } = input;
    const key = `${type.name}.${name}`;
    yield* givenIn({ key, input, type: input.type, value: value[name], pointer: `${pointer}/${name}` });
  }
}

/** Parses a document; undefined if it is none, or has not the operation. */
function parsed({ query = '', operationName }: GraphQLRequest) {
  try {
    const document = parse(query);
    const operation = getOperationAST(document, operationName);
    return operation ? { document, operation } : undefined;
  } catch {
    return undefined;
  }
}

const nullable = (type: TypeNode): TypeNode => {
  if (type.kind === Kind.NON_NULL_TYPE) return nullable(type.type);
  return type.kind === Kind.LIST_TYPE ? { ...type, type: nullable(type.type) } : type;
};

/** Copies a schema so that each field may be null: a result that a failure took away hides nothing beside it. */
const withNullableFields = (schema: GraphQLSchema): GraphQLSchema =>
  buildASTSchema(
    visit(parse(printSchema(schema)), {
      FieldDefinition: (node) => ({ ...node, type: nullable(node.type) }),
    }) as DocumentNode,
  );

/** Of an object that a failure took away: which of its fields was refused, and the abstract type that it is known by. */
const REFUSED = Symbol('the name of the refused field');
const KNOWN_AS = Symbol('the abstract type');

/** Copies the data of a result, with an empty object or list for each that a failure took away on the way to a refused field. */
function withPlacesOf(paths: readonly (readonly (string | number)[])[], data: unknown): Values {
  const root = structuredClone(data ?? {}) as Values;
  for (const path of paths)
    path.slice(0, -1).reduce<Values>((parent, name, at) => {
      const next = path[at + 1] as string | number;
      parent[name] ??= Object.assign(typeof next === 'number' ? [] : {}, { [REFUSED]: next });
      return parent[name] as Values;
    }, root);
  return root;
}

/**
 * Returns a function that finds the elements which a request and its result show: `User.name`, `Query.users(limit)`,
 * `CreateUserInput.email`, `Role.ADMIN`; a field of an interface for the interface, too. It executes the document once more over the
 * data of the result, and notes what each field is asked and gives. A field counts when the data has it, unless it is `null` for an
 * error there or below, or a list without items: then neither it nor its arguments do. Behind an interface or a union a field counts
 * only where `__typename` was selected beside it. A bound that was broken counts where an error of its field names that place.
 */
export const graphqlObserver = (schema: GraphQLSchema): GraphQLObserver => {
  const lenient = withNullableFields(schema);
  const known = new Map<InputValue, Bound[]>();
  const boundsOf = (input: InputValue): Bound[] => {
    const bounds = known.get(input) ?? sdlBounds(schema, input);
    known.set(input, bounds);
    return bounds;
  };

  const typeResolver: GraphQLTypeResolver<Values, Values> = (value, variables, { fragments, fieldNodes }, type) => {
    if (typeof value['__typename'] === 'string') return value['__typename'];
    // Nothing is left of it, but the types for which the field was asked.
    const asked = lenient
      .getPossibleTypes(type)
      .filter((one) => collectSubfields(lenient, fragments, variables, one, fieldNodes).has(String(value[REFUSED])));
    if (asked.length > 1) value[KNOWN_AS] = type.name;
    return value[REFUSED] === undefined ? undefined : asked[0]?.name;
  };

  return (request, { data, errors = [] }) => {
    const seen = new Set<string>();
    const read = parsed(request);
    const refused = errors.filter(({ extensions }) => extensions?.errors !== undefined);
    if (read === undefined || (!isObject(data) && refused.length === 0)) return seen;
    const failed = new Set(errors.flatMap(({ path = [] }) => path.map((_, last) => path.slice(0, last + 1).join('/'))));
    const issuesAt = new Map(refused.map(({ path = [], extensions }) => [path.join('/'), extensions?.errors ?? []]));
    const defaults = (read.operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    );
    const variables: Values = { ...Object.fromEntries(defaults), ...request.variables };

    function* givenTo(owner: Owner, { name, arguments: passed = [] }: FieldNode): Generator<Given> {
      for (const input of owner.getFields()[name.value]?.args ?? []) {
        const node = passed.find((one) => one.name.value === input.name);
        const value = node && valueFromASTUntyped(node.value, variables as Record<string, unknown>);
        const key = `${owner.name}.${name.value}(${input.name})`;
        yield* givenIn({ key, input, type: input.type, value, pointer: `/${input.name}` });
      }
    }

    const noteBounds = (given: readonly Given[], side: Side, issues: readonly Issue[] = []) => {
      for (const { key, input, value, pointer } of given) {
        for (const bound of boundsOf(input)) {
          const isNumber = isId(input);
          const size = isNumber && !bound.keyword.endsWith('Length') ? Number(value) : value;
          const isRefused = (issue: Issue) =>
            issue.pointer === pointer && (isNumber || issue.detail === refusalOf(bound, size));
          if (sideOf(bound, size) === side && (side === 'at' || issues.some(isRefused)))
            seen.add(sideName(key, bound, side));
        }
      }
    };

    const fieldResolver: GraphQLFieldResolver<Values, Values> = (parent, _args, _variables, info) => {
      const { fieldName, fieldNodes, path } = info;
      const type = schema.getType(String(parent[KNOWN_AS] ?? info.parentType.name)) as Owner;
      const owners = [type, ...type.getInterfaces()].filter((owner) => fieldName in owner.getFields());
      const given = owners.flatMap((owner) => [...givenTo(owner, fieldNodes[0] as FieldNode)]);
      const place = responsePathAsArray(path).join('/');
      noteBounds(given, 'beyond', issuesAt.get(place));
      const value = parent[path.key];
      const isTakenAway = value === null ? failed.has(place) : isObject(value) && REFUSED in value;
      if (value === undefined || isTakenAway) return value;
      noteBounds(given, 'at');
      if (isEmptyList(value)) return value;
      for (const owner of owners) seen.add(`${owner.name}.${fieldName}`);
      for (const { key, type: inputType, value: one } of given) {
        seen.add(key);
        if (isEnumType(inputType)) seen.add(`${inputType.name}.${one}`);
      }
      const named = getNamedType(info.returnType);
      for (const one of isEnumType(named) ? [value].flat(9) : []) if (one !== null) seen.add(`${named.name}.${one}`);
      return value;
    };

    const paths = refused.map(({ path = [] }) => path);
    const executed = { schema: lenient, document: read.document, operationName: request.operationName };
    const rootValue = withPlacesOf(paths, isObject(data) ? data : undefined);
    const given = { variableValues: variables as Record<string, unknown>, contextValue: variables };
    execute({ ...executed, ...given, rootValue, fieldResolver, typeResolver });
    return seen;
  };
};

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  valueFromASTUntyped,
} from 'graphql';
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { isObject } from '../../contract/references.js';

type Values = Record<string, unknown>;

export interface GraphQLRequest {
  query?: string | undefined;
  variables?: object | null | undefined;
  operationName?: string | null | undefined;
}

export interface GraphQLResult {
  data?: unknown;
  errors?: readonly { path?: readonly (string | number)[] | undefined }[] | undefined;
}

export type GraphQLObserver = (request: GraphQLRequest, result: GraphQLResult) => Set<string>;

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** What is given and says nothing: null is what there is without it, and a list without items shows none. */
const isNothing = (value: unknown) => value === undefined || value === null || isEmptyList(value);

/** What a value of an input type shows: fields of input objects and values of enumerations. */
function* ofInput(type: GraphQLInputType, value: unknown): Generator<string> {
  const nullable = getNullableType(type);
  if (isListType(nullable)) for (const item of [value].flat()) yield* ofInput(nullable.ofType, item);
  else if (isEnumType(nullable)) yield `${nullable.name}.${value}`;
  else if (isInputObjectType(nullable) && isObject(value)) {
    for (const field of Object.values(nullable.getFields())) {
      const given = value[field.name];
      if (isNothing(given)) continue;
      yield `${nullable.name}.${field.name}`;
      yield* ofInput(field.type, given);
    }
  }
}

/** The variables with the defaults of those that were not given. */
function variablesOf({ variableDefinitions = [] }: OperationDefinitionNode, given: object): Values {
  const defaults = variableDefinitions.flatMap(({ variable, defaultValue }) =>
    defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
  );
  return { ...Object.fromEntries(defaults), ...given };
}

function fragmentsIn({ definitions }: DocumentNode): Record<string, FragmentDefinitionNode> {
  const fragments = definitions.filter((one) => one.kind === Kind.FRAGMENT_DEFINITION);
  return Object.fromEntries(fragments.map((one) => [one.name.value, one]));
}

/** The document, or undefined when it is none: then nothing ran. */
function documentOf(text: string): DocumentNode | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof GraphQLError) return undefined;
    throw error;
  }
}

/**
 * Says what of the GraphQL contract a request and its result show, as keys of its elements: `User.name`,
 * `Query.users(limit)`, `CreateUserInput.email`, `Role.ADMIN`. A field counts when the data holds it, unless it is `null`
 * for an error there or below, or a list without items: then neither it nor its arguments do. An argument counts that is given
 * something, not null and not an empty list. Behind an interface or a union a field counts only
 * where `__typename` was selected beside it.
 */
export const graphqlObserver = (schema: GraphQLSchema): GraphQLObserver => {
  return ({ query = '', variables, operationName }, { data, errors = [] }) => {
    const document = isObject(data) ? documentOf(query) : undefined;
    const operation = document && getOperationAST(document, operationName);
    const root = operation && schema.getRootType(operation.operation);
    if (!root) return new Set();
    const given = variablesOf(operation, variables ?? {});
    const fragments = fragmentsIn(document);
    const failed = new Set(errors.flatMap(({ path = [] }) => path.map((_, last) => path.slice(0, last + 1).join('/'))));

    function* ofField(type: GraphQLObjectType, node: FieldNode): Generator<string> {
      const name = node.name.value;
      for (const owner of [type, ...type.getInterfaces()]) if (name in owner.getFields()) yield `${owner.name}.${name}`;
      for (const { name: argument, type: inputType } of type.getFields()[name]?.args ?? []) {
        const passed = node.arguments?.find((one) => one.name.value === argument);
        const value = passed && valueFromASTUntyped(passed.value, given);
        if (isNothing(value)) continue;
        yield `${type.name}.${name}(${argument})`;
        yield* ofInput(inputType, value);
      }
    }

    function* ofValue(type: GraphQLOutputType, nodes: FieldNode[], value: unknown, path: string): Generator<string> {
      if (Array.isArray(value)) {
        for (const [index, item] of value.entries()) yield* ofValue(type, nodes, item, `${path}/${index}`);
        return;
      }
      const named = isObject(value)
        ? (schema.getType(String(value['__typename'])) ?? getNamedType(type))
        : getNamedType(type);
      if (isEnumType(named) && value !== null) yield `${named.name}.${value}`;
      if (isObjectType(named) && isObject(value))
        yield* ofObject(named, collectSubfields(schema, fragments, given, named, nodes), value, `${path}/`);
    }

    function* ofObject(
      type: GraphQLObjectType,
      selected: Map<string, readonly FieldNode[]>,
      value: Values,
      path: string,
    ): Generator<string> {
      for (const [name, [node, ...same]] of selected) {
        const result = value[name];
        const field = node && type.getFields()[node.name.value];
        if (!field || result === undefined || isEmptyList(result) || (result === null && failed.has(`${path}${name}`)))
          continue;
        yield* ofField(type, node);
        yield* ofValue(field.type, [node, ...same], result, `${path}${name}`);
      }
    }

    const selected = collectFields(schema, fragments, given, root, operation.selectionSet);
    return new Set(ofObject(root, selected, data as Values, ''));
  };
};

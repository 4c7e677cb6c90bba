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
import type { Issue } from '../../calls/issues.js';
import { isObject } from '../../contract/references.js';
import type { InputValue } from '../../graphql/constraints.js';
import { type Bound, isId, refusalOf, type Side, sdlBounds, sideName, sideOf } from './bounds.js';

type Values = Record<string, unknown>;

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

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

/** What is given and says nothing: null is what there is without it, and a list without items shows none. */
const isNothing = (value: unknown) => value === undefined || value === null || isEmptyList(value);

/** What an argument or an input field is given, in a list each item of it. */
interface Given {
  /** Of the element. */
  key: string;
  input: InputValue;
  type: GraphQLInputType;
  value: unknown;
  /** From the arguments of the field. */
  pointer: string;
}

/** What an input is given, with all that is in it. */
function* givenIn(given: Given): Generator<Given> {
  const { value, pointer } = given;
  if (isNothing(value)) return;
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
 * where `__typename` was selected beside it. A bound that was broken counts where an error of its field says so at that place.
 */
export const graphqlObserver = (schema: GraphQLSchema): GraphQLObserver => {
  const known = new Map<InputValue, Bound[]>();
  const boundsOf = (input: InputValue): Bound[] => {
    const bounds = known.get(input) ?? sdlBounds(schema, input);
    known.set(input, bounds);
    return bounds;
  };

  return ({ query = '', variables, operationName }, { data, errors = [] }) => {
    const refused = errors.filter(({ extensions }) => extensions?.errors !== undefined);
    const document = isObject(data) || refused.length > 0 ? documentOf(query) : undefined;
    const operation = document && getOperationAST(document, operationName);
    const root = operation && schema.getRootType(operation.operation);
    if (!root) return new Set();
    const given = variablesOf(operation, variables ?? {});
    const fragments = fragmentsIn(document);
    const failed = new Set(errors.flatMap(({ path = [] }) => path.map((_, last) => path.slice(0, last + 1).join('/'))));

    function* ofField(type: GraphQLObjectType, node: FieldNode): Generator<string> {
      const name = node.name.value;
      for (const owner of [type, ...type.getInterfaces()]) if (name in owner.getFields()) yield `${owner.name}.${name}`;
      for (const { key, type: inputType, value } of givenTo(type, node)) {
        yield key;
        if (isEnumType(inputType)) yield `${inputType.name}.${value}`;
      }
    }

    function* givenTo(type: GraphQLObjectType, node: FieldNode): Generator<Given> {
      const name = node.name.value;
      for (const input of type.getFields()[name]?.args ?? []) {
        const passed = node.arguments?.find((one) => one.name.value === input.name);
        const value = passed && valueFromASTUntyped(passed.value, given);
        const key = `${type.name}.${name}(${input.name})`;
        yield* givenIn({ key, input, type: input.type, value, pointer: `/${input.name}` });
      }
    }

    /** The bounds on this side of which the arguments of a field stand; beyond, those that the issues tell of. */
    function* boundsTo(type: GraphQLObjectType, node: FieldNode, side: Side, issues: readonly Issue[]) {
      for (const { key, input, value, pointer } of givenTo(type, node)) {
        const [size, isNumber] = isId(input) ? [Number(value), true] : [value, false];
        for (const bound of boundsOf(input)) {
          const one = bound.keyword.endsWith('Length') ? value : size;
          const isTold = (issue: Issue) =>
            issue.pointer === pointer && (isNumber || issue.detail === refusalOf(bound, one));
          if (sideOf(bound, one) === side && (side === 'at' || issues.some(isTold))) yield sideName(key, bound, side);
        }
      }
    }

    /** The field at a path of the result, where it is behind no interface or union. */
    function fieldAt(path: readonly (string | number)[]): [type: GraphQLObjectType, node: FieldNode] | undefined {
      const [last, ...names] = path.filter((one) => typeof one === 'string').reverse();
      let [type, fields]: [unknown, Map<string, readonly FieldNode[]>] = [root, selected];
      for (const name of names.reverse()) {
        const nodes = fields.get(name) ?? [];
        const field = nodes[0] && isObjectType(type) ? type.getFields()[nodes[0].name.value] : undefined;
        type = field && getNamedType(field.type);
        if (!isObjectType(type)) return undefined;
        fields = collectSubfields(schema, fragments, given, type, [...nodes]);
      }
      const node = fields.get(last ?? '')?.[0];
      return node && isObjectType(type) ? [type, node] : undefined;
    }

    function* ofRefused(): Generator<string> {
      for (const { path = [], extensions } of refused) {
        const found = fieldAt(path);
        if (found) yield* boundsTo(...found, 'beyond', extensions?.errors ?? []);
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
        if (!field || result === undefined || (result === null && failed.has(`${path}${name}`))) continue;
        yield* boundsTo(type, node, 'at', []);
        if (isEmptyList(result)) continue;
        yield* ofField(type, node);
        yield* ofValue(field.type, [node, ...same], result, `${path}${name}`);
      }
    }

    const selected = collectFields(schema, fragments, given, root, operation.selectionSet);
    return new Set([...(isObject(data) ? ofObject(root, selected, data, '') : []), ...ofRefused()]);
  };
};

import type { Issue } from '@accord-api/platform/internals/calls/issues';
import { isObject } from '@accord-api/platform/internals/contract/references';
import type { InputValue } from '@accord-api/platform/internals/graphql/constraints';
import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  valueFromASTUntyped,
} from 'graphql';
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import { type Bound, isId, refusalOf, type Side, sdlBounds, sideName, sideOf } from './bounds.js';

type Values = Record<string, unknown>;
/** What has fields. */
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
 * `Query.users(limit)`, `CreateUserInput.email`, `Role.ADMIN`; of what an interface has, as the interface's too. A field counts when
 * the data holds it, unless it is `null` for an error there or below, or a list without items: then neither it nor its arguments
 * do. An argument counts that is given something, not null and not an empty list. Behind an interface or a union a field counts
 * only where `__typename` was selected beside it. A bound that was broken counts where an error of its field says so at that place.
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

    /** The types of which a field is: its own, and the interfaces that have it. */
    const ownersOf = (type: Owner, { name }: FieldNode): Owner[] =>
      [type, ...type.getInterfaces()].filter((owner) => name.value in owner.getFields());

    const fieldsOf = (type: Owner, nodes: readonly FieldNode[]) =>
      // What is asked of an interface itself is asked of whatever it is.
      collectSubfields(schema, fragments, given, type as GraphQLObjectType, nodes);

    function* ofField(type: GraphQLObjectType, node: FieldNode): Generator<string> {
      for (const owner of ownersOf(type, node)) yield `${owner.name}.${node.name.value}`;
      for (const { key, type: inputType, value } of givenTo(type, node)) {
        yield key;
        if (isEnumType(inputType)) yield `${inputType.name}.${value}`;
      }
    }

    function* givenTo(type: Owner, node: FieldNode): Generator<Given> {
      const name = node.name.value;
      for (const owner of ownersOf(type, node)) {
        for (const input of owner.getFields()[name]?.args ?? []) {
          const passed = node.arguments?.find((one) => one.name.value === input.name);
          const value = passed && valueFromASTUntyped(passed.value, given);
          const key = `${owner.name}.${name}(${input.name})`;
          yield* givenIn({ key, input, type: input.type, value, pointer: `/${input.name}` });
        }
      }
    }

    /** The bounds on this side of which the arguments of a field stand; beyond, those that the issues tell of. */
    function* boundsTo(type: Owner, node: FieldNode, side: Side, issues: readonly Issue[]) {
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

    /** What a value is of, as `__typename` says that was selected beside it. */
    const typeOf = (declared: GraphQLOutputType, value: unknown) =>
      (isObject(value) ? schema.getType(String(value['__typename'])) : undefined) ?? getNamedType(declared);

    /** The field at a path of the result. */
    function fieldAt(
      [name, ...others]: readonly (string | number)[],
      type: Owner,
      selected: ReadonlyMap<string, readonly FieldNode[]>,
      value: unknown,
    ): [type: Owner, node: FieldNode] | undefined {
      const nodes = selected.get(String(name)) ?? [];
      const [node] = nodes;
      const field = node && type.getFields()[node.name.value];
      if (!field) return undefined;
      const below = others.findIndex((one) => typeof one === 'string');
      if (below < 0) return [type, node];
      const result = [name, ...others.slice(0, below)].reduce<unknown>(
        (held, one) => (isObject(held) ? (held as Values)[String(one)] : undefined),
        value,
      );
      const known = typeOf(field.type, result);
      // Where the failure left nothing of it, what was asked of one type alone tells which it was.
      const asked = isAbstractType(known)
        ? schema.getPossibleTypes(known).filter((one) => fieldsOf(one, nodes).has(String(others[below])))
        : [];
      const inner = asked.length === 1 ? asked[0] : known;
      if (!isObjectType(inner) && !isInterfaceType(inner)) return undefined;
      return fieldAt(others.slice(below), inner, fieldsOf(inner, nodes), result);
    }

    function* ofRefused(): Generator<string> {
      for (const { path = [], extensions } of refused) {
        const found = fieldAt(path, root as GraphQLObjectType, selected, data);
        if (found) yield* boundsTo(...found, 'beyond', extensions?.errors ?? []);
      }
    }

    function* ofValue(type: GraphQLOutputType, nodes: FieldNode[], value: unknown, path: string): Generator<string> {
      if (Array.isArray(value)) {
        for (const [index, item] of value.entries()) yield* ofValue(type, nodes, item, `${path}/${index}`);
        return;
      }
      const named = typeOf(type, value);
      if (isEnumType(named) && value !== null) yield `${named.name}.${value}`;
      if (isObjectType(named) && isObject(value)) yield* ofObject(named, fieldsOf(named, nodes), value, `${path}/`);
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

/** Lists the elements of the SDL that tests can cover, and those that a request and its result have covered. @module */

import type { Issue } from '@accord-api/platform/internals/core/calls/errors';
import { isObject } from '@accord-api/platform/internals/core/contract/document';
import type { InputValue } from '@accord-api/platform/internals/core/graphql/arguments';
import {
  type FieldNode,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  GraphQLSchema,
  getNamedType,
  getNullableType,
  getOperationAST,
  isAbstractType,
  isCompositeType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isObjectType,
  Kind,
  parse,
  valueFromASTUntyped,
} from 'graphql';
import { collectFields, collectSubfields } from 'graphql/execution/collectFields.js';
import type { ElementKind, SdlElement } from './elements.js';
import {
  type Bound,
  boundedValue,
  isId,
  namesBound,
  SIDES,
  type Side,
  sdlBounds,
  sideName,
  sideOf,
} from './schema-parts.js';

type Values = Record<string | number, unknown>;
type Path = readonly (string | number)[];
type Fields = ReturnType<typeof collectFields>;
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

/** Returns the types that an operation can reach, in the order of the schema: types that only directives use are never sent. */
function reachableTypes(schema: GraphQLSchema): GraphQLNamedType[] {
  const all = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  const types = all.filter((type) => isObjectType(type) && type.getInterfaces().length > 0);
  const reachable = new GraphQLSchema({ ...schema.toConfig(), types, directives: [] });
  return all.filter(({ name }) => reachable.getType(name) !== undefined);
}

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

/** The value of an argument or an input field in a request; one for each item of a list. */
interface Given {
  key: string;
  input: InputValue;
  type: GraphQLInputType;
  value: unknown;
  /** Relative to the arguments of the field. */
  pointer: string;
}

/** Lists the value of an input and those within it. `null` and an empty list count as absent. */
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

/** Parses a document; returns undefined if it is invalid or does not contain the operation. */
function parsed({ query = '', operationName }: GraphQLRequest) {
  try {
    const document = parse(query);
    const operation = getOperationAST(document, operationName);
    const named = document.definitions.flatMap((one) =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one] as const] : [],
    );
    return operation ? { operation, fragments: Object.fromEntries(named) } : undefined;
  } catch {
    return undefined;
  }
}

/** Copies the data of a result, with an object or list in each place that a failure made `null` on the way to a rejected field. */
function withPlaceholders(
  paths: readonly Path[],
  data: unknown,
): { root: Values; placeholders: Map<unknown, string | number> } {
  const root = structuredClone(data ?? {}) as Values;
  const placeholders = new Map<unknown, string | number>();
  for (const path of paths)
    path.slice(0, -1).reduce<Values>((parent, name, at) => {
      const next = path[at + 1] as string | number;
      if (parent[name] === undefined || parent[name] === null) {
        parent[name] = typeof next === 'number' ? [] : {};
        placeholders.set(parent[name], next);
      }
      return parent[name] as Values;
    }, root);
  return { root, placeholders };
}

/**
 * Returns a function that finds the elements which a request and its result show: `User.name`, `Query.users(limit)`.
 * A field counts unless a failure made it `null` or it is an empty list, and below an abstract type only with `__typename`.
 */
export const graphqlObserver = (schema: GraphQLSchema): GraphQLObserver => {
  const known = new Map<InputValue, Bound[]>();
  const boundsOf = (input: InputValue): Bound[] => {
    const bounds = known.get(input) ?? sdlBounds(schema, input);
    known.set(input, bounds);
    return bounds;
  };

  return (request, { data, errors = [] }) => {
    const seen = new Set<string>();
    const read = parsed(request);
    const refused = errors.filter(({ path, extensions }) => path && extensions?.errors !== undefined);
    if (read === undefined || (!isObject(data) && refused.length === 0)) return seen;
    const { operation, fragments } = read;
    const failed = new Set(errors.flatMap(({ path = [] }) => path.map((_, last) => path.slice(0, last + 1).join('/'))));
    const issuesAt = new Map(refused.map(({ path = [], extensions }) => [path.join('/'), extensions?.errors ?? []]));
    const defaults = (operation.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue ? [[variable.name.value, valueFromASTUntyped(defaultValue)]] : [],
    );
    const variables: Record<string, unknown> = { ...Object.fromEntries(defaults), ...request.variables };

    function* givenTo(owner: Owner, { name, arguments: passed = [] }: FieldNode): Generator<Given> {
      for (const input of owner.getFields()[name.value]?.args ?? []) {
        const node = passed.find((one) => one.name.value === input.name);
        const value = node && valueFromASTUntyped(node.value, variables);
        const key = `${owner.name}.${name.value}(${input.name})`;
        yield* givenIn({ key, input, type: input.type, value, pointer: `/${input.name}` });
      }
    }

    const noteBounds = (given: readonly Given[], side: Side, issues: readonly Issue[] = []) => {
      for (const { key, input, value, pointer } of given) {
        for (const bound of boundsOf(input)) {
          const size = boundedValue(input, bound, value);
          const isRefused = (issue: Issue) =>
            issue.pointer === pointer && (isId(input) || namesBound(bound, issue.detail));
          if (sideOf(bound, size) === side && (side === 'at' || issues.some(isRefused)))
            seen.add(sideName(key, bound, side));
        }
      }
    };

    const { root, placeholders } = withPlaceholders(
      refused.map(({ path = [] }) => path),
      isObject(data) ? data : undefined,
    );

    function noteField(type: Owner, node: FieldNode, value: unknown, place: string): void {
      const name = node.name.value;
      const owners = [type, ...type.getInterfaces()].filter((owner) => name in owner.getFields());
      const given = owners.flatMap((owner) => [...givenTo(owner, node)]);
      noteBounds(given, 'beyond', issuesAt.get(place));
      if (value === undefined || placeholders.has(value) || (value === null && failed.has(place))) return;
      noteBounds(given, 'at');
      if (isEmptyList(value)) return;
      for (const owner of owners) seen.add(`${owner.name}.${name}`);
      for (const { key } of given) seen.add(key);
    }

    /** @param knownAs the interface, if the failure hides which of its types the object is */
    function visitObject(type: GraphQLObjectType, fields: Fields, parent: Values, path: Path, knownAs: Owner = type) {
      for (const [key, nodes] of fields) {
        const [node] = nodes as [FieldNode];
        const field = type.getFields()[node.name.value];
        if (!field) continue;
        noteField(knownAs, node, parent[key], [...path, key].join('/'));
        visitValue(getNamedType(field.type), nodes, parent[key], [...path, key]);
      }
    }

    function visitValue(type: GraphQLNamedType, nodes: readonly FieldNode[], value: unknown, path: Path): void {
      if (Array.isArray(value)) {
        for (const [index, item] of value.entries()) visitValue(type, nodes, item, [...path, index]);
        return;
      }
      if (!isCompositeType(type) || !isObject(value)) return;
      const fieldsOf = (one: GraphQLObjectType): Fields => collectSubfields(schema, fragments, variables, one, nodes);
      const next = placeholders.get(value);
      const isPossible = (one: GraphQLObjectType) =>
        value['__typename'] === one.name || (next !== undefined && fieldsOf(one).has(String(next)));
      const types = isAbstractType(type) ? schema.getPossibleTypes(type).filter(isPossible) : [type];
      const [first] = types;
      if (first)
        visitObject(first, fieldsOf(first), value, path, types.length > 1 && isInterfaceType(type) ? type : first);
    }

    const rootType = schema.getRootType(operation.operation);
    if (rootType) {
      const fields = collectFields(schema, fragments, variables, rootType, operation.selectionSet);
      visitObject(rootType, fields, root, []);
    }
    return seen;
  };
};

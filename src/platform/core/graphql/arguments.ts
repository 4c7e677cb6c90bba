/** Validates the arguments of fields by their `@constraint`. @module */

import type { Ajv2020 } from 'ajv/dist/2020.js';
import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getDirectiveValues,
  getNamedType,
  isInputObjectType,
  isListType,
  isNonNullType,
  Kind,
  type ValueNode,
} from 'graphql';
import {
  type Issue,
  type Issues,
  issueList,
  limitIssues,
  NO_ISSUES,
  pointerTo,
  unstorableText,
} from '../calls/errors.js';
import type { Schema } from '../contract/document.js';
import { bodyIssues, lazyValidator } from '../http/json-schema.js';
import { issueFailure } from '../http/messages.js';
import type { GraphQLContext } from './context.js';

export type InputValue = GraphQLArgument | GraphQLInputField;

const keywords = {
  minLength: 'minLength',
  maxLength: 'maxLength',
  pattern: 'pattern',
  format: 'format',
  min: 'minimum',
  max: 'maximum',
  uncommon: 'x-uncommon',
} as const;

export function constraintOf(
  schema: GraphQLSchema,
  { astNode }: InputValue | GraphQLField<unknown, unknown>,
): Record<string, unknown> | undefined {
  const directive = schema.getDirective('constraint');
  return directive && astNode ? getDirectiveValues(directive, astNode) : undefined;
}

/** Returns the `@constraint` of an input in the keywords of JSON Schema. */
export const constraintSchema = (schema: GraphQLSchema, input: InputValue): Schema =>
  Object.fromEntries(
    Object.entries(constraintOf(schema, input) ?? {}).map(([name, value]) => [
      keywords[name as keyof typeof keywords],
      value,
    ]),
  );

export const constraintName = (keyword: string): string =>
  Object.entries(keywords).find(([, candidate]) => candidate === keyword)?.[0] ?? keyword;

/**
 * Returns the constraints of arguments as a JSON Schema. graphql-js checks types and nulls. The constraint of a list
 * applies to its items. Recursive inputs become `$defs`.
 */
function argumentsSchema(schema: GraphQLSchema, inputs: readonly InputValue[]): Schema {
  const $defs: Record<string, Schema> = {};
  const within: string[] = [];
  const recursive = new Set<string>();

  const membersOf = (all: readonly InputValue[]): Schema => ({
    properties: Object.fromEntries(all.map((input) => [input.name, inputSchema(input)])),
  });
  const inputSchema = (input: InputValue): Schema => {
    const type = getNamedType(input.type);
    const own = {
      description: input.description ?? '',
      ...constraintSchema(schema, input),
      ...(isInputObjectType(type) ? nested(type) : {}),
    };
    return inLists(input.type, own);
  };
  const nested = (type: GraphQLInputObjectType): Schema => {
    const { name } = type;
    const reference = { $ref: `#/$defs/${name}` };
    if (within.includes(name)) recursive.add(name);
    if (recursive.has(name)) return reference;
    within.push(name);
    const members = membersOf(Object.values(type.getFields()));
    within.pop();
    if (!recursive.has(name)) return members;
    $defs[name] = members;
    return reference;
  };
  const members = membersOf(inputs);
  return recursive.size === 0 ? members : { ...members, $defs };
}

function inLists(type: GraphQLInputType, own: Schema): Schema {
  if (isNonNullType(type)) return inLists(type.ofType, own);
  return isListType(type) ? { items: inLists(type.ofType, own) } : own;
}

/**
 * Returns the minimum of an ID: 1, or the `min` of its constraint. Returns undefined for other types, and for an ID
 * with a text constraint, such as a channel's name.
 */
function leastId(schema: GraphQLSchema, input: InputValue): number | undefined {
  if (getNamedType(input.type).name !== 'ID') return undefined;
  const constraint = constraintOf(schema, input);
  return constraint === undefined ? 1 : (constraint['min'] as number | undefined);
}

/** An input with ids: an ID with its minimum, or an input object. Each may be in lists. */
type IdInput = { readonly name: string } & ({ readonly least: number } | { readonly members: readonly IdInput[] });

/** @param known the input objects so far, which may contain themselves */
function idsAmong(
  schema: GraphQLSchema,
  inputs: readonly InputValue[],
  known = new Map<GraphQLInputObjectType, IdInput[]>(),
): IdInput[] {
  return inputs.flatMap((input): IdInput | [] => {
    const type = getNamedType(input.type);
    const least = leastId(schema, input);
    if (!isInputObjectType(type)) return least === undefined ? [] : { name: input.name, least };
    const members = known.get(type) ?? [];
    if (!known.has(type)) {
      known.set(type, members);
      members.push(...idsAmong(schema, Object.values(type.getFields()), known));
    }
    return { name: input.name, members };
  });
}

/** Returns a function that finds invalid ids in arguments. */
function idIssues(ids: readonly IdInput[]): (args: Arguments) => Issues {
  const path: (string | number)[] = [];
  const look = (input: IdInput, value: unknown, key: string | number, add: (make: () => Issue) => void): void => {
    if (value === null || value === undefined) return;
    path.push(key);
    if (Array.isArray(value)) for (let i = 0; i < value.length; i++) look(input, value[i], i, add);
    else if ('members' in input)
      for (const member of input.members) look(member, (value as Arguments)[member.name], member.name, add);
    else if (!isId(String(value), input.least))
      add(() => ({ pointer: path.map(pointerTo).join(''), detail: `must be an integer of at least ${input.least}` }));
    path.pop();
  };
  return (args) => {
    if (ids.length === 0) return NO_ISSUES;
    const { add, found } = issueList();
    for (const id of ids) look(id, args[id.name], id.name, add);
    return found();
  };
}

type Arguments = Record<string, unknown>;
/** @throws Failure BAD_REQUEST for an invalid id */
type Check = (args: Arguments, node: FieldNode) => Issues;

const checks = new WeakMap<GraphQLField<unknown, never>, Check>();

export function hasValidArguments(field: GraphQLField<unknown, never>, args: Arguments, node: FieldNode): boolean {
  try {
    return !checks.get(field)?.(args, node).issues.length;
  } catch {
    return false;
  }
}

const isId = (text: string, minimum: number): boolean => /^(?:0|[1-9][0-9]*)$/.test(text) && Number(text) >= minimum;

/**
 * Wraps the resolver of a field so that it validates arguments. Resolvers of routes and relations check access first, and then report
 * the issues.
 * @param isEager true rejects issues before the resolver runs
 */
export function checkArguments(
  schema: GraphQLSchema,
  ajv: Ajv2020,
  field: GraphQLField<unknown, GraphQLContext>,
  isEager: boolean,
): void {
  const check = checkOf(schema, ajv, field);
  checks.set(field, check);
  const { resolve = defaultFieldResolver, subscribe } = field;

  const contextFor = (args: Arguments, context: GraphQLContext, { fieldNodes }: GraphQLResolveInfo): GraphQLContext => {
    const content = check(args, fieldNodes[0] as FieldNode);
    if (content.issues.length === 0) return context;
    // Only the resolver of this field gets the call.
    return Object.create(context, { call: { value: context.callWith(content), enumerable: true } }) as GraphQLContext;
  };
  field.resolve = (parent, args, context, info) => {
    const checkedContext = contextFor(args, context, info);
    const resolveField = () => resolve(parent, args, checkedContext, info);
    return isEager && checkedContext !== context ? checkedContext.call.enforce().then(resolveField) : resolveField();
  };
  if (subscribe)
    field.subscribe = (parent, args, context, info) => subscribe(parent, args, contextFor(args, context, info), info);
}

function checkOf(schema: GraphQLSchema, ajv: Ajv2020, field: GraphQLField<unknown, GraphQLContext>): Check {
  const errorsOf = lazyValidator(ajv, () => argumentsSchema(schema, field.args));
  const invalidIds = idIssues(idsAmong(schema, field.args));
  /** Valid nodes without variables. Their arguments are the same whenever the document runs. */
  const validNodes = new WeakSet<FieldNode>();
  return (args, node) => {
    if (validNodes.has(node)) return NO_ISSUES;
    const invalid = invalidIds(args);
    if (invalid.issues.length > 0) throw issueFailure('BAD_REQUEST', invalid);
    const found = limitIssues(bodyIssues(errorsOf(args)), unstorableText(args));
    if (found.issues.length === 0 && !node.arguments?.some(({ value }) => hasVariable(value))) validNodes.add(node);
    return found;
  };
}

function hasVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(hasVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => hasVariable(field.value));
  return value.kind === Kind.VARIABLE;
}

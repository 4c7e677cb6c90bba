import type { Ajv2020 } from 'ajv/dist/2020.js';
import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLField,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  Kind,
  type ValueNode,
} from 'graphql';
import { Failure } from '../calls/errors.js';
import { bounded, type Issue, type Issues } from '../calls/issues.js';
import { unstorableText } from '../calls/text.js';
import { bodyIssues, lazily } from '../http/json-schema.js';
import { argumentsSchema, leastId } from './constraints.js';
import type { GraphQLContext } from './context.js';

type Arguments = Record<string, unknown>;

/**
 * What is wrong with the content of a field's arguments.
 * @throws Failure BAD_REQUEST for an id that is none
 */
type Check = (args: Arguments) => Issues;

const checks = new WeakMap<GraphQLField<unknown, never>, Check>();

/** Whether nothing is wrong with a field's arguments. */
export function areSound(field: GraphQLField<unknown, never>, args: Arguments): boolean {
  try {
    return !checks.get(field)?.(args).issues.length;
  } catch {
    return false;
  }
}

const isId = (text: string, least: number): boolean => /^(?:0|[1-9][0-9]*)$/.test(text) && Number(text) >= least;

/**
 * Puts the checks of the arguments in front of the field's own resolver.
 * @param refuses whether wrong content is refused here (VALIDATION_FAILED), before the resolver: routes and relations decide about
 *   access first
 */
export function checkArguments(
  schema: GraphQLSchema,
  ajv: Ajv2020,
  field: GraphQLField<unknown, GraphQLContext>,
  refuses: boolean,
): void {
  const check = checkOf(schema, ajv, field);
  checks.set(field, check);
  const { resolve = defaultFieldResolver, subscribe } = field;
  /** Where a document itself says all arguments, and they are right: they are right each time. */
  const sound = new WeakSet<FieldNode>();

  const checked = (
    args: Arguments,
    context: GraphQLContext,
    { fieldNodes: [node] }: GraphQLResolveInfo,
  ): GraphQLContext => {
    if (node && sound.has(node)) return context;
    const content = check(args);
    if (content.issues.length > 0) return { ...context, call: context.callWith(content) };
    if (node && isConstant(node)) sound.add(node);
    return context;
  };
  field.resolve = (parent, args, context, info) => {
    const own = checked(args, context, info);
    const answer = () => resolve(parent, args, own, info);
    return refuses && own !== context ? own.call.checkpoint().then(answer) : answer();
  };
  if (subscribe)
    field.subscribe = (parent, args, context, info) => subscribe(parent, args, checked(args, context, info), info);
}

function checkOf(schema: GraphQLSchema, ajv: Ajv2020, field: GraphQLField<unknown, GraphQLContext>): Check {
  const faults = lazily(ajv, () => argumentsSchema(schema, field.args));
  const ids = field.args.flatMap((arg) => {
    const least = leastId(schema, arg);
    return least === undefined ? [] : { name: arg.name, least };
  });
  return (args) => {
    const wrong = ids.filter(({ name, least }) => args[name] != null && !isId(String(args[name]), least));
    if (wrong.length > 0) {
      const issues = wrong.map(
        ({ name, least }): Issue => ({ pointer: `/${name}`, detail: `must be an integer of at least ${least}` }),
      );
      throw new Failure('BAD_REQUEST', `An id is an integer of at least ${wrong[0]?.least}.`, { issues });
    }
    return bounded(bodyIssues(faults(args)), unstorableText(args));
  };
}

/** Whether the arguments of a field are said in the document itself, and not by variables. */
export const isConstant = (node: FieldNode): boolean => !node.arguments?.some(({ value }) => isVariable(value));

/** Whether a value in a document is, or holds, one that comes beside it. */
function isVariable(value: ValueNode): boolean {
  if (value.kind === Kind.LIST) return value.values.some(isVariable);
  if (value.kind === Kind.OBJECT) return value.fields.some((field) => isVariable(field.value));
  return value.kind === Kind.VARIABLE;
}

import { setTimeout as delay } from 'node:timers/promises';
import type { InputValue } from '@accord-api/platform/internals/graphql/constraints';
import {
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isRequiredArgument,
  isRequiredInputField,
  Kind,
} from 'graphql';
import type { GraphQLAnswer } from './client.js';
import type { Asked, ConformanceOptions } from './conformance-options.js';
import { allows, linesOfField } from './matrix.js';
import type { Json, Person } from './people.js';
import type { TestService } from './service.js';
import { rolesIn } from './sound-request.js';

export type Field = GraphQLField<unknown, unknown>;

/** A field that is asked of what the field before gives. */
export interface Step {
  field: Field;
  /** The type of what the field before gives, where that is an interface or a union and only this type has the field. */
  on?: GraphQLObjectType | undefined;
}
export type Steps = readonly [Step, ...Step[]];

type Input = Pick<InputValue, 'type' | 'astNode'>;

function constraintOf({ astNode }: Input): Record<string, number> {
  const { arguments: given = [] } = astNode?.directives?.find(({ name }) => name.value === 'constraint') ?? {};
  const numbers = given.map(({ name, value }) => [name.value, value.kind === Kind.INT ? Number(value.value) : 0]);
  return Object.fromEntries(numbers);
}

/**
 * Makes a value that an argument or an input field accepts, by its type and its constraint.
 * @param whole includes the optional fields of an input type
 */
export function sampleOf(input: Input, whole = false): Json {
  const type = getNullableType(input.type);
  const { min = 1, minLength = 1 } = constraintOf(input);
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const given = Object.values(type.getFields()).filter((field) => whole || isRequiredInputField(field));
    return Object.fromEntries(given.map((field) => [field.name, sampleOf(field, whole)]));
  }
  if (type.name === 'Int' || type.name === 'Float') return Math.max(1, min);
  return type.name === 'Boolean' ? true : '1'.repeat(minLength);
}

/** Samples of the required arguments of a field. */
export const requiredArguments = ({ args }: Field): Json =>
  Object.fromEntries(args.filter(isRequiredArgument).map((one) => [one.name, sampleOf(one)]));

/** The arguments of a root field as the team makes them, or samples of the required ones. */
export async function soundArguments(
  { fields = {}, ownFields = {} }: ConformanceOptions,
  name: string,
  field: Field,
  about: Asked,
): Promise<Json> {
  const make = fields[name] ?? ownFields[name];
  return make ? { ...(await make(about)) } : requiredArguments(field);
}

/** The person who may ask a root field of the most; undefined where nobody may. */
export function askerOf(service: TestService, name: string, field: Field): Person | undefined {
  const [line] = linesOfField(service.contract.schema, name, field);
  const reaching = (own: boolean) => rolesIn(service).findLast((role) => line !== undefined && allows(line, role, own));
  const role = reaching(false) ?? reaching(true);
  return Object.values(service.people).find((person) => person.role === role);
}

/**
 * Writes the document that asks for the last of some fields, each in the one before.
 * @param name `Query.user`
 * @param given the arguments of each field
 * @param selection of the last field
 */
export function requestFor(
  name: string,
  steps: Steps,
  given: readonly Json[],
  selection = isCompositeType(getNamedType((steps.at(-1) as Step).field.type)) ? ' { __typename }' : '',
): { document: string; variables: Record<string, unknown> } {
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const inBrackets = (parts: readonly string[]) => (parts.length > 0 ? `(${parts.join(', ')})` : '');
  const texts = steps.map(({ field, on }, depth) => {
    const passed = field.args.flatMap((arg) => {
      const value = given[depth]?.[arg.name];
      if (value === undefined) return [];
      const variable = depth === 0 ? arg.name : `${arg.name}${depth}`;
      variables[variable] = value;
      declared.push(`$${variable}: ${arg.type}`);
      return [`${arg.name}: $${variable}`];
    });
    const asked = field.name + inBrackets(passed);
    return (inner: string) => (on ? `... on ${on.name} { ${asked}${inner} }` : `${asked}${inner}`);
  });
  const selected = texts.reduceRight(
    (inner, text, depth) => ` { ${depth > 0 ? '__typename ' : ''}${text(inner)} }`,
    selection,
  );
  return { document: `${name.toLowerCase().split('.')[0]}${inBrackets(declared)}${selected}`, variables };
}

interface FieldRequest {
  service: TestService;
  options: ConformanceOptions;
  name: string;
  document: string;
  variables: Json;
  headers: Record<string, string>;
  about: Asked;
}
/** The answer of a field; no `data` where it refuses. */
type Answered = Pick<GraphQLAnswer, 'data' | 'codes'>;

/** Asks a root field, over HTTP or a socket. */
export const askField = (request: FieldRequest): Promise<Answered> => {
  const { service, name, document, variables, headers } = request;
  const isStream = name.startsWith(`${service.contract.schema.getSubscriptionType()?.name}.`);
  return isStream ? firstEvent(request) : service.graphql({ headers }, document, variables);
};

/** Milliseconds between two attempts to cause an event, and the number of attempts. */
const PAUSE_MS = 25;
const MOST_ATTEMPTS = 400;

/** Subscribes, and causes events until the first arrives. */
async function firstEvent(request: FieldRequest): Promise<Answered> {
  const { service, options, name, document, variables, headers, about } = request;
  const cause = options.events?.[name];
  if (!cause) throw new Error(`What does ${name} tell of? Bring it about under \`events\`.`);
  const subscription = service.subscribe({ headers }, document, variables);
  let first: Answered | Error | undefined;
  const arrived = subscription
    .next()
    .then(({ data, errors = [] }) => ({ data, codes: errors.map((one: Json) => one.extensions.code) }))
    .catch((error: Error) => (error.cause === undefined ? error : { data: null, codes: codesOfEnd(error.cause) }))
    .then((one) => {
      first = one;
    });
  for (let times = 0; first === undefined && times < MOST_ATTEMPTS; times++) {
    await cause(about, variables);
    await Promise.race([arrived, delay(PAUSE_MS)]);
  }
  subscription.close();
  if (first instanceof Error) throw first;
  return first ?? { data: null, codes: ['no event arrived'] };
}

/** A subscription is refused by its errors; or with its socket, which nobody may open without a credential. */
const codesOfEnd = (cause: Json): string[] =>
  Array.isArray(cause)
    ? cause.map((one) => one.extensions.code)
    : [cause.code === 4403 ? 'UNAUTHENTICATED' : `${cause.code}`];

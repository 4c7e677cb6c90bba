import { constraintOf, type InputValue } from '@accord-api/platform/internals/core/graphql/arguments';
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import type { GraphQLAnswer, Json } from './client.js';
import { rootFields, rowsOfField } from './contract.js';
import { type ConformanceOptions, type RequestContext, suite } from './kit.js';
import type { TestService } from './service.js';
import { callerOf, requestContext } from './sound-request.js';

export type Field = GraphQLField<unknown, unknown>;

export interface Step {
  field: Field;
  /** The type of the parent, if the parent is of an interface or a union and only this type has the field. */
  on?: GraphQLObjectType | undefined;
}
export type Steps = readonly [Step, ...Step[]];

/** Returns the tested root fields that the application has implemented, by `Query.user`. */
export const testedFields = ({ contract, app }: TestService, { only }: ConformanceOptions): [string, Field][] =>
  rootFields(contract.schema).filter(([name]) => !app.notWritten.includes(name) && (only?.includes(name) ?? true));

/** Returns a value for an argument or an input field. @param isComplete includes the optional fields of an input type */
export function sampleOf(schema: GraphQLSchema, input: InputValue, isComplete = false): Json {
  const type = getNullableType(input.type);
  const { min = 1, minLength = 1 } = (constraintOf(schema, input) ?? {}) as Record<string, number>;
  if (isListType(type)) return [];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const given = Object.values(type.getFields()).filter((field) => isComplete || isRequiredInputField(field));
    return Object.fromEntries(given.map((field) => [field.name, sampleOf(schema, field, isComplete)]));
  }
  if (type.name === 'Int' || type.name === 'Float') return Math.max(1, min);
  return type.name === 'Boolean' ? true : '1'.repeat(minLength);
}

export const requiredArguments = (schema: GraphQLSchema, { args }: Field): Json =>
  Object.fromEntries(args.filter(isRequiredArgument).map((arg) => [arg.name, sampleOf(schema, arg)]));

export async function soundArguments(
  { fields = {}, ownFields = {} }: ConformanceOptions,
  name: string,
  field: Field,
  context: RequestContext,
): Promise<Json> {
  const make = fields[name] ?? ownFields[name];
  return make ? { ...(await make(context)) } : requiredArguments(context.service.contract.schema, field);
}

/** Writes a document that selects the last of nested fields, with the arguments of each. */
export function documentFor(
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
    const text = field.name + inBrackets(passed);
    return (inner: string) => (on ? `... on ${on.name} { ${text}${inner} }` : `${text}${inner}`);
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
  context: RequestContext;
}
/** A rejected subscription has no `data`. */
export type FieldAnswer = Pick<GraphQLAnswer, 'data' | 'codes' | 'errors'>;

export const queryField = (request: FieldRequest): Promise<FieldAnswer> => {
  const { service, name, document, variables, headers } = request;
  const isSubscription = name.startsWith(`${service.contract.schema.getSubscriptionType()?.name}.`);
  return isSubscription ? firstEvent(request) : service.graphql({ headers }, document, variables);
};

async function firstEvent(request: FieldRequest): Promise<FieldAnswer> {
  const { service, options, name, document, variables, headers, context } = request;
  const cause = options.events?.[name];
  if (!cause) throw new Error(`${name}: no event can be caused. Add a function to \`events\`.`);
  const subscription = service.subscribe({ headers }, document, variables);
  try {
    const { data, errors = [] }: Json = await subscription.waitUntilActive(() => cause(context, variables));
    return { data, errors, codes: errors.map((error: Json) => error.extensions.code) };
  } catch (error) {
    if (!(error instanceof Error) || error.cause === undefined) throw error;
    const { code }: Json = error.cause;
    const errors: Json[] = Array.isArray(error.cause) ? error.cause : [];
    const codes = errors.map(({ extensions }) => extensions.code);
    // A socket without a credential is closed.
    return { data: null, errors, codes: codes.length > 0 ? codes : [code === 4403 ? 'UNAUTHENTICATED' : `${code}`] };
  } finally {
    subscription.close();
  }
}

/**
 * Queries every root field except subscriptions, as a role that has access. Fails if the result, with all fields of its type and of nested
 * types, has an error. Each field is also queried once with each optional argument, which the application may reject.
 */
export const everyField = suite(async (t, service, options) => {
  const { schema } = service.contract;
  const subscriptions = `${schema.getSubscriptionType()?.name}.`;
  for (const [name, field] of testedFields(service, options)) {
    const person = callerOf(service, rowsOfField(schema, name, field).slice(0, 1));
    if (person === undefined || name.startsWith(subscriptions)) continue;
    const query = async (selection: string, further: object = {}) => {
      const sound = await soundArguments(options, name, field, requestContext(service, person, person));
      const { document, variables } = documentFor(name, [{ field }], [{ ...sound, ...further }], selection);
      return service.graphql(person, document, variables);
    };
    const selections = selectionsOf(schema, field.type, 2);
    await t.test(`${name} returns all fields of its type`, async (t) => {
      for (const selection of selections) {
        const { codes, errors } = await query(selection);
        t.equal(String(codes), '', `${name}: ${errors[0]?.message}; if its arguments are not sound, set \`fields\``);
      }
    });
    for (const further of optionalArguments(schema, field)) await query(selections[0] ?? '', further);
  }
});

/** Returns a value for each optional argument, and a complete value for each input object. */
const optionalArguments = (schema: GraphQLSchema, { args }: Field): Json[] =>
  args
    .filter((arg) => !isRequiredArgument(arg) || isInputObjectType(getNamedType(arg.type)))
    .map((arg) => ({ [arg.name]: arg.defaultValue ?? sampleOf(schema, arg, true) }));

/**
 * Returns selections of all fields that need no argument. An abstract type has one per possible type, because the service
 * limits the depth and the cost of a document.
 */
function selectionsOf(schema: GraphQLSchema, type: Field['type'], depth: number): string[] {
  const named = getNamedType(type);
  if (isLeafType(named)) return [''];
  if (depth === 0) return [' { __typename }'];
  if (isObjectType(named)) return fieldsOf(schema, named, depth).map((fields) => ` { __typename ${fields} }`);
  const members = isAbstractType(named) ? schema.getPossibleTypes(named) : [];
  const found = members.flatMap((member) =>
    fieldsOf(schema, member, depth).map((fields) => ` { __typename ... on ${member.name} { __typename ${fields} } }`),
  );
  return found.length > 0 ? found : [' { __typename }'];
}

/** Returns one text of fields for each selection that the field with the most selections needs. */
function fieldsOf(schema: GraphQLSchema, type: GraphQLObjectType, depth: number): string[] {
  const selections = Object.values(type.getFields())
    .filter((field) => !field.args.some(isRequiredArgument))
    .map((field) => selectionsOf(schema, field.type, depth - 1).map((selection) => field.name + selection));
  const count = Math.max(1, ...selections.map(({ length }) => length));
  return Array.from({ length: count }, (_, at) => selections.map((fields) => fields[at % fields.length]).join(' '));
}

import type { Application } from '@accord-api/platform/internals/application';
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInputObjectType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import type { Cases, ConformanceOptions } from './conformance-options.js';
import { withService } from './kit.js';
import { allows, linesOfField, rootFields } from './matrix.js';
import type { Json, Person } from './people.js';
import { sampleOf } from './sample-arguments.js';
import type { TestService } from './service.js';
import { asked, rolesIn } from './sound-request.js';

export type Field = GraphQLField<unknown, unknown>;

/**
 * Every root field but those of subscriptions, asked by whom the contract lets: it gives each field of its type, and of the types
 * below, of an interface or a union those of its members one after the other, without an error; and it is asked once with each
 * argument that may be left out, which is taken or refused as it may be.
 */
export async function everyField<Own extends object>(
  t: Cases,
  application: Application<Own>,
  team: ConformanceOptions<Own> = {},
): Promise<void> {
  await withService(t, application, team, {}, async (service, options) => {
    const { schema } = service.contract;
    const tried = rootFields(schema).filter(
      ([name]) =>
        !name.startsWith(`${schema.getSubscriptionType()?.name}.`) &&
        !service.app.notWritten.includes(name) &&
        (options.only?.includes(name) ?? true),
    );
    for (const [name, field] of tried) {
      const person = askerOf(service, name, field);
      if (person === undefined) continue;
      await t.test(`${name} gives all that its type has`, async (t) => {
        for (const selection of selectionsOf(schema, field.type, 2)) {
          const variables = await soundArguments(service, options, name, field, person);
          const { codes, errors } = await service.graphql(
            person,
            documentOf(name, field, variables, selection),
            variables,
          );
          const first = errors[0]?.message;
          t.equal(String(codes), '', `${name}: ${first}; where its arguments are not sound, say so under \`fields\``);
        }
      });
      const [selection = ''] = selectionsOf(schema, field.type, 2);
      for (const further of furtherArguments(field)) {
        const given = await soundArguments(service, options, name, field, person);
        const variables = { ...given, ...further };
        await service.graphql(person, documentOf(name, field, variables, selection), variables);
      }
    }
  });
}

/** Whoever may most; undefined where nobody may. */
export function askerOf(service: TestService, name: string, field: Field): Person | undefined {
  const [line] = linesOfField(service.contract.schema, name, field);
  const reaching = (own: boolean) => rolesIn(service).findLast((role) => line !== undefined && allows(line, role, own));
  const role = reaching(false) ?? reaching(true);
  return Object.values(service.people).find((person) => person.role === role);
}

/** Arguments with which a root field is answered. */
export async function soundArguments(
  service: TestService,
  { fields = {}, ownFields = {} }: ConformanceOptions,
  name: string,
  field: Field,
  person: Person,
): Promise<Json> {
  const make = fields[name] ?? ownFields[name];
  if (make) return make(asked(service, person, person));
  return requiredArguments(field);
}

/** What a field cannot do without, by its type. */
export const requiredArguments = ({ args }: Field): Json =>
  Object.fromEntries(args.filter(isRequiredArgument).map((one) => [one.name, sampleOf(one)]));

/** What may be left out, one after the other: a default as it is, and all that an input may hold. */
const furtherArguments = ({ args }: Field): Json[] =>
  args
    .filter((one) => !isRequiredArgument(one) || isInputObjectType(getNamedType(one.type)))
    .map((one) => ({ [one.name]: one.defaultValue ?? sampleOf(one, true) }));

/** A document with one root field, which is given what the variables hold. */
function documentOf(name: string, { args }: Field, variables: Json, selection: string): string {
  const [root = '', field = ''] = name.split('.');
  const given = args.filter((one) => variables[one.name] !== undefined);
  const inBrackets = (parts: string[]) => (parts.length > 0 ? `(${parts.join(', ')})` : '');
  const declared = inBrackets(given.map((one) => `$${one.name}: ${one.type}`));
  const passed = inBrackets(given.map((one) => `${one.name}: $${one.name}`));
  return `${root.toLowerCase()}${declared} { ${field}${passed}${selection} }`;
}

/**
 * Selections that have, together, the fields of a type that need no argument, with what is below them: of an interface or a union,
 * one for each type that it may be, so that none asks for more than a document may.
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

/** The fields of an object that need no argument: one text for each selection that the field with the most of them needs. */
function fieldsOf(schema: GraphQLSchema, type: GraphQLObjectType, depth: number): string[] {
  const open = Object.values(type.getFields()).filter((field) => !field.args.some(isRequiredArgument));
  const ways = open.map((field) => selectionsOf(schema, field.type, depth - 1).map((below) => field.name + below));
  const most = Math.max(1, ...ways.map(({ length }) => length));
  return Array.from({ length: most }, (_, at) => ways.map((way) => way[at % way.length]).join(' '));
}

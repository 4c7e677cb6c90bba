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
import type { Application } from '../application.js';
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
 * below, of an interface or a union those of its members, without an error; and it is asked once with each argument that may be left
 * out, which is taken or refused as it may be.
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
        const variables = await soundArguments(service, options, name, field, person);
        const { codes, errors } = await service.graphql(person, documentOf(schema, name, field, variables), variables);
        const first = errors[0]?.message;
        t.equal(String(codes), '', `${name}: ${first}; where its arguments are not sound, say so under \`fields\``);
      });
      for (const further of furtherArguments(field)) {
        const given = await soundArguments(service, options, name, field, person);
        const variables = { ...given, ...further };
        await service.graphql(person, documentOf(schema, name, field, variables), variables);
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

/** A document with one root field, which is given what the variables hold, and all that it gives. */
function documentOf(schema: GraphQLSchema, name: string, { type, args }: Field, variables: Json): string {
  const [root = '', field = ''] = name.split('.');
  const given = args.filter((one) => variables[one.name] !== undefined);
  const inBrackets = (parts: string[]) => (parts.length > 0 ? `(${parts.join(', ')})` : '');
  const declared = inBrackets(given.map((one) => `$${one.name}: ${one.type}`));
  const passed = inBrackets(given.map((one) => `${one.name}: $${one.name}`));
  return `${root.toLowerCase()}${declared} { ${field}${passed}${selectionOf(schema, type, 2)} }`;
}

/** The fields of a type that need no argument, with what is below them; of an interface or a union, those of all that it may be. */
function selectionOf(schema: GraphQLSchema, type: Field['type'], depth: number): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (depth === 0) return ' { __typename }';
  const own = isObjectType(named) ? openFields(named) : [];
  const members = isAbstractType(named)
    ? schema.getPossibleTypes(named).map((one) => [one, openFields(one)] as const)
    : [];
  const fragments = members.map(([{ name: member }, fields]) => {
    // Two members give what is of two types under two names.
    const isTwo = ({ name, type: given }: Field) =>
      members.some(([, others]) => others.some((one) => one.name === name && String(one.type) !== String(given)));
    const selected = fields.map(
      (one) => (isTwo(one) ? `${member}_${one.name}: ` : '') + withSelection(schema, one, depth),
    );
    return selected.length > 0 ? `... on ${member} { ${selected.join(' ')} }` : '';
  });
  return ` { ${['__typename', ...own.map((one) => withSelection(schema, one, depth)), ...fragments].join(' ')} }`;
}

const openFields = (type: GraphQLObjectType): Field[] =>
  Object.values(type.getFields()).filter((field) => !field.args.some(isRequiredArgument));

const withSelection = (schema: GraphQLSchema, { name, type }: Field, depth: number): string =>
  name + selectionOf(schema, type, depth - 1);

import type { Application } from '@accord-api/platform/internals/application';
import {
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
import { askerOf, type Field, requestFor, sampleOf, soundArguments } from './graphql-fields.js';
import { withService } from './kit.js';
import { rootFields } from './matrix.js';
import type { Json } from './people.js';
import { asked } from './sound-request.js';

/**
 * Asks every root field but those of subscriptions, by whom the contract lets: it gives each field of its type, and of the types
 * below, of an interface or a union those of its members one after the other, without an error; and it is asked once with each
 * argument that may be left out, which is accepted or refused.
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
      const ask = async (selection: string, further: object = {}) => {
        const given = await soundArguments(options, name, field, asked(service, person, person));
        const { document, variables } = requestFor(name, [{ field }], [{ ...given, ...further }], selection);
        return service.graphql(person, document, variables);
      };
      const selections = selectionsOf(schema, field.type, 2);
      await t.test(`${name} gives all that its type has`, async (t) => {
        for (const selection of selections) {
          const { codes, errors } = await ask(selection);
          const first = errors[0]?.message;
          t.equal(String(codes), '', `${name}: ${first}; where its arguments are not sound, say so under \`fields\``);
        }
      });
      for (const further of furtherArguments(field)) await ask(selections[0] ?? '', further);
    }
  });
}

/** Lists what may be left out, one after the other: a default as it is, and all that an input may have. */
const furtherArguments = ({ args }: Field): Json[] =>
  args
    .filter((one) => !isRequiredArgument(one) || isInputObjectType(getNamedType(one.type)))
    .map((one) => ({ [one.name]: one.defaultValue ?? sampleOf(one, true) }));

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

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
import { callerOfField, documentFor, type Field, sampleOf, soundArguments, testedFields } from './graphql-fields.js';
import { suite } from './kit.js';
import type { Json } from './people.js';
import { requestContext } from './sound-request.js';

/**
 * Queries every root field except subscriptions, as a role that has access. Fails if the result, with all fields of its type and of nested
 * types, has an error. Each field is also queried once with each optional argument, which the application may reject.
 */
export const everyField = suite(async (t, service, options) => {
  const { schema } = service.contract;
  const subscriptions = `${schema.getSubscriptionType()?.name}.`;
  for (const [name, field] of testedFields(service, options)) {
    const person = callerOfField(service, name, field);
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
    for (const further of optionalArguments(field)) await query(selections[0] ?? '', further);
  }
});

/** Returns a value for each optional argument, and a complete value for each input object. */
const optionalArguments = ({ args }: Field): Json[] =>
  args
    .filter((one) => !isRequiredArgument(one) || isInputObjectType(getNamedType(one.type)))
    .map((one) => ({ [one.name]: one.defaultValue ?? sampleOf(one, true) }));

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
  return Array.from({ length: count }, (_, at) => selections.map((one) => one[at % one.length]).join(' '));
}

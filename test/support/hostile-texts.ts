import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
} from 'graphql';

/** What a text is made of that makes a parser look again and again. */
const UNITS = {
  head: ['a', '0', ' ', '/', ',', ';', '=', '"', '.', '-', ':', '@', '(', '[', '%41', 'a,', 'a;', '",', 'a ', ';a='],
  body: ['a', '0', ' ', '/', '.', '-', ':', '@', '"', '\\', '\n', '\u0000', '\ud800', '😀', 'a.', 'a-'],
};

export interface HostileText {
  name: string;
  /** The text of about so many characters. */
  of: (length: number) => string;
}

/** Texts that begin as one that is read would, go on with the same again and again, and end as they should not. */
export const hostileTexts = (beginnings: readonly string[], place: keyof typeof UNITS): HostileText[] =>
  beginnings.flatMap((beginning) =>
    UNITS[place].map((unit) => ({
      name: `${beginning}${JSON.stringify(unit)}…!`,
      of: (length) => `${beginning}${unit.repeat(Math.floor(length / unit.length))}!`,
    })),
  );

/** A request of a document's argument: `text` stands where a client would put a text. */
export interface TextArgument {
  name: string;
  query: string;
  variables: (text: string) => object;
}

/** Every argument of a root field, and every member of an input object, that takes a text or an id. */
export function textArguments(sdl: string): TextArgument[] {
  const schema = buildSchema(sdl);
  const roots = [schema.getQueryType(), schema.getMutationType()];
  return roots.flatMap((root) =>
    Object.values(root?.getFields() ?? {}).flatMap((field) =>
      textPlaces(field).map(({ place, argument, value }) => {
        const operation = root === schema.getMutationType() ? 'mutation' : 'query';
        const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
        const variables = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
        const selection = isLeafField(field) ? '' : ' { __typename }';
        return {
          name: `${field.name} ${place}`,
          query: `${operation}(${variables}) { ${field.name}(${given})${selection} }`,
          variables: (text: string) => ({ ...soundArguments(field), [argument]: value(text) }),
        };
      }),
    ),
  );
}

const isLeafField = ({ type }: GraphQLField<unknown, unknown>) => !('getFields' in getNamedType(type));
const isText = (type: GraphQLInputType) => ['String', 'ID'].includes(getNamedType(type).name);

function textPlaces(field: GraphQLField<unknown, unknown>) {
  return field.args.flatMap(({ name, type }) => {
    if (isText(type)) return [{ place: name, argument: name, value: (text: string): unknown => text }];
    const named = getNamedType(type);
    if (!isInputObjectType(named)) return [];
    return Object.values(named.getFields())
      .filter((member) => isText(member.type))
      .map((member) => ({
        place: `${name}.${member.name}`,
        argument: name,
        value: (text: string): unknown => ({ ...(soundValue(type) as object), [member.name]: text }),
      }));
  });
}

const soundArguments = ({ args }: GraphQLField<unknown, unknown>) =>
  Object.fromEntries(args.map(({ name, type }) => [name, soundValue(type)]));

function soundValue(type: GraphQLInputType): unknown {
  const named = getNamedType(type);
  if (named.name === 'Int') return 1;
  if (named.name === 'ID') return '1';
  if (isEnumType(named)) return named.getValues()[0]?.name;
  if (!isInputObjectType(named)) return 'a';
  return Object.fromEntries(Object.values(named.getFields()).map((member) => [member.name, soundValue(member.type)]));
}

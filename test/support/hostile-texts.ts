import {
  buildSchema,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
} from 'graphql';

/** Fragments that cause backtracking in a parser when they are repeated. */
const UNITS = {
  head: ['a', '0', ' ', '/', ',', ';', '=', '"', '.', '-', ':', '@', '(', '[', '%41', 'a,', 'a;', '",', 'a ', ';a='],
  body: ['a', '0', ' ', '/', '.', '-', ':', '@', '"', '\\', '\n', '\u0000', '\ud800', '😀', 'a.', 'a-'],
};

export interface HostileText {
  name: string;
  /** Returns the text with about this number of characters. */
  of: (length: number) => string;
}

/** Returns texts that begin like a valid one, repeat a fragment, and end invalidly. */
export const hostileTexts = (beginnings: readonly string[], place: keyof typeof UNITS): HostileText[] =>
  beginnings.flatMap((beginning) =>
    UNITS[place].map((unit) => ({
      name: `${beginning}${JSON.stringify(unit)}…!`,
      of: (length) => `${beginning}${unit.repeat(Math.floor(length / unit.length))}!`,
    })),
  );

/** A request to an argument of text type: `text` marks the place of the text. */
export interface TextArgument {
  name: string;
  query: string;
  variables: (text: string) => object;
}

/** Lists the text and ID arguments of all root fields, including the members of input objects. */
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

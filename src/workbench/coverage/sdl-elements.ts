import { type InputValue, SIDES, sdlBounds, sideName } from '@accord-api/testing/coverage/bounds';
import type { Element, Kind } from '@accord-api/testing/coverage/elements';
import {
  type ASTNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { placeOf } from '../model/sdl-source.js';

type Node = ASTNode | null | undefined;

/** The types that a type names: of its fields and their arguments, of its implementations and members. */
function neighboursOf(schema: GraphQLSchema, type: GraphQLNamedType): GraphQLNamedType[] {
  if (isUnionType(type)) return [...type.getTypes()];
  const fields = isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
  const inputs = isInputObjectType(type) ? Object.values(type.getFields()) : fields.flatMap(({ args }) => args);
  const implementations = isInterfaceType(type) ? schema.getPossibleTypes(type) : [];
  return [...[...fields, ...inputs].map((one) => getNamedType(one.type)), ...implementations];
}

/** The types that an operation can reach, in the order of the schema. What only directives use never travels. */
function reachable(schema: GraphQLSchema): GraphQLNamedType[] {
  const found = new Set<GraphQLNamedType>();
  const visit = (type: GraphQLNamedType) => {
    if (found.has(type)) return;
    found.add(type);
    neighboursOf(schema, type).forEach(visit);
  };
  for (const root of [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()])
    if (root) visit(root);
  return Object.values(schema.getTypeMap()).filter((type) => found.has(type));
}

/** Where the name of a definition stands. */
const nameAt = (node: Node) => placeOf(node && 'name' in node ? node.name : undefined);

/** A member of a type with the node that defines it, for which its directives are asked. */
export interface SdlElement extends Element {
  node: Node;
}

/** All that the GraphQL contract promises and takes: fields, arguments, input fields and enum values, and bounds. */
export function sdlElements(schema: GraphQLSchema): SdlElement[] {
  return reachable(schema).flatMap((type) => {
    const element = (kind: Kind, name: string, node: Node): SdlElement => {
      const key = `${type.name}.${name}`;
      return { kind, owner: type.name, name, key, file: 'schema.graphql', at: nameAt(node), node };
    };
    /** An argument or an input field with both sides of each of its bounds. */
    const inputElements = (kind: Kind, name: string, input: InputValue): SdlElement[] => {
      const own = element(kind, name, input.astNode);
      const sides = sdlBounds(schema, input).flatMap((bound) => SIDES.map((side) => sideName(name, bound, side)));
      const bounds = sides.map((side) => ({ ...element('bound', side, undefined), at: own.at, within: own.key }));
      return [own, ...bounds];
    };
    if (isEnumType(type)) return type.getValues().map(({ name, astNode }) => element('enumValue', name, astNode));
    if (isInputObjectType(type))
      return Object.values(type.getFields()).flatMap((field) => inputElements('inputField', field.name, field));
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.values(type.getFields()).flatMap(({ name, args, astNode }) => [
      element('field', name, astNode),
      ...args.flatMap((one) => inputElements('argument', `${name}(${one.name})`, one)),
    ]);
  });
}

import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  type NamedTypeNode,
  type NameNode,
  print,
  type StringValueNode,
  type TypeNode,
  typeFromAST,
  valueFromAST,
} from 'graphql';

import { placeOf, type SdlSource } from './sdl-source.js';

/** A named part of an SDL: a type, field, argument, input field, enum value or directive. */
export interface Definition {
  file: string;
  line: number;
  column: number;

  description: string;
  /** Its text without members and directives. */
  shape: string;
  isExtended: boolean;
  isInput: boolean;
  directives: readonly ConstDirectiveNode[];
}

interface Node {
  kind: string;
  name?: NameNode;

  description?: StringValueNode;
  directives?: readonly ConstDirectiveNode[];
  type?: TypeNode;
  interfaces?: readonly NamedTypeNode[];
  types?: readonly NamedTypeNode[];
  defaultValue?: ConstValueNode;
  fields?: readonly Node[];
  values?: readonly Node[];
  arguments?: readonly Node[];
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .sort(([a], [b]) => a.localeCompare(b))
          .map(([key, one]) => [key, sorted(one)])
      : value;

function definitionOf(node: Node, schema: GraphQLSchema): Definition {
  const { file, line, column } = placeOf(node.name);

  const names = (nodes: readonly NamedTypeNode[] = []) =>
    nodes
      .map(({ name }) => name.value)
      .sort()
      .join();
  const type = node.type && typeFromAST(schema, node.type as NamedTypeNode);
  // Coercion makes `1` equal to `[1]`, and to an ID (GraphQL, 3.11 and 3.5.5).
  const value = node.defaultValue && type ? JSON.stringify(sorted(valueFromAST(node.defaultValue, type as never))) : '';
  return {
    ...{ file, line, column, isExtended: false, isInput: node.kind === 'InputValueDefinition' },

    description: node.description?.value ?? '',
    shape: [node.kind, node.type ? print(node.type) : '', names(node.interfaces), names(node.types), value].join('|'),
    directives: node.directives ?? [],
  };
}

/** Returns the definitions of an SDL by path: `User.name`, `Query.users.limit`, `@permission`. `schema` has the types of defaults. */
export function definitionsIn({ document }: SdlSource, schema: GraphQLSchema): Map<string, Definition> {
  const found = new Map<string, Definition>();
  const addMembers = (path: string, node: Node) => {
    for (const member of [...(node.fields ?? []), ...(node.values ?? []), ...(node.arguments ?? [])]) {
      const own = `${path}.${member.name?.value}`;
      found.set(own, definitionOf(member, schema));
      addMembers(own, member);
    }
  };
  for (const node of document.definitions as readonly Node[]) {
    if (node.name === undefined) continue;
    const path = node.kind === 'DirectiveDefinition' ? `@${node.name.value}` : node.name.value;
    const known = found.get(path);
    const directives = [...(known?.directives ?? []), ...(node.directives ?? [])];
    found.set(path, known ? { ...known, directives, isExtended: true } : definitionOf(node, schema));
    addMembers(path, node);
  }
  return found;
}

export function inputAt(schema: GraphQLSchema, path: string): GraphQLArgument | GraphQLInputField | undefined {
  const [name = '', field = '', argument] = path.split('.');
  const owner = schema.getType(name);
  if (isInputObjectType(owner)) return owner.getFields()[field];
  const found = isObjectType(owner) || isInterfaceType(owner) ? owner.getFields()[field] : undefined;
  return found?.args.find((one) => one.name === argument);
}

/** The `Type.field`s that use each type in arguments, and in results. */
export interface Uses {
  sent: Map<string, Set<string>>;
  returned: Map<string, Set<string>>;
}

export function usesIn(schema: GraphQLSchema): Uses {
  const uses: Uses = { sent: new Map(), returned: new Map() };
  const add = (map: Map<string, Set<string>>, type: string, field: string): boolean => {
    const fields = map.get(type) ?? new Set();
    map.set(type, fields);
    return fields.size < fields.add(field).size;
  };
  const send = (type: string, field: string) => {
    const input = schema.getType(type);
    if (!add(uses.sent, type, field) || !isInputObjectType(input)) return;
    for (const member of Object.values(input.getFields())) send(getNamedType(member.type).name, field);
  };
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  for (const type of types) {
    if (!isObjectType(type) && !isInterfaceType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      add(uses.returned, getNamedType(field.type).name, `${type.name}.${field.name}`);
      for (const argument of field.args) send(getNamedType(argument.type).name, `${type.name}.${field.name}`);
    }
  }
  // A field with an abstract type returns its possible types.
  for (const type of types.filter(isAbstractType))
    for (const field of uses.returned.get(type.name) ?? [])
      for (const member of schema.getPossibleTypes(type)) add(uses.returned, member.name, field);
  return uses;
}

/** Returns the fields that a change affects: the field itself, or the fields that use the input type or enum. */
export function elementsAt(schema: GraphQLSchema, { sent, returned }: Uses, path: string): string[] {
  const [name = '', field] = path.split('.');
  const type = schema.getType(name);
  const isShared = isInputObjectType(type) || isEnumType(type);
  if (field !== undefined && !isShared) return [`${name}.${field}`];
  return [...(isShared ? (sent.get(name) ?? []) : []), ...(returned.get(name) ?? [])];
}

/** Returns the arguments of `@constraint`, and other directives with sorted arguments, by their names. */
export function directivesOf({ directives, isInput }: Definition): Map<string, string> {
  const found = new Map<string, string>();
  for (const { name, arguments: given = [] } of directives) {
    if (name.value === 'constraint')
      for (const { name: own, value } of given)
        found.set(own.value, 'value' in value ? String(value.value) : print(value));
    // The inspector reports `@deprecated`, except of inputs.
    if (['permission', 'constraint', ...(isInput ? [] : ['deprecated'])].includes(name.value)) continue;
    const [key, text] = [
      `@${name.value}`,
      given
        .map((one) => print(one))
        .sort()
        .join(', '),
    ];
    found.set(key, [found.get(key), `${key}(${text})`].filter(Boolean).sort().join(' '));
  }
  return found;
}

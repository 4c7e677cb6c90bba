import { isPlain } from 'accord/contract/references';
import {
  type ConstDirectiveNode,
  type ConstValueNode,
  type FieldDefinitionNode,
  GraphQLID,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  type InputValueDefinitionNode,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  type Location,
  type NamedTypeNode,
  print,
  typeFromAST,
  valueFromASTUntyped,
} from 'graphql';
import type { FileLines } from '../model/problems.js';
import { placeOf } from '../model/sdl.js';
import type { SdlSource } from '../model/sdl-source.js';
import type { Change, VersionLines } from './change.js';
import type { Locate } from './judged.js';
import { shapeOf } from './schema-part.js';

/** A named thing of an SDL: a type, field, argument, input field, enum value or directive. */
export interface Named {
  file: string;
  line: number;
  column: number;
  /** All that it says, with its description. */
  lines: FileLines;
  /** What it says of itself in words. */
  description: string;
  /** What it says besides its name, its description and what is deprecated. */
  shape: string;
  /** What it says of itself, without what it holds, in one order. */
  itself: string;
  /** Its place among its siblings, from 0. */
  position: number;
  directives: readonly ConstDirectiveNode[];
}

type Node = Partial<Omit<FieldDefinitionNode, 'kind'>> & {
  kind: string;
  loc?: Location;
};

type Itself = Node & { interfaces?: NamedTypeNode[]; types?: NamedTypeNode[]; defaultValue?: ConstValueNode };

/**
 * A value as one of a type: one that is no list stands for a list of itself alone, and a number for an id
 * (GraphQL, 3.11 and 3.5.5).
 */
function coerced(value: unknown, type: GraphQLType | undefined): unknown {
  if (isNonNullType(type)) return coerced(value, type.ofType);
  if (value === null) return value;
  if (isListType(type)) return (Array.isArray(value) ? value : [value]).map((one) => coerced(one, type.ofType));
  if (isInputObjectType(type) && isPlain(value)) {
    const fields = type.getFields();
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, coerced(one, fields[name]?.type)]));
  }
  return type === GraphQLID ? String(value) : value;
}

/** What a node says of itself; the members of a default in one order. */
function itselfOf({ kind, type, interfaces = [], types = [], defaultValue }: Itself, schema: GraphQLSchema): string {
  const names = (nodes: readonly NamedTypeNode[]) =>
    nodes
      .map(({ name }) => name.value)
      .sort()
      .join();
  const known = type && typeFromAST(schema, type as NamedTypeNode);
  const value = defaultValue === undefined ? '' : shapeOf(coerced(valueFromASTUntyped(defaultValue), known), 'data');
  return [kind, type === undefined ? '' : print(type), names(interfaces), names(types), value].join('|');
}

const extended = (known: Named, extension: Node): Named => ({
  ...known,
  // Where it is extended the inspector alone looks.
  itself: '',
  directives: [...known.directives, ...(extension.directives ?? [])],
});

/** The lines of a node with its description. */
function linesOf(file: string, loc: Location | undefined, line: number): FileLines {
  if (loc === undefined) return { file, first: line, last: line };
  const { startToken, endToken } = loc;
  const partly = startToken.prev?.line === startToken.line || endToken.next?.line === endToken.line;
  return { file, first: startToken.line, last: endToken.line, ...(partly && { partly }) };
}

/** All that an SDL names, by its path: `User`, `User.name`, `Query.users.limit`, `Role.ADMIN`, `@permission`. */
export function namedIn({ document, schema }: SdlSource): Map<string, Named> {
  const found = new Map<string, Named>();
  const enter = (path: string, node: Node, position: number) => {
    const { file, line, column } = placeOf(node.name);
    const shape = (['type', 'arguments', 'fields', 'values', 'types'] as const).map((key) => {
      const value = (node as Record<string, unknown>)[key];
      return value === undefined
        ? ''
        : [value]
            .flat()
            .map((one) => print(one as InputValueDefinitionNode))
            .join();
    });
    const itself = itselfOf(node, schema);
    found.set(path, {
      ...{ file, line, column, shape: shape.join(), itself, position, directives: node.directives ?? [] },
      lines: linesOf(file, node.loc, line),
      description: node.description?.value ?? '',
    });
  };
  const children = (path: string, nodes: readonly Node[] = []) => {
    for (const [position, node] of nodes.entries()) {
      const own = `${path}.${node.name?.value}`;
      enter(own, node, position);
      children(own, node.arguments);
    }
  };
  for (const [position, definition] of document.definitions.entries()) {
    if (!('name' in definition) || definition.name === undefined) continue;
    const path = definition.kind === 'DirectiveDefinition' ? `@${definition.name.value}` : definition.name.value;
    const known = found.get(path);
    if (known === undefined) enter(path, definition as Node, position);
    // What an extension says is said of the type.
    else found.set(path, extended(known, definition as Node));
    for (const key of ['fields', 'values', 'arguments'] as const) {
      children(path, (definition as unknown as Record<string, Node[] | undefined>)[key]);
    }
  }
  return found;
}

/** The place of what a path names, or of the nearest that it is part of. */
export const locatorOf =
  (named: Map<string, Named>, first: string): Locate =>
  (source) => {
    const keys = source.map(String).join('.').split('.');
    for (let length = keys.length; length > 0; length -= 1) {
      const found = named.get(keys.slice(0, length).join('.'));
      if (found !== undefined) {
        const { file, line, column, lines } = found;
        return { file, line, column, lines };
      }
    }
    return { file: first, line: 1, column: 1 };
  };

export const likenessAt = (named: Map<string, Named>, path: string): Change['likeness'] => {
  const found = named.get(path);
  if (found === undefined) return undefined;
  const [name = '', ...parents] = path.split('.').reverse();
  return {
    parent: parents.reverse().join('.'),
    name,
    shape: found.shape,
    position: found.position,
    verdict: 'breaking',
  };
};

/** Which fields a client meets each type at, as `Type.field`: as what it sends, and as what it gets. */
export interface Uses {
  sent: Map<string, Set<string>>;
  got: Map<string, Set<string>>;
}

export function usesIn(schema: GraphQLSchema): Uses {
  const uses: Uses = { sent: new Map(), got: new Map() };
  const add = (map: Map<string, Set<string>>, type: string, field: string) => {
    const known = map.get(type)?.has(field) === true;
    map.set(type, new Set([...(map.get(type) ?? []), field]));
    return !known;
  };
  const send = (type: string, field: string) => {
    if (!add(uses.sent, type, field)) return;
    const input = schema.getType(type);
    if (!isInputObjectType(input)) return;
    for (const member of Object.values(input.getFields())) send(getNamedType(member.type).name, field);
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__') || !(isObjectType(type) || isInterfaceType(type))) continue;
    for (const field of Object.values(type.getFields())) {
      const name = `${type.name}.${field.name}`;
      add(uses.got, getNamedType(field.type).name, name);
      for (const argument of field.args) send(getNamedType(argument.type).name, name);
    }
  }
  // Who gets an interface or a union gets each of its members.
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isAbstractType(type)) continue;
    for (const field of uses.got.get(type.name) ?? [])
      for (const member of schema.getPossibleTypes(type)) add(uses.got, member.name, field);
  }
  return uses;
}

/** The fields that something of a schema concerns: itself, or those that use the input type or enum that it is part of. */
export function elementsAt(schema: GraphQLSchema, uses: Uses, path: string): string[] {
  const [name = '', field] = path.split('.');
  const type = schema.getType(name);
  if (isInputObjectType(type) || isEnumType(type)) {
    return [...new Set([...(uses.sent.get(name) ?? []), ...(uses.got.get(name) ?? [])])];
  }
  return field === undefined ? [...(uses.got.get(name) ?? [])] : [`${name}.${field}`];
}

/** Where both versions say what a path names; what neither names is in the nearest that it is part of. */
export function linesIn(old: Map<string, Named>, current: Map<string, Named>, path: string): VersionLines {
  const [before, after] = [old.get(path)?.lines, current.get(path)?.lines];
  const parent = path.includes('.') ? path.slice(0, path.lastIndexOf('.')) : undefined;
  const partly = (before === undefined || after === undefined) && (before ?? after)?.partly === true;
  const above = parent === undefined ? {} : linesIn(old, current, parent);
  if (before === undefined && after === undefined) return above;
  // A line that has more than what came or went is in both versions.
  if (partly && above.before !== undefined && above.after !== undefined) return above;
  return { ...(before && { before }), ...(after && { after }) };
}

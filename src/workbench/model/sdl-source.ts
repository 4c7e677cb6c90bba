import {
  filesIn,
  type ProjectFiles,
  type SdlPart,
  sdlParts,
  sdlText,
} from '@accord-api/platform/contract/project-files';
import {
  type ASTNode,
  buildASTSchema,
  type ConstDirectiveNode,
  type ConstValueNode,
  type DefinitionNode,
  type DocumentNode,
  type GraphQLArgument,
  GraphQLError,
  type GraphQLInputField,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  type NamedTypeNode,
  type NameNode,
  parse,
  print,
  Source,
  type TypeNode,
  typeFromAST,
  valueFromAST,
  valueFromASTUntyped,
} from 'graphql';
import { validateSDL } from 'graphql/validation/validate.js';
import { lazy } from './lazy.js';
import { partsOf } from './openapi-source.js';
import { sdlAdditionsOf, sdlOfParts } from './part-documents.js';
import { FILES, type FilePlace, type Problem, problemAt } from './problems.js';

/** The GraphQL contract. Each part is computed when it is first read. */
export interface SdlSource {
  readonly file: string;
  /** The complete contract, which a service publishes; with syntax errors, the texts of all files as one document. */
  readonly text: string;
  /** With the documents of its parts. */
  readonly texts: ReadonlyMap<string, string>;
  /** True for a project without a GraphQL contract, which is no error. */
  readonly absent: boolean;
  /** The complete contract. Throws GraphQLError for a syntax error. */
  readonly document: DocumentNode;
  /** The reasons why the definitions make no schema. Throws as `document` does. */
  readonly errors: readonly GraphQLError[];
  /** Throws the first of `errors`, and as `document` does. */
  readonly schema: GraphQLSchema;
}

/** Returns false if a function reads an SDL with syntax errors. */
export function isParsed(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof GraphQLError) return false;
    throw error;
  }
}

/**
 * Creates the model of a GraphQL contract from its text, or from the texts of its files; undefined if there is none.
 * @param file the name of a single text in problems
 * @param ofParts returns the documents of the parts that the project names
 */
export function sdlOf(
  given: string | readonly SdlPart[] | undefined,
  file: string = FILES.schema,
  ofParts: () => readonly SdlPart[] = () => [],
): SdlSource {
  const own = typeof given === 'string' ? [{ file, text: given }] : (given ?? []);
  const of: { parts: readonly SdlPart[]; stated: DefinitionNode[]; added: DefinitionNode[] } = lazy({
    parts: () => (own.length === 0 ? [] : ofParts()),
    stated: () => own.flatMap((part) => parse(new Source(part.text, part.file)).definitions),
    added: () => (of.parts.length > 0 && isParsed(() => of.stated) ? sdlAdditionsOf(of.parts, of.stated) : []),
  });
  const sdl: SdlSource = lazy<SdlSource>({
    file: () => own[0]?.file ?? file,
    text: () => {
      const text = own.length === 0 ? '' : sdlText(own);
      return of.added.length === 0
        ? text
        : `${[text.trimEnd(), ...of.added.map((node) => print(node))].join('\n\n')}\n`;
    },
    texts: () => new Map([...own, ...of.parts].map((part) => [part.file, part.text])),
    absent: () => own.length === 0,
    document: () => ({ kind: Kind.DOCUMENT, definitions: [...of.stated, ...of.added] }),
    errors: () => validateSDL(sdl.document),
    schema: () => {
      const [first] = sdl.errors;
      if (first !== undefined) throw first;
      return buildASTSchema(sdl.document, { assumeValidSDL: true });
    },
  });
  return sdl;
}

/** Returns the GraphQL contract of a project, complete with what `parts` adds to it. */
export const sdlOfProject = (files: ProjectFiles, parts: () => readonly string[]): SdlSource =>
  sdlOf(sdlParts(files), undefined, () => sdlOfParts(files, parts()));

export function sdlIn(directory: string): SdlSource {
  const files = filesIn(directory);
  return sdlOfProject(files, () => partsOf(files));
}

/** The types whose fields are operations. */
export const ROOTS = ['Query', 'Mutation', 'Subscription'];

type Located = Pick<ASTNode, 'loc'>;

/** Returns the place of a node; the first character for a node without a location. */
export function placeOf(node: Located | null | undefined): Required<FilePlace> {
  const { loc } = node ?? {};
  if (loc === undefined) return { file: FILES.schema, line: 1, column: 1, length: 1 };
  const { line, column } = loc.startToken;
  return { file: loc.source.name, line, column, length: loc.end - loc.start };
}

export function firstWordOf(node: Located | null | undefined): Required<FilePlace> {
  const { start = 0, end = 1 } = node?.loc?.startToken ?? {};
  return { ...placeOf(node), length: end - start };
}

/** Creates a problem at the first word of a node, or at another place in its file. */
export const problemIn = (node: Located, rule: string, message: string, place = firstWordOf(node)): Problem =>
  problemAt(place.file, node.loc?.source.body ?? '', place, rule, message);

/** Returns the arguments of a directive as values. Values of enums are texts. */
export const argumentsOf = ({ arguments: given = [] }: ConstDirectiveNode): Record<string, unknown> =>
  Object.fromEntries(given.map(({ name, value }) => [name.value, valueFromASTUntyped(value)]));

export function constraintOf(directives: readonly ConstDirectiveNode[] = []): Record<string, unknown> {
  const found = directives.find(({ name }) => name.value === 'constraint');
  return found === undefined ? {} : argumentsOf(found);
}

/** Returns the name of the type inside lists and `!`. */
export const namedType = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);

export const isNonNull = (type: TypeNode): boolean => type.kind === Kind.NON_NULL_TYPE;

/** Returns true for a list, nullable or not. */
export const isList = (type: TypeNode): boolean =>
  type.kind === Kind.NON_NULL_TYPE ? isList(type.type) : type.kind === Kind.LIST_TYPE;

/** A named part of an SDL: a type, field, argument, input field, enum value or directive. */
export interface Definition {
  file: string;
  line: number;
  column: number;
  /** Its text without members and directives. */
  shape: string;
  isExtended: boolean;
  isInput: boolean;
  directives: readonly ConstDirectiveNode[];
}

interface SdlNode {
  kind: string;
  name?: NameNode;
  directives?: readonly ConstDirectiveNode[];
  type?: TypeNode;
  interfaces?: readonly NamedTypeNode[];
  types?: readonly NamedTypeNode[];
  defaultValue?: ConstValueNode;
  fields?: readonly SdlNode[];
  values?: readonly SdlNode[];
  arguments?: readonly SdlNode[];
}

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .sort(([a], [b]) => a.localeCompare(b))
          .map(([key, member]) => [key, sorted(member)])
      : value;

function definitionOf(node: SdlNode, schema: GraphQLSchema): Definition {
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
    shape: [node.kind, node.type ? print(node.type) : '', names(node.interfaces), names(node.types), value].join('|'),
    directives: node.directives ?? [],
  };
}

/** Returns the definitions of an SDL by path: `User.name`, `Query.users.limit`, `@permission`. `schema` has the types of defaults. */
export function definitionsIn({ document }: SdlSource, schema: GraphQLSchema): Map<string, Definition> {
  const found = new Map<string, Definition>();
  const addMembers = (path: string, node: SdlNode) => {
    for (const member of [...(node.fields ?? []), ...(node.values ?? []), ...(node.arguments ?? [])]) {
      const own = `${path}.${member.name?.value}`;
      found.set(own, definitionOf(member, schema));
      addMembers(own, member);
    }
  };
  for (const node of document.definitions as readonly SdlNode[]) {
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
  return found?.args.find((arg) => arg.name === argument);
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
        .map((node) => print(node))
        .sort()
        .join(', '),
    ];
    found.set(key, [found.get(key), `${key}(${text})`].filter(Boolean).sort().join(' '));
  }
  return found;
}

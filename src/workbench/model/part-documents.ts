/** Finds what the documents of parts add to a contract (`x-parts`). @module */

import { isPlain, type Keys, METHODS, rolesIn, valueAt } from '@accord-api/platform/contract/document';
import type { ProjectFiles, SdlPart } from '@accord-api/platform/contract/project-files';
import {
  type DefinitionNode,
  type DirectiveDefinitionNode,
  type DocumentNode,
  isTypeDefinitionNode,
  Kind,
  type NameNode,
  parse,
  Source,
  type TypeDefinitionNode,
  visit,
} from 'graphql';
import { candidatesIn } from './defaults.js';
import type { ElementKind } from './elements.js';
import { FILES } from './problems.js';

/** Stands for all roles that a permission does not name. Parts do not know the roles of a contract. */
const OTHERS = 'others';

type Members = Record<string, unknown>;

/** A value of a part's document, with its keys there and its keys in the contract. */
interface Addition {
  kind: ElementKind;
  value: unknown;
  from: Keys;
  at: Keys;
}

const COVERAGE = 'x-coverage';
/** A name in one of these decides for the other, too. */
const COVERED = [
  [COVERAGE, 'once'],
  [COVERAGE, 'except'],
];

/** The sections of which a part adds the members that a contract lacks. */
const SECTIONS: readonly (readonly [keys: readonly string[], kind: ElementKind])[] = [
  [['paths'], 'pathItem'],
  [['x-unmatched'], 'response'],
  [['components', 'securitySchemes'], 'securityScheme'],
  ...COVERED.map((keys) => [keys, 'other'] as const),
];

/** The parts that have a document. `core` is what all contracts share. */
export const DOCUMENTED_PARTS = ['core', 'identity', 'limits', 'observability', 'versions'] as const;

const PLATFORM = 'node_modules/@accord-api/platform/';

export const isOfPart = (file: string): boolean => file.startsWith(PLATFORM);

/** Returns the path of a part's document. */
export const documentOf = (part: string, file: string = FILES.openapi): string =>
  `${PLATFORM}${part === 'core' ? part : `parts/${part}`}/${file}`;

/** Returns the GraphQL documents of parts, of those that have one. */
export const sdlOfParts = (files: ProjectFiles, parts: readonly string[]): SdlPart[] =>
  parts.flatMap((part) => {
    const file = documentOf(part, FILES.schema);
    const text = files.read(file);
    return text === undefined ? [] : [{ file, text }];
  });

const membersAt = (document: unknown, keys: readonly string[]): [string, unknown][] =>
  Object.entries((valueAt(document, keys) ?? {}) as Members);

const operationsIn = (document: unknown): Members[] => candidatesIn(document).map(({ operation }) => operation);

const permissionsOf = ({ 'x-permission': main, 'x-permission-also': further }: Members): Members[] =>
  [main, further].flat().filter(isPlain);

/** Returns the roles that the permissions of a contract name. */
const rolesOf = (document: unknown): string[] => operationsIn(document).flatMap(permissionsOf).flatMap(rolesIn);

/** Returns the parts that a contract names, and what is wrong with the list. */
export function partsIn(document: unknown): { part?: string; keys: Keys; message?: string }[] {
  const list = isPlain(document) ? document['x-parts'] : undefined;
  if (list === undefined) return [];
  const known = DOCUMENTED_PARTS.join(', ');
  if (!Array.isArray(list) || (list.length > 0 && !list.includes('core')))
    return [
      { keys: ['x-parts'], message: `x-parts is a list of parts that has core, which the others need: ${known}.` },
    ];
  return list.map((part, index) => {
    const keys = ['x-parts', index];
    if (list.indexOf(part) < index) return { keys, message: `x-parts names ${part} twice.` };
    if (DOCUMENTED_PARTS.includes(part)) return { part, keys };
    return { keys, message: `There is no part ${part} with a contract: use ${known}.` };
  });
}

/** Returns the security schemes that the operations of documents require. */
const schemesIn = (...documents: unknown[]): ReadonlySet<string> =>
  new Set(
    documents
      .flatMap((document) => [document, ...operationsIn(document)])
      .flatMap((node) => listedIn(node, 'security'))
      .flatMap((requirement) => (isPlain(requirement) ? Object.keys(requirement) : [])),
  );

/** Returns a path item without the operations that a contract has elsewhere, and with its roles; undefined if none is left. */
function itemFor(item: Members, answered: ReadonlySet<unknown>, roles: readonly string[]): Members | undefined {
  const methods = METHODS.filter((method) => isPlain(item[method]) && !answered.has(item[method]['operationId']));
  const others = Object.fromEntries(
    Object.entries(item).filter(([name]) => !METHODS.some((method) => method === name)),
  );
  const operations = methods.map((method) => [method, withRoles(item[method] as Members, roles)]);
  return methods.length === 0 ? undefined : { ...others, ...Object.fromEntries(operations) };
}

function withRoles(operation: Members, roles: readonly string[]): Members {
  const permission = operation['x-permission'];
  if (!isPlain(permission) || !(OTHERS in permission)) return operation;
  const reaches = roles.map((role) => [role, permission[role] ?? permission[OTHERS]]);
  return { ...operation, 'x-permission': { action: permission['action'], ...Object.fromEntries(reaches) } };
}

/** Returns a list of a document that may be invalid. */
export const listedIn = (document: unknown, name: string): unknown[] => {
  const list = isPlain(document) ? document[name] : undefined;
  return Array.isArray(list) ? list : [];
};

/** Returns a copy of a document with another value at a place. */
export function withValue(node: unknown, [key, ...rest]: Keys, value: unknown): unknown {
  if (key === undefined) return value;
  const copy = typeof key === 'number' ? [...((node ?? []) as unknown[])] : { ...(node as object) };
  const members = copy as Record<string | number, unknown>;
  members[key] = withValue(members[key], rest, value);
  return copy;
}

/** Appends a part's list to a list of the contract. */
const appended = (
  contract: unknown,
  name: string,
  kind: ElementKind,
  list: readonly [number, unknown][],
): Addition[] => {
  const present = valueAt(contract, [name]) ?? [];
  if (!Array.isArray(present)) return [];
  const { length } = present;
  return list.map(([index, value], added) => ({ kind, value, from: [name, index], at: [name, length + added] }));
};

const entriesIn = (document: unknown, name: string) =>
  [...listedIn(document, name).entries()].filter((entry): entry is [number, Members] => isPlain(entry[1]));

/**
 * Returns what a part's document adds to a contract. What the contract states wins: a path, an operationId, a scheme, a tag. The part's
 * defaults follow those of the contract, without those for parts that the contract does not name.
 */
export function additionsOf(part: unknown, contract: unknown, sdlRoles: readonly string[]): Addition[] {
  const answered = new Set(operationsIn(contract).map(({ operationId }) => operationId));
  const roles = [...new Set([...sdlRoles, ...rolesOf(contract)])];
  const used = schemesIn(contract, part);
  const members = SECTIONS.flatMap(([section, kind]) => {
    const excluding = section[0] === COVERAGE ? COVERED : [section];
    const known = new Set(excluding.flatMap((keys) => membersAt(contract, keys)).map(([name]) => name));
    return membersAt(part, section).flatMap(([name, member]): Addition[] => {
      const value = kind === 'pathItem' && isPlain(member) ? itemFor(member, answered, roles) : member;
      const at = [...section, name];
      const isUnused = kind === 'securityScheme' && !used.has(name);
      return known.has(name) || isUnused || value === undefined ? [] : [{ kind, value, from: at, at }];
    });
  });
  const tags = new Set(entriesIn(contract, 'tags').map(([, { name }]) => name));
  const named = listedIn(contract, 'x-parts');
  const defaults = entriesIn(part, 'x-defaults').flatMap(([index, { part: owner, ...entry }]): [number, unknown][] =>
    owner === undefined || named.includes(owner) ? [[index, entry]] : [],
  );
  const further = entriesIn(part, 'tags').filter(([, { name }]) => !tags.has(name));
  return [
    ...members,
    ...appended(contract, 'tags', 'other', further),
    ...appended(contract, 'x-defaults', 'default', defaults),
  ];
}

type Definition = DirectiveDefinitionNode | TypeDefinitionNode;

const isDefinition = (node: DefinitionNode): node is Definition =>
  node.kind === Kind.DIRECTIVE_DEFINITION || isTypeDefinitionNode(node);

const isDirective = (node: Definition): node is DirectiveDefinitionNode => node.kind === Kind.DIRECTIVE_DEFINITION;

const nameOf = (node: Definition): string => (isDirective(node) ? `@${node.name.value}` : node.name.value);

/** Returns the values of the enum `Role`. */
export function roleValues({ definitions }: DocumentNode): NameNode[] {
  const enums = definitions.filter((definition) => definition.kind === Kind.ENUM_TYPE_DEFINITION);
  return (enums.find(({ name }) => name.value === 'Role')?.values ?? []).map(({ name }) => name);
}

/** Returns the roles of an SDL that does not define `@permission`: of its enum `Role`, or else of its permissions. */
function rolesOfSdl(sdl: DocumentNode): string[] {
  const values = roleValues(sdl).map(({ value }) => value.toLowerCase());
  if (values.length > 0) return values;
  const named: Record<string, true> = {};
  visit(sdl, {
    Directive({ name, arguments: given = [] }) {
      if (name.value === 'permission') for (const { name } of given) named[name.value] = true;
    },
  });
  return rolesIn(named);
}

/** Replaces the argument for all roles by one for each role. */
function forRoles(directive: DirectiveDefinitionNode, roles: readonly string[]): DirectiveDefinitionNode {
  const given = (directive.arguments ?? []).flatMap((argument) => {
    if (argument.name.value !== OTHERS) return argument;
    return roles.map((role) =>
      visit(argument, {
        Name: (node) => (node.value === OTHERS ? { ...node, value: role } : undefined),
        StringValue: (node) => ({ ...node, value: node.value.replaceAll(OTHERS.toUpperCase(), role.toUpperCase()) }),
      }),
    );
  });
  return { ...directive, arguments: given };
}

/** Returns the names of the types and directives that definitions use, as `nameOf` gives them. */
function usedIn(definitions: readonly DefinitionNode[]): ReadonlySet<string> {
  const used = new Set<string>();
  const add = ({ kind, name }: { kind: Kind; name: NameNode }) =>
    void used.add(kind === Kind.DIRECTIVE ? `@${name.value}` : name.value);
  visit({ kind: Kind.DOCUMENT, definitions }, { Directive: add, NamedType: add });
  return used;
}

/**
 * Returns the definitions of parts that an SDL uses and does not state itself: directives, with its roles as arguments, and types.
 */
export function sdlAdditionsOf(parts: readonly SdlPart[], stated: readonly DefinitionNode[]): DefinitionNode[] {
  const names = new Set(stated.filter(isDefinition).map(nameOf));
  const offered = parts
    .flatMap(({ text, file }) => parse(new Source(text, file)).definitions)
    .filter((node) => isDefinition(node) && !names.has(nameOf(node))) as Definition[];
  const [roles, used] = [rolesOfSdl({ kind: Kind.DOCUMENT, definitions: stated }), usedIn(stated)];
  const directives = offered
    .filter(isDirective)
    .filter((node) => used.has(nameOf(node)))
    .map((node) => forRoles(node, roles));
  const all = usedIn([...stated, ...directives]);
  return [...directives, ...offered.filter((node) => !isDirective(node) && all.has(nameOf(node)))];
}

import { type Permission, rolesIn } from '@accord-api/platform/contract/document';
import { placedOperations } from '@accord-api/platform/contract/openapi';
import {
  type ConstDirectiveNode,
  type DirectiveDefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  type NameNode,
  valueFromASTUntyped,
} from 'graphql';
import type { OpenApiSource } from './openapi-source.js';
import { type FilePlace, type Problem, problemAt } from './problems.js';
import { placeOf, problemIn, ROOTS, type SdlSource } from './sdl-source.js';
import type { Path } from './yaml-source.js';

/** How far a role can reach, the least first. */
export const REACHES: readonly string[] = ['none', 'own', 'any'];

const DIRECTIVE = 'permission';

/** A permission that a contract states, and where. */
interface Statement {
  /** The operationId, or the root field as `Type.field`. */
  by: string;
  /** In the words of `x-permission`, whichever contract states it. */
  permission: Permission;
  /** The place of the whole, or of what it gives a role. */
  placeOf: (role?: string) => FilePlace;
}

/** What both contracts say of who may do what. */
export interface StatedPolicy {
  /** The roles, as `x-permission` spells them; in the order of the arguments of `@permission`, where the SDL defines it. */
  roles: readonly string[];
  /** In the order of the contracts, REST first. */
  statements: readonly Statement[];
}

function restStatements({ written, placeOf }: OpenApiSource): Statement[] {
  const one = (by: string, permission: unknown, at: Path): Statement[] =>
    typeof permission === 'object' && permission !== null
      ? [{ by, permission: permission as Permission, placeOf: (role) => placeOf(role ? [...at, role] : at) }]
      : [];
  return placedOperations(written).flatMap(({ operation, at }) => {
    const { operationId = '', 'x-permission': main, 'x-permission-also': further = [] } = operation;
    return [
      ...one(operationId, main, [...at, 'x-permission']),
      ...further.flatMap((permission, index) => one(operationId, permission, [...at, 'x-permission-also', index])),
    ];
  });
}

const definitionIn = ({ definitions }: DocumentNode): DirectiveDefinitionNode | undefined =>
  definitions.find(
    (one): one is DirectiveDefinitionNode => one.kind === Kind.DIRECTIVE_DEFINITION && one.name.value === DIRECTIVE,
  );

/** What one `@permission` says; what it leaves out is as its definition has it. */
function permissionOf({ arguments: given = [] }: ConstDirectiveNode, definition?: DirectiveDefinitionNode): Permission {
  const defaults = (definition?.arguments ?? []).flatMap(({ name, defaultValue: value }) =>
    value === undefined ? [] : [{ name, value }],
  );
  const values = [...defaults, ...given].map(({ name, value }) => {
    const said = valueFromASTUntyped(value);
    return [name.value, value.kind === Kind.ENUM ? String(said).toLowerCase() : said];
  });
  return Object.fromEntries(values) as Permission;
}

const isPermission = ({ name }: ConstDirectiveNode): boolean => name.value === DIRECTIVE;

/** What the `@permission`s of a field of the SDL say, in the words of `x-permission`. */
export const permissionsOf = ({ directives = [] }: Pick<FieldDefinitionNode, 'directives'>): Permission[] =>
  directives.filter(isPermission).map((directive) => permissionOf(directive));

function sdlStatements({ document }: SdlSource): Statement[] {
  const definition = definitionIn(document);
  const types = document.definitions.filter(
    (one) => one.kind === Kind.OBJECT_TYPE_DEFINITION || one.kind === Kind.OBJECT_TYPE_EXTENSION,
  );
  const fields = types
    .filter(({ name }) => ROOTS.includes(name.value))
    .flatMap(({ name, fields = [] }) => fields.map((field) => ({ by: `${name.value}.${field.name.value}`, field })));
  return fields.flatMap(({ by, field: { directives = [] } }) =>
    directives.filter(isPermission).map((directive) => ({
      by,
      permission: permissionOf(directive, definition),
      placeOf: (role) => placeOf(directive.arguments?.find(({ name }) => name.value === role)?.value ?? directive),
    })),
  );
}

/** Reads the permissions of both contracts. Takes contracts that can be parsed. */
export function readPermissions(openapi: OpenApiSource, schema: SdlSource): StatedPolicy {
  const statements = [...restStatements(openapi), ...sdlStatements(schema)];
  const defined = rolesIn(
    Object.fromEntries((definitionIn(schema.document)?.arguments ?? []).map(({ name }) => [name.value, true])),
  );
  const named = statements.flatMap(({ permission }) => rolesIn(permission));
  return { roles: [...new Set([...defined, ...named])], statements };
}

const at = ({ file, line, column }: FilePlace) => `${file}:${line}:${column}`;

/** The values of the enum `Role`, with their places; none where the SDL has no such type. */
function enumOfRoles({ document }: SdlSource): NameNode[] {
  const found = document.definitions.find((one) => one.kind === Kind.ENUM_TYPE_DEFINITION && one.name.value === 'Role');
  const values = found?.kind === Kind.ENUM_TYPE_DEFINITION ? (found.values ?? []) : [];
  return values.map(({ name }) => name);
}

/**
 * Where the contracts contradict themselves or each other: a role that a permission leaves out, or gives what is no reach; an
 * action that reaches further in one place than in another; and an enum `Role` with other roles. Each problem names the
 * other place as well.
 */
export function policyProblems(
  openapi: OpenApiSource,
  schema: SdlSource,
  { roles, statements }: StatedPolicy,
): Problem[] {
  const problem = (where: Statement, message: string, role?: string) => {
    const place = where.placeOf(role);
    const text = openapi.texts.get(place.file) ?? schema.texts.get(place.file) ?? '';
    return problemAt(place.file, text, place, DIRECTIVE, message);
  };
  const found: Problem[] = [];
  const first = new Map<string, Statement>();
  for (const one of statements) {
    const { by, permission } = one;
    const known = first.get(permission.action) ?? one;
    first.set(permission.action, known);
    for (const role of roles) {
      const reach = permission[role];
      if (!REACHES.includes(reach ?? '')) {
        const other = statements.find((statement) => statement.permission[role] !== undefined);
        const elsewhere = other && other !== one ? `; ${at(other.placeOf(role))} names this role` : '';
        const list = REACHES.join(', ');
        found.push(
          problem(one, `Permission "${permission.action}" must give ${role} one of ${list}${elsewhere}.`, role),
        );
      } else if (reach !== known.permission[role]) {
        const there = at(known.placeOf(role));
        const message = `${by} gives ${role} "${reach}" in ${permission.action}, and ${known.by} gives "${known.permission[role]}" (${there}).`;
        found.push(problem(one, message, role));
      }
    }
  }
  return [...found, ...otherRoles(schema, { roles, statements })];
}

/** What an account can be has two lists in an SDL with an enum `Role`, and they are one. */
function otherRoles(schema: SdlSource, { roles, statements: [first] }: StatedPolicy): Problem[] {
  const values = enumOfRoles(schema);
  const [some] = values;
  if (some === undefined || first === undefined) return [];
  const permission = at(first.placeOf());
  const surplus = values
    .filter(({ value }) => !roles.some((role) => role.toUpperCase() === value))
    .map((name) => {
      const message = `The enum Role has ${name.value}, and no permission gives a role of this name anything (${permission}).`;
      return problemIn(name, DIRECTIVE, message);
    });
  const absent = roles
    .filter((role) => !values.some(({ value }) => value === role.toUpperCase()))
    .map((role) => {
      const message = `The enum Role lacks ${role.toUpperCase()}, and permissions name this role (${permission}).`;
      return problemIn(some, DIRECTIVE, message);
    });
  return [...surplus, ...absent];
}

/** Reads the permissions of both contracts. Code generation writes the policy from them, and reports contradictions. @module */

import { type Keys, type Permission, rolesIn } from '@accord-api/platform/contract/document';
import { operationEntries } from '@accord-api/platform/contract/openapi';
import {
  type ConstDirectiveNode,
  type DirectiveDefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  valueFromASTUntyped,
} from 'graphql';
import type { OpenApiSource } from './openapi-source.js';
import { roleValues } from './part-documents.js';
import { type FilePlace, type Problem, printPlace, problemAt } from './problems.js';
import { isParsed, placeOf, problemIn, ROOTS, type SdlSource } from './sdl-source.js';

/** The rows that a role can reach: no row, its own rows, all rows. */
export const REACHES: readonly string[] = ['none', 'own', 'any'];

const DIRECTIVE = 'permission';

interface Statement {
  by: string;
  permission: Permission;
  /** Returns the place of the permission, or of the reach of a role. */
  placeOf: (role?: string) => FilePlace;
}

export interface StatedPolicy {
  /** In lower case, in the order of the arguments of `@permission` if the SDL defines it. */
  roles: readonly string[];
  statements: readonly Statement[];
}

function restStatements({ written, placeOf }: OpenApiSource): Statement[] {
  const statement = (by: string, permission: unknown, at: Keys): Statement[] =>
    typeof permission === 'object' && permission !== null
      ? [{ by, permission: permission as Permission, placeOf: (role) => placeOf(role ? [...at, role] : at) }]
      : [];
  return operationEntries(written).flatMap(({ operation, at }) => {
    const { operationId = '', 'x-permission': main, 'x-permission-also': further = [] } = operation;
    return [
      ...statement(operationId, main, [...at, 'x-permission']),
      ...further.flatMap((also, index) => statement(operationId, also, [...at, 'x-permission-also', index])),
    ];
  });
}

const definitionIn = ({ definitions }: DocumentNode): DirectiveDefinitionNode | undefined =>
  definitions.find(
    (node): node is DirectiveDefinitionNode => node.kind === Kind.DIRECTIVE_DEFINITION && node.name.value === DIRECTIVE,
  );

/** Converts a `@permission` to the form of `x-permission`, with the defaults of its definition. */
function permissionOf({ arguments: given = [] }: ConstDirectiveNode, definition?: DirectiveDefinitionNode): Permission {
  const defaults = (definition?.arguments ?? []).flatMap(({ name, defaultValue: value }) =>
    value === undefined ? [] : [{ name, value }],
  );
  const values = [...defaults, ...given].map(({ name, value }) => {
    const plain = valueFromASTUntyped(value);
    return [name.value, value.kind === Kind.ENUM ? String(plain).toLowerCase() : plain];
  });
  return Object.fromEntries(values) as Permission;
}

const isPermission = ({ name }: ConstDirectiveNode): boolean => name.value === DIRECTIVE;

export const permissionsOf = ({ directives = [] }: Pick<FieldDefinitionNode, 'directives'>): Permission[] =>
  directives.filter(isPermission).map((directive) => permissionOf(directive));

function rootFields({ document }: SdlSource): { type: string; field: FieldDefinitionNode }[] {
  return document.definitions.flatMap((definition) => {
    const isObject = definition.kind === Kind.OBJECT_TYPE_DEFINITION || definition.kind === Kind.OBJECT_TYPE_EXTENSION;
    if (!isObject || !ROOTS.includes(definition.name.value)) return [];
    return (definition.fields ?? []).map((field) => ({ type: definition.name.value, field }));
  });
}

/** A field of a root type without `@permission` would be open to everybody. */
export const missingPermissions = (sdl: SdlSource): Problem[] =>
  rootFields(sdl).flatMap(({ type, field: { name, directives = [] } }) =>
    directives.some(isPermission)
      ? []
      : problemIn(name, DIRECTIVE, `"${type}.${name.value}" does not say who may use it: add @permission.`),
  );

function sdlStatements(sdl: SdlSource): Statement[] {
  const definition = definitionIn(sdl.document);
  return rootFields(sdl).flatMap(({ type, field: { name, directives = [] } }) =>
    directives.filter(isPermission).map((directive) => ({
      by: `${type}.${name.value}`,
      permission: permissionOf(directive, definition),
      placeOf: (role) => placeOf(directive.arguments?.find(({ name }) => name.value === role)?.value ?? directive),
    })),
  );
}

/** Returns the roles that `@permission` has as arguments; none of an SDL with errors. */
export function definedRoles(sdl: SdlSource): string[] {
  if (!isParsed(() => sdl.errors) || sdl.errors.length > 0) return [];
  const given = definitionIn(sdl.document)?.arguments ?? [];
  return rolesIn(Object.fromEntries(given.map(({ name }) => [name.value, true])));
}

/** Reads the permissions of contracts without syntax errors. */
export function readPermissions(openapi: OpenApiSource, schema: SdlSource): StatedPolicy {
  const statements = [...restStatements(openapi), ...sdlStatements(schema)];
  const defined = definedRoles(schema);
  const named = statements.flatMap(({ permission }) => rolesIn(permission));
  return { roles: [...new Set([...defined, ...named])], statements };
}

/**
 * Returns the contradictions between permissions: a role without a valid reach, an action with different reaches, and an enum `Role`
 * with other roles. Each problem names the other place.
 */
export function policyProblems(sources: { openapi: OpenApiSource; schema: SdlSource; permissions: StatedPolicy }) {
  const { openapi, schema, permissions } = sources;
  const { roles, statements } = permissions;
  const problem = (where: Statement, message: string, role: string) => {
    const place = where.placeOf(role);
    const text = openapi.texts.get(place.file) ?? schema.texts.get(place.file) ?? '';
    return problemAt(place.file, text, place, DIRECTIVE, message);
  };
  const found: Problem[] = [];
  const first = new Map<string, Statement>();
  for (const statement of statements) {
    const { by, permission } = statement;
    const known = first.get(permission.action) ?? statement;
    first.set(permission.action, known);
    for (const role of roles) {
      const reach = permission[role];
      if (!REACHES.includes(reach ?? '')) {
        const other = statements.find(({ permission }) => permission[role] !== undefined);
        const elsewhere = other && other !== statement ? `; ${printPlace(other.placeOf(role))} names this role` : '';
        const list = REACHES.join(', ');
        found.push(
          problem(statement, `Permission "${permission.action}" must give ${role} one of ${list}${elsewhere}.`, role),
        );
      } else if (reach !== known.permission[role]) {
        const there = printPlace(known.placeOf(role));
        const message = `${by} gives ${role} "${reach}" in ${permission.action}, and ${known.by} gives "${known.permission[role]}" (${there}).`;
        found.push(problem(statement, message, role));
      }
    }
  }
  return [...found, ...otherRoles(schema, permissions)];
}

function otherRoles(schema: SdlSource, { roles, statements: [first] }: StatedPolicy): Problem[] {
  const values = roleValues(schema.document);
  const [some] = values;
  if (some === undefined || first === undefined) return [];
  const permission = printPlace(first.placeOf());
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

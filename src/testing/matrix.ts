import { type Permission, rolesIn } from '@accord-api/platform/internals/contract/document';
import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import { type GraphQLField, type GraphQLSchema, getArgumentValues } from 'graphql';
import type { Contract } from './contract.js';

/** A row of the permission matrix: the permissions for an operation or a root field, without or with a condition. */
export interface MatrixRow {
  /** The operationId, or `Type.field`. */
  name: string;
  when: string | undefined;
  /** All required permissions: the unconditional ones, then the conditional one. */
  permissions: readonly Permission[];
}

type Field = GraphQLField<unknown, unknown>;

function rowsOf(name: string, permissions: readonly Permission[]): MatrixRow[] {
  const always = permissions.filter(({ when }) => when === undefined);
  const conditional = permissions.filter(({ when }) => when !== undefined);
  return [
    { name, when: undefined, permissions: always },
    ...conditional.map((one) => ({ name, when: one.when, permissions: [...always, one] })),
  ];
}

/** Returns the rows of an operation; none for a public one. */
export const rowsOfOperation = ({ operationId, permission, furtherPermissions }: Operation): MatrixRow[] =>
  permission === 'public' ? [] : rowsOf(operationId, [permission, ...furtherPermissions]);

/** Returns the rows of a root field: its `@permission` directives in the form of `x-permission`. */
export function rowsOfField(schema: GraphQLSchema, name: string, { astNode }: Field): MatrixRow[] {
  const definition = schema.getDirective('permission');
  const directives = (astNode?.directives ?? []).filter((one) => one.name.value === 'permission');
  const permissions = directives.map((node) => {
    const values = (definition ? getArgumentValues(definition, node) : {}) as Permission;
    const accesses = rolesIn(values).map((role) => [role, String(values[role]).toLowerCase()]);
    return { ...values, ...Object.fromEntries(accesses) };
  });
  return rowsOf(name, permissions);
}

export const rootFields = (schema: GraphQLSchema): [name: string, field: Field][] =>
  [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}).map((field): [string, Field] => [`${type?.name}.${field.name}`, field]),
  );

export const matrixOf = ({ operations, schema }: Contract): { rest: MatrixRow[]; graphql: MatrixRow[] } => ({
  rest: operations.flatMap(rowsOfOperation),
  graphql: rootFields(schema).flatMap(([name, field]) => rowsOfField(schema, name, field)),
});

/** Returns true if a role may act on its own resources (`own`), or on resources of other accounts. */
export const allows = ({ permissions }: MatrixRow, role: string, own: boolean): boolean =>
  permissions.every((one) => {
    const access = one[role.toLowerCase()];
    return access === 'any' || (access === 'own' && own);
  });

export const mechanismsOf = ({ security }: Operation): Set<string> => new Set(security.flatMap(Object.keys));

import { type Permission, rolesIn } from '@accord-api/platform/internals/contract/document';
import type { Operation } from '@accord-api/platform/internals/contract/openapi';
import { type GraphQLField, type GraphQLSchema, getArgumentValues } from 'graphql';
import type { Contract } from './contract.js';

/** One line of who may do what: all that is asked for, or what is asked for under a condition. */
export interface Line {
  /** The operationId, or `Type.field`. */
  name: string;
  /** The condition under which it counts. */
  when: string | undefined;
  /** All that must be given: what is always asked for, then what the condition adds. */
  permissions: readonly Permission[];
}

type Field = GraphQLField<unknown, unknown>;

/** What is always asked for, and each further permission together with it. */
function linesOf(name: string, permissions: readonly Permission[]): Line[] {
  const always = permissions.filter(({ when }) => when === undefined);
  const further = permissions.filter(({ when }) => when !== undefined);
  return [
    { name, when: undefined, permissions: always },
    ...further.map((one) => ({ name, when: one.when, permissions: [...always, one] })),
  ];
}

/** The lines of an operation; none of one that is everybody's. */
export const linesOfOperation = ({ operationId, permission, furtherPermissions }: Operation): Line[] =>
  permission === 'public' ? [] : linesOf(operationId, [permission, ...furtherPermissions]);

/** The lines of a root field, `Query.loan`: its `@permission`s, in the words of `x-permission`. */
export function linesOfField(schema: GraphQLSchema, name: string, { astNode }: Field): Line[] {
  const definition = schema.getDirective('permission');
  const stated = (astNode?.directives ?? []).filter((one) => one.name.value === 'permission');
  const permissions = stated.map((node) => {
    const said = (definition ? getArgumentValues(definition, node) : {}) as Permission;
    return { ...said, ...Object.fromEntries(rolesIn(said).map((role) => [role, String(said[role]).toLowerCase()])) };
  });
  return linesOf(name, permissions);
}

/** The root fields of a schema by their names, `Query.loan`. */
export const rootFields = (schema: GraphQLSchema): [name: string, field: Field][] =>
  [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()].flatMap((type) =>
    Object.values(type?.getFields() ?? {}).map((field): [string, Field] => [`${type?.name}.${field.name}`, field]),
  );

/** Who may do what, by both contracts. */
export const matrixOf = ({ operations, schema }: Contract): { rest: Line[]; graphql: Line[] } => ({
  rest: operations.flatMap(linesOfOperation),
  graphql: rootFields(schema).flatMap(([name, field]) => linesOfField(schema, name, field)),
});

/** Whether a line lets a role do it to its own, or to another's. */
export const allows = ({ permissions }: Line, role: string, own: boolean): boolean =>
  permissions.every((one) => {
    const reach = one[role.toLowerCase()];
    return reach === 'any' || (reach === 'own' && own);
  });

/** The security schemes by which an operation can be called. */
export const mechanismsOf = ({ security }: Operation): Set<string> => new Set(security.flatMap(Object.keys));

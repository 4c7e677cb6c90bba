import { type DirectiveNode, type GraphQLField, type GraphQLSchema, getArgumentValues } from 'graphql';
import { disagreement, type Scope } from '../calls/access.js';

interface Permission {
  action: string;
  viewer: Scope;
  developer: Scope;
  admin: Scope;
}

/** All permissions of a field; the first is always asked for. */
export function permissionsOf(schema: GraphQLSchema, { astNode }: GraphQLField<unknown, unknown>): Permission[] {
  const directive = schema.getDirective('permission');
  const stated = astNode?.directives?.filter(({ name }) => name.value === 'permission') ?? [];
  return directive ? stated.map((node: DirectiveNode) => read(getArgumentValues(directive, node))) : [];
}

const read = ({ action, viewer, developer, admin }: Record<string, unknown>): Permission => ({
  action: String(action),
  viewer: String(viewer).toLowerCase() as Scope,
  developer: String(developer).toLowerCase() as Scope,
  admin: String(admin).toLowerCase() as Scope,
});

/**
 * Holds the permissions of the SDL against the policy table, before anything listens.
 * @throws Error that lists every root field without a permission and every difference
 */
export function checkPermissions(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const problems = roots.flatMap((root) =>
    Object.values(root?.getFields() ?? {}).flatMap((field) => {
      const permissions = permissionsOf(schema, field);
      const found = permissions.length === 0 ? ['has no @permission'] : permissions.map(disagreement);
      return found
        .filter((problem) => problem !== undefined)
        .map((problem) => `${root?.name}.${field.name} ${problem}`);
    }),
  );
  if (problems.length > 0) throw new Error(`schema.graphql and the code disagree:\n  ${problems.join('\n  ')}`);
}

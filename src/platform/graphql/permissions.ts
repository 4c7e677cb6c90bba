import type { GraphQLSchema } from 'graphql';

/**
 * Looks, before anything listens, for what would be everybody's.
 * @throws Error that lists every root field without a permission
 */
export function checkPermissions(schema: GraphQLSchema): void {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const problems = roots.flatMap((root) =>
    Object.values(root?.getFields() ?? {})
      .filter(({ astNode }) => !astNode?.directives?.some(({ name }) => name.value === 'permission'))
      .map((field) => `${root?.name}.${field.name} has no @permission`),
  );
  if (problems.length > 0) throw new Error(`schema.graphql cannot be served:\n  ${problems.join('\n  ')}`);
}

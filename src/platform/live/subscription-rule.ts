import { type ASTVisitor, GraphQLError, Kind, type SelectionSetNode, type ValidationContext } from 'graphql';

const CONDITIONS = ['skip', 'include'];

/**
 * A subscription has exactly one root field, so none that a variable can take away (GraphQL specification of September 2025,
 * section 5.2.4.1; graphql 16 has the older rule and fails at run time).
 */
export function UnconditionalSubscriptionRule(context: ValidationContext): ASTVisitor {
  function check({ selections }: SelectionSetNode, seen: Set<string>): void {
    for (const selection of selections) {
      const condition = selection.directives?.find(({ name }) => CONDITIONS.includes(name.value));
      if (condition) {
        const message = `The root field of a subscription takes no @${condition.name.value}.`;
        context.reportError(new GraphQLError(message, { nodes: [condition] }));
      }
      if (selection.kind === Kind.INLINE_FRAGMENT) check(selection.selectionSet, seen);
      if (selection.kind !== Kind.FRAGMENT_SPREAD || seen.has(selection.name.value)) continue;
      seen.add(selection.name.value);
      const fragment = context.getFragment(selection.name.value);
      if (fragment) check(fragment.selectionSet, seen);
    }
  }
  return {
    OperationDefinition({ operation, selectionSet }) {
      if (operation === 'subscription') check(selectionSet, new Set());
    },
  };
}

import type { GraphQLESLintRule } from '@graphql-eslint/eslint-plugin';
import type { ESLint, Linter, Rule } from 'eslint';
import { missingPermission } from '../model/permissions.js';
import { GRAPHQL_RULES } from './graphql-rules.js';
import { REASONS } from './rules.js';

type Create = GraphQLESLintRule['create'];

const permission: Create = (context) => ({
  FieldDefinition(node) {
    const message = missingPermission(node.parent.name.value, node.rawNode());
    if (message !== undefined) context.report({ node: node.name, message });
  },
});

const RULES: Record<string, Create> = { permission, ...GRAPHQL_RULES };
const WHY: Record<string, string> = {
  permission: 'A field without a permission would be open to everybody.',
  ...REASONS,
};

/** The rules of `accord lint` for schema.graphql as a plugin of ESLint, for the parser of graphql-eslint. */
const plugin = {
  meta: { name: '@accord-api/workbench' },
  rules: Object.fromEntries(
    Object.entries(RULES).map(([name, create]) => {
      const meta = { type: 'problem', docs: { description: WHY[name] }, schema: [] };
      return [name, { meta, create } as unknown as Rule.RuleModule];
    }),
  ),
} satisfies ESLint.Plugin;

/** All rules as errors, for a configuration with the plugin name `accord`. */
const rules: Linter.RulesRecord = Object.fromEntries(Object.keys(RULES).map((name) => [`accord/${name}`, 'error']));

export default { ...plugin, configs: { recommended: { plugins: { accord: plugin }, rules } } };

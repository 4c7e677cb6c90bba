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
const DESCRIPTIONS: Record<string, string> = {
  permission: 'A field without a permission would be open to everybody.',
  ...REASONS,
};

/** An ESLint plugin with the rules of `accord lint` for schema.graphql. Requires the parser of graphql-eslint. */
const plugin = {
  meta: { name: '@accord-api/workbench' },
  rules: Object.fromEntries(
    Object.entries(RULES).map(([name, create]) => {
      const meta = { type: 'problem', docs: { description: DESCRIPTIONS[name] }, schema: [] };
      return [name, { meta, create } as unknown as Rule.RuleModule];
    }),
  ),
} satisfies ESLint.Plugin;

/** Reports all rules as errors, if the configuration names the plugin `accord`. */
const rules: Linter.RulesRecord = Object.fromEntries(Object.keys(RULES).map((name) => [`accord/${name}`, 'error']));

export default { ...plugin, configs: { recommended: { plugins: { accord: plugin }, rules } } };

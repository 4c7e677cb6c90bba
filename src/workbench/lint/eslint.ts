import type { GraphQLESLintRule } from '@graphql-eslint/eslint-plugin';
import type { ESLint, Linter, Rule } from 'eslint';
import { type GraphQLSchema, isCompositeType, valueFromASTUntyped } from 'graphql';
import { PAGE_SIZE } from '../model/names.js';
import { argumentsOf, constraintOf, isList, namedType } from '../model/sdl-source.js';
import { type AnyNode, contradictionIn, isPaged, patternFault, REASONS, type RuleName } from './rules.js';

type Create = GraphQLESLintRule['create'];

/** Returns what the reason of a `@deprecated` lacks, or undefined. */
function lackOfReason(reason: string): string | undefined {
  const [date = ''] = reason.match(/\b\d{4}-\d{2}-\d{2}\b/) ?? [];
  if (Number.isNaN(Date.parse(date))) return 'the date from which it may go, as in "until 2027-06-30"';
  if (/`[^`]+`|\bno successor\b/i.test(reason)) return undefined;
  return 'what to use instead, as `name` in backticks, or the words "no successor"';
}

export const GRAPHQL_RULES: Record<string, Create> = {
  'list-paging': (context) => ({
    FieldDefinition(node) {
      const { schema } = context.sourceCode.parserServices as { schema: GraphQLSchema | null };
      const { type, arguments: given = [] } = node.rawNode();
      const owner = node.parent.name.value;
      // The field that leads to a connection bounds its lists. Values, such as tags, are not resources.
      if (/(Connection|Edge)$/.test(owner) || !isList(type) || !isCompositeType(schema?.getType(namedType(type))))
        return;
      if (isPaged(given.map(({ name }) => name.value))) return;
      const message = `"${owner}.${node.name.value}" is a list: add \`limit\` with \`offset\` or \`before\`, or make it a connection.`;
      context.report({ node: node.name, message });
    },
  }),
  'list-maximum': (context) => ({
    'FieldDefinition > InputValueDefinition': (node: AnyNode) => {
      if (!PAGE_SIZE.test(node.name.value) || constraintOf(node.rawNode().directives)['max'] !== undefined) return;
      const message = `\`${node.name.value}\` has no maximum, so one request may ask for everything: add @constraint(max:).`;
      context.report({ node: node.name, message });
    },
  }),
  'pattern-sound': (context) => ({
    'Directive[name.value=constraint] > Argument[name.value=pattern]': ({ value }: AnyNode) => {
      const message = patternFault(value.value);
      if (message !== undefined) context.report({ node: value, message });
    },
  }),
  'bounds-contradict': (context) => ({
    'Directive[name.value=constraint]': (node: AnyNode) => {
      const { min, max, ...lengths } = argumentsOf(node.rawNode());
      const fault = contradictionIn({ minimum: min, maximum: max, ...lengths });
      if (fault !== undefined) context.report({ node: node.arguments[0], message: fault.message });
    },
  }),
  'example-refused': (context) => ({
    InputValueDefinition(node) {
      const { defaultValue, directives } = node.rawNode();
      if (node.defaultValue === undefined || defaultValue === undefined) return;
      const value = valueFromASTUntyped(defaultValue);
      const { min, max, minLength, maxLength } = constraintOf(directives) as Record<string, number>;
      const [size, least = -Infinity, most = Infinity] =
        typeof value === 'string' ? [[...value].length, minLength, maxLength] : [value, min, max];
      if (typeof size !== 'number' || (least <= size && size <= most)) return;
      const message = `The default of \`${node.name.value}\` violates its own @constraint.`;
      context.report({ node: node.defaultValue, message });
    },
  }),
  'deprecation-complete': (context) => ({
    'Directive[name.value=deprecated]': (node: AnyNode) => {
      const missing = lackOfReason(String(argumentsOf(node.rawNode())['reason'] ?? ''));
      if (missing !== undefined)
        context.report({ node: node.name, message: `The reason of @deprecated must name ${missing}.` });
    },
  }),
} satisfies Partial<Record<RuleName, Create>>;

/** The rules of `accord lint` for schema.graphql. Requires the parser of graphql-eslint. */
export const eslintPlugin = {
  meta: { name: '@accord-api/workbench' },
  rules: Object.fromEntries(
    Object.entries(GRAPHQL_RULES).map(([name, create]) => {
      const meta = { type: 'problem', docs: { description: REASONS[name as RuleName] }, schema: [] };
      return [name, { meta, create } as unknown as Rule.RuleModule];
    }),
  ),
} satisfies ESLint.Plugin;

/** Reports all rules as errors. */
export const GRAPHQL_ERRORS: Linter.RulesRecord = Object.fromEntries(
  Object.keys(GRAPHQL_RULES).map((name) => [`accord/${name}`, 'error']),
);

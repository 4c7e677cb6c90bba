import type { StatedPolicy } from '../model/permissions.js';
import { docComment, key, literal } from './typescript.js';

const HEADER = '// Generated from openapi.yaml and schema.graphql by `npm run codegen`. Do not edit.\n';

const TABLE = docComment([
  'Who may do what, by action and role. `any`: whoever it belongs to, or it belongs to nobody. `own`: what is the',
  "caller's own. `none`: nothing. Stated by `x-permission` and `@permission`; see also permissions.md.",
]);
const ACTION = docComment(['What a permission is asked for.']);
const OPERATIONS = docComment([
  'The action of each operation, by operationId, and of each root field, as `Type.field`: what the platform decides before',
  'its handler or resolver is asked.',
]);
const ROLE = docComment([
  'What an account can be, as it is stored, as tokens carry it and as GraphQL spells it. REST has it in lower case.',
]);

/**
 * The source of `generated/policy.ts`: the table of action and role, and the types of both. Takes permissions that
 * `policyProblems` finds nothing wrong with. The same contracts always give the same text.
 */
export function generatePolicy({ roles, statements }: StatedPolicy): string {
  const byAction = new Map(statements.map(({ permission }) => [permission.action, permission]));
  const rows = [...byAction].map(([action, permission]) => {
    const cells = roles.map((role) => `${key(role.toUpperCase())}: ${literal(permission[role])}`);
    return `  ${key(action)}: { ${cells.join(', ')} },\n`;
  });
  // The first permission that an operation states is its own; those of `x-permission-also` come after it.
  const main = new Map(statements.toReversed().map(({ by, permission }) => [by, permission.action]));
  const operations = [...main].reverse().map(([by, action]) => `  ${key(by)}: ${literal(action)},\n`);
  const names = roles.map((role) => literal(role.toUpperCase())).join(' | ') || 'never';
  return [
    HEADER,
    `${TABLE}export const policy = {\n${rows.join('')}} as const;\n`,
    `${OPERATIONS}export const operations = {\n${operations.join('')}} as const;\n`,
    `${ACTION}export type Action = keyof typeof policy;\n`,
    `${ROLE}export type Role = ${names};\n`,
  ].join('\n');
}

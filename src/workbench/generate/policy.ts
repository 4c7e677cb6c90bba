import type { StatedPolicy } from '../model/permissions.js';
import { docComment, key, literal } from './typescript.js';

const HEADER = '// Generated from openapi.yaml and schema.graphql by `npm run codegen`. Do not edit.\n';

const TABLE = docComment([
  'Who may do what, by action and role. `any`: whoever it belongs to, or it belongs to nobody. `own`: what is the',
  "caller's own. `none`: nothing. Stated by `x-permission` and `@permission`; see also permissions.md.",
]);
const ACTION = docComment(['What a permission is asked for.']);
const DECISIONS = docComment([
  'The operations and root fields whose action reaches `own`, with what their target must decide by: `owner`, a stored row;',
  '`self`, a new row of the caller. A route whose target does not decide so does not compile.',
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
  // The first permission that an operation states is its own; those of `x-permission-also` follow it.
  const main = new Map(statements.toReversed().map(({ by, permission }) => [by, permission]));
  const decisions = [...main].reverse().flatMap(([by, permission]) => {
    const reaches = roles.map((role) => permission[role]);
    if (!reaches.includes('own')) return [];
    return `  ${key(by)}: ${reaches.includes('any') ? "'owner'" : "'owner' | 'self'"};\n`;
  });
  const names = roles.map((role) => literal(role.toUpperCase())).join(' | ') || 'never';
  return [
    HEADER,
    `${TABLE}export const policy = {\n${rows.join('')}} as const;\n`,
    `${DECISIONS}export interface Decisions {\n${decisions.join('')}}\n`,
    `${ACTION}export type Action = keyof typeof policy;\n`,
    `${ROLE}export type Role = ${names};\n`,
  ].join('\n');
}

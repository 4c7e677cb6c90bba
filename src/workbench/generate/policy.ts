import type { StatedPolicy } from '../model/permissions.js';
import { docComment, key, literal } from './typescript.js';

const HEADER = '// Generated from openapi.yaml and schema.graphql by `npm run codegen`. Do not edit.\n';

const TABLE = docComment([
  'The permissions by action and role. `any`: all rows. `own`: rows of the caller. `none`: no rows.',
  'Source: `x-permission` and `@permission`. See also permissions.md.',
]);
const ACTION = docComment(['The actions that permissions name.']);
const DECISIONS = docComment([
  'The operations and root fields whose action reaches `own`, with the decision that their target must make: `owner`, by a',
  'stored row; `self`, by a new row of the caller. A route with another target does not compile.',
]);
const ROLE = docComment([
  'The roles of accounts, as in the database, in tokens and in GraphQL. REST has them in lower case.',
]);

/** Returns the source of `generated/policy.ts`. Expects permissions without problems. */
export function generatePolicy(policy: StatedPolicy): string {
  const { roles, statements } = policy;
  const byAction = new Map(statements.map(({ permission }) => [permission.action, permission]));
  const rows = [...byAction].map(([action, permission]) => {
    const cells = roles.map((role) => `${key(role.toUpperCase())}: ${literal(permission[role])}`);
    return `  ${key(action)}: { ${cells.join(', ')} },\n`;
  });
  // The first permission of an operation is its own. The permissions of `x-permission-also` follow it.
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

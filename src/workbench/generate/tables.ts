import type { Catalogue } from '@accord-api/platform/contract/codes';
import type { Operation } from '@accord-api/platform/contract/openapi';
import type { Contracts } from '../model/contracts.js';
import type { StatedPolicy } from '../model/permissions.js';
import { HEADER as REST_HEADER } from './operations.js';
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

const INTRODUCTION = `# Permissions

Generated from openapi.yaml and schema.graphql by \`npm run codegen\`. Do not edit. Change the contract, and review the effect here.
The service decides by policy.ts, which has the same source. A test tries each cell.

- \`any\`: all rows. \`own\`: rows of the caller; 403 for others. \`none\`: 403.
- \`open\`: no credential needed. \`401\`: a credential is required.
- A line with a condition applies in addition to the operation's own line, if the condition is met.
- The mechanisms are the security schemes of openapi.yaml. GraphQL accepts all credentials of users on every field.
`;

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
const head = (cells: readonly string[]) => row(cells) + row(cells.map(() => '---'));
const conditional = (name: string, when: string | undefined) => (when === undefined ? name : `${name}, when ${when}`);

/** Returns the cell of a public operation, which may still require a secret that belongs to no user. */
const openTo = ({ security }: Operation): string => {
  const optional = security.length === 0 || security.some((one) => Object.keys(one).length === 0);
  return optional ? 'open' : security.flatMap((one) => Object.keys(one)).join(', ');
};

function rest({ document, operations }: Contracts['openapi'], roles: StatedPolicy['roles']): string {
  const schemes = Object.keys(document.components.securitySchemes ?? {});
  const mechanisms = ({ security }: Operation) =>
    schemes.map((scheme) => (security.some((alternative) => scheme in alternative) ? 'yes' : '-'));
  const lines = operations.flatMap((operation) => {
    const { operationId, method, path, permission, furtherPermissions } = operation;
    const request = `${method} ${path}`;
    if (permission === 'public') {
      return row([operationId, request, ...Array(roles.length + 1).fill(openTo(operation)), ...mechanisms(operation)]);
    }
    return [permission, ...furtherPermissions].map((one) => {
      const name = conditional(operationId, one.when);
      return row([name, request, '401', ...roles.map((role) => String(one[role])), ...mechanisms(operation)]);
    });
  });
  return head(['operation', 'request', 'anonymous', ...roles, ...schemes]) + lines.join('');
}

function graphql({ roles, statements }: StatedPolicy): string {
  const lines = statements
    .filter(({ by }) => by.includes('.'))
    .map(({ by, permission }) =>
      row([conditional(by, permission.when), '401', ...roles.map((role) => String(permission[role]))]),
    );
  return head(['field', 'anonymous', ...roles]) + lines.join('');
}

/** Returns the text of `generated/permissions.md`, the permissions of both contracts. Expects contracts without problems. */
export const permissionMatrix = ({ openapi, permissions }: Contracts): string =>
  `${INTRODUCTION}\n## REST\n\n${rest(openapi, permissions.roles)}\n## GraphQL\n\n${graphql(permissions)}`;

const CATALOGUE = docComment([
  'The error codes of both transports: HTTP status, title and description. The catalogue has the codes of the platform and the',
  'codes that `x-codes` in openapi.yaml adds.',
]);

/** Returns the source of `generated/errors.ts`, the catalogue of error codes. The same codes always give the same text. */
export function generateErrors(codes: Catalogue): string {
  const entries = Object.entries(codes).map(
    ([code, { status, title, description }]) =>
      `  ${key(code)}: {\n    status: ${status},\n    title: ${literal(title)},\n    description: ${literal(description.trim())},\n  },\n`,
  );
  return [
    REST_HEADER,
    `${CATALOGUE}export const errors = {\n${entries.join('')}} as const;\n`,
    `${docComment(['A code of the catalogue. Clients distinguish errors by it.'])}export type Code = keyof typeof errors;\n`,
  ].join('\n');
}

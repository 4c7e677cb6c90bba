import type { Operation } from '@accord-api/platform/contract/openapi';
import type { Contracts } from '../model/contracts.js';
import type { StatedPolicy } from '../model/permissions.js';

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

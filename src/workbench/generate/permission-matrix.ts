import type { Operation } from '@accord-api/platform/contract/openapi';
import type { Contracts } from '../model/contracts.js';
import type { StatedPolicy } from '../model/permissions.js';

const INTRODUCTION = `# Who may do what

Generated from openapi.yaml and schema.graphql by \`npm run codegen\`. Do not edit: change the contract, and review here what
that gives and takes. policy.ts, by which the service decides, is made of the same, and a test tries each cell.

- \`any\`: whoever it belongs to, or it belongs to nobody. \`own\`: the caller's own, another's is 403. \`none\`: 403.
- \`open\`: without a credential. \`401\`: with a credential only.
- A line with a condition counts besides the line of the same operation, when its condition is met.
- The mechanisms are the security schemes of openapi.yaml. GraphQL takes all of a user's on every field.
`;

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
const head = (cells: readonly string[]) => row(cells) + row(cells.map(() => '---'));
const conditional = (name: string, when: string | undefined) => (when === undefined ? name : `${name}, when ${when}`);

/** A public operation may still ask for a secret that is no user's. */
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

/** The text of `generated/permissions.md`: both contracts' permissions, for people to review. Takes sound contracts. */
export const permissionMatrix = ({ openapi, permissions }: Contracts): string =>
  `${INTRODUCTION}\n## REST\n\n${rest(openapi, permissions.roles)}\n## GraphQL\n\n${graphql(permissions)}`;

import { type FieldDefinitionNode, Kind, parse, valueFromASTUntyped } from 'graphql';
import { type OpenApiDocument, type Permission, ROLES } from '../../platform/contract/document.js';
import { type Operation, operations } from '../../platform/contract/openapi.js';
import { ROOTS } from '../model/sdl.js';

const INTRODUCTION = `# Who may do what

Generated from openapi.yaml and schema.graphql by \`npm run codegen\`. Do not edit: change the contract, and review here what
that gives and takes. The service does not start when its policy table says otherwise, and a test tries each cell.

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

function rest(document: OpenApiDocument): string {
  const schemes = Object.keys(document.components.securitySchemes ?? {});
  const mechanisms = ({ security }: Operation) =>
    schemes.map((scheme) => (security.some((alternative) => scheme in alternative) ? 'yes' : '-'));
  const lines = operations(document).flatMap((operation) => {
    const { operationId, method, path, permission, furtherPermissions } = operation;
    const request = `${method} ${path}`;
    if (permission === 'public') {
      return row([operationId, request, ...Array(4).fill(openTo(operation)), ...mechanisms(operation)]);
    }
    return [permission, ...furtherPermissions].map((one) => {
      const name = conditional(operationId, one.when);
      return row([name, request, '401', ...ROLES.map((role) => one[role]), ...mechanisms(operation)]);
    });
  });
  return head(['operation', 'request', 'anonymous', ...ROLES, ...schemes]) + lines.join('');
}

/** What the `@permission`s of a field of the SDL say, in the words of `x-permission`. */
export const permissionsOf = ({ directives = [] }: Pick<FieldDefinitionNode, 'directives'>): Permission[] =>
  directives
    .filter(({ name }) => name.value === 'permission')
    .map(({ arguments: given = [] }) => {
      const values = given.map(({ name, value }) => {
        const said = valueFromASTUntyped(value);
        return [name.value, value.kind === Kind.ENUM ? String(said).toLowerCase() : said];
      });
      return Object.fromEntries(values) as Permission;
    });

/** Every permission that a sound SDL states, with the root field that states it as `Type.field`. */
export function fieldPermissions(schema: string): { field: string; permission: Permission }[] {
  const types = parse(schema).definitions.filter((one) => one.kind === Kind.OBJECT_TYPE_DEFINITION);
  const roots = types.filter(({ name }) => ROOTS.includes(name.value));
  return roots.flatMap(({ name: type, fields = [] }) =>
    fields.flatMap((field) =>
      permissionsOf(field).map((permission) => ({ field: `${type.value}.${field.name.value}`, permission })),
    ),
  );
}

function graphql(schema: string): string {
  const lines = fieldPermissions(schema).map(({ field, permission }) =>
    row([conditional(field, permission.when), '401', ...ROLES.map((role) => permission[role])]),
  );
  return head(['field', 'anonymous', ...ROLES]) + lines.join('');
}

/** The text of `generated/permissions.md`: both contracts' permissions, for people to review. Takes sound contracts. */
export const permissionMatrix = (document: OpenApiDocument, schema: string): string =>
  `${INTRODUCTION}\n## REST\n\n${rest(document)}\n## GraphQL\n\n${graphql(schema)}`;

import { join } from 'node:path';
import { Node, type Project, type SourceFile } from 'ts-morph';
import type { Permission } from '../../platform/contract/document.js';
import type { Operation } from '../../platform/contract/openapi.js';
import { fieldPermissions } from '../generate/permission-matrix.js';
import { literal } from '../generate/typescript.js';
import { type Problem, problemAt } from '../model/problems.js';
import type { Change } from './change.js';
import { propertiesOf } from './members.js';

const POLICY = 'src/platform/calls/access.ts';
/** The constant with a row for each action, `'users.list': row('any', 'any', 'any')`, and the function that makes one. */
const TABLE = 'policy';
const ROW = 'row';

/** A permission, and what states it. */
interface Stated {
  by: string;
  permission: Permission;
}

/** Who may do what, as both contracts state it. */
export const statedPermissions = (operations: readonly Operation[], schema: string): Stated[] => [
  ...operations.flatMap(({ operationId, permission, furtherPermissions }) =>
    [...(permission === 'public' ? [] : [permission]), ...furtherPermissions].map((one) => ({
      by: `${operationId} in openapi.yaml`,
      permission: one,
    })),
  ),
  ...fieldPermissions(schema).map(({ field, permission }) => ({ by: `${field} in schema.graphql`, permission })),
];

type Role = 'viewer' | 'developer' | 'admin';

/** The roles in the order in which a row is given their reaches. */
function rolesOf(file: SourceFile): Role[] {
  const make = file.getVariableDeclaration(ROW)?.getInitializer();
  return Node.isArrowFunction(make) ? make.getParameters().map((one) => one.getName().toLowerCase() as Role) : [];
}

/** What a row gives, in its order. */
function reachesOf(row: Node): string {
  const call = Node.isPropertyAssignment(row) ? row.getInitializer() : undefined;
  const given = Node.isCallExpression(call) ? call.getArguments() : [];
  return given.map((one) => (Node.isStringLiteral(one) ? one.getLiteralText() : one.getText())).join();
}

/**
 * Gives each action that the policy table does not know the row that the contract states for it: nothing asks for it yet,
 * so it grants nothing. A row that is there is a decision, and only told of where a contract disagrees: the service does
 * not start until they agree.
 */
export function scaffoldPolicy(project: Project, root: string, permissions: readonly Stated[]) {
  const changes: Change[] = [];
  const problems: Problem[] = [];
  const file = project.getSourceFile(join(root, POLICY));
  if (file === undefined) return { changes, problems };
  const rows = propertiesOf(file, TABLE);
  const roles = rolesOf(file);
  const reachesIn = (permission: Permission) => roles.map((role) => permission[role]);
  const told = (reaches: readonly string[]) => roles.map((role, index) => `${role} ${reaches[index]}`).join(', ');

  for (const { by, permission } of permissions) {
    const { action } = permission;
    if (rows.node(action)) continue;
    const family = rows.names().filter((name) => name.split('.')[0] === action.split('.')[0]);
    const last = rows.node((family.length > 0 ? family : rows.names()).at(-1) ?? '');
    rows.insert(`${literal(action)}: ${ROW}(${reachesIn(permission).map(literal).join(', ')}),`, last, undefined);
    const detail = `${told(reachesIn(permission))}, as ${by} states it`;
    changes.push({ kind: 'added', file: POLICY, name: action, detail });
  }
  const text = file.getFullText();
  for (const { by, permission } of permissions) {
    const { action } = permission;
    const row = rows.node(action);
    if (row === undefined || reachesOf(row) === reachesIn(permission).join()) continue;
    const { line, column } = file.getLineAndColumnAtPos(row.getStart());
    const message = `${by} grants ${action} otherwise: ${told(reachesIn(permission))}. The service does not start until they agree.`;
    problems.push(problemAt(POLICY, text, { line, column, length: row.getEnd() - row.getStart() }, 'policy', message));
  }
  return { changes, problems };
}

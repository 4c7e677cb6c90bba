import { ROLES } from '../../platform/contract/document.js';
import type { Difference } from './difference.js';
import type { CallPair, Pairs } from './pairs.js';
import type { Call } from './side.js';

/** One action reaches equally far wherever it is asked for: the service has one policy for both contracts. */
function compareReach(calls: readonly Call[]): Difference[] {
  const uses = calls.flatMap(({ name, permissions }) => permissions.map((one) => ({ name, ...one })));
  return uses.flatMap((use) => {
    const first = uses.find(({ permission }) => permission.action === use.permission.action);
    if (first === undefined || first === use) return [];
    const { action } = use.permission;
    return ROLES.filter((role) => use.permission[role] !== first.permission[role]).map((role) => ({
      id: `permission:${action}@${use.name}:${role}`,
      message: `${action} gives ${role} ${first.permission[role]} in ${first.name} and ${use.permission[role]} in ${use.name}`,
      advice: 'Give the role the same reach in both, as the policy has it.',
      places: [first.where, use.where],
    }));
  });
}

/** Counterparts ask for the same actions, so that neither is a way around the other. */
function compareActions({ rest, field }: CallPair): Difference[] {
  const name = `${rest.name}~${field.name}`;
  const actionsOf = ({ permissions }: Call) => permissions.map(({ permission }) => permission.action);
  const one = (from: Call, to: Call) =>
    from.permissions
      .filter(({ permission }) => !actionsOf(to).includes(permission.action))
      .map(({ permission: { action, when }, where }) => ({
        id: `permission:${name}:${action}`,
        message: `${from.name} asks for ${action}${when === undefined ? '' : ` (when ${when})`}, and ${to.name} does not`,
        advice: 'Ask for the same actions in both.',
        places: [where, to.permissions[0]?.where ?? to.where],
      }));
  return [...one(rest, field), ...one(field, rest)];
}

/** The differences of the permissions of both contracts. */
export const comparePermissions = (pairs: Pairs, calls: readonly Call[]): Difference[] => [
  ...compareReach(calls),
  ...pairs.calls.flatMap(compareActions),
];

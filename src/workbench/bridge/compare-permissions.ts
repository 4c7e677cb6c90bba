import type { Difference } from './difference.js';
import type { CallPair, Pairs } from './pairs.js';
import type { Call } from './side.js';

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

/** The differences of the permissions of paired operations. How far an action reaches is the check's to compare. */
export const comparePermissions = ({ calls }: Pairs): Difference[] => calls.flatMap(compareActions);

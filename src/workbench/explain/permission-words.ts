import { type Permission, type Reach, rolesIn } from '@accord-api/platform/contract/document';

const REACH: Record<Reach, string> = { any: "anybody's", own: 'what is its own', none: 'not at all' };

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** Who may, in a sentence: `viewer and developer: what is its own; admin: anybody's`. */
export function permissionWords(permission: Permission): string {
  const roles = rolesIn(permission);
  const groups = (['own', 'any', 'none'] as const).flatMap((reach) => {
    const those = roles.filter((role) => String(permission[role]).toLowerCase() === reach);
    return those.length === 0 ? [] : `${listed(those)}: ${REACH[reach]}`;
  });
  return `${groups.join('; ')}${permission.when === undefined ? '' : `; asked for when ${permission.when}`}`;
}

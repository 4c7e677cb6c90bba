import type { Change } from './change.js';

type Bump = 'none' | 'patch' | 'minor' | 'major';
const BUMPS: Bump[] = ['none', 'patch', 'minor', 'major'];

/** The version that a diff demands (semver.org 2.0.0, from info.version of the old contract). */
export interface VersionDemand {
  from: string;
  to: string;
  bump: Bump;
  /** The least version that says so. */
  least: string;
  /** Whether `to` is at least that. */
  enough: boolean;
}

const numbers = (version: string): [number, number, number] => {
  const [major = 0, minor = 0, patch = 0] = version.split(/[-+]/)[0]?.split('.').map(Number) ?? [];
  return [major, minor, patch];
};

function bumped(version: string, bump: Bump): string {
  const [major, minor, patch] = numbers(version);
  if (bump === 'major') return `${major + 1}.0.0`;
  if (bump === 'minor') return `${major}.${minor + 1}.0`;
  return bump === 'patch' ? `${major}.${minor}.${patch + 1}` : version;
}

function atLeast(version: string, least: string): boolean {
  const [a, b] = [numbers(version), numbers(least)];
  const difference = a.map((one, index) => one - (b[index] ?? 0)).find((one) => one !== 0);
  return difference === undefined || difference > 0;
}

/**
 * A break demands a major version, also one that was accepted; anything else in the contracts a minor one; what clients do
 * not see, such as words and the database, a patch. Before 1.0.0 each is one step less (4 and 5 of semver).
 * @param textChanged whether a contract says anything else
 */
export function versionDemand(
  from: string,
  to: string,
  changes: readonly Change[],
  textChanged: boolean,
): VersionDemand {
  const seen = changes.filter(({ side }) => side !== 'database');
  const breaks = seen.some(({ verdict }) => verdict === 'breaking');
  const full = breaks ? 3 : seen.length > 0 ? 2 : changes.length > 0 || textChanged ? 1 : 0;
  const bump = BUMPS[from.startsWith('0.') && full > 1 ? full - 1 : full] ?? 'none';
  const least = bumped(from, bump);
  return { from, to, bump, least, enough: atLeast(to, least) };
}

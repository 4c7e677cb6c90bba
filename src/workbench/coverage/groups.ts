import { type ContractFile, KINDS } from '@accord-api/testing/coverage/elements';
import { type Measured, percentOf } from './measure.js';

/** An operation or a type with all that belongs to it. */
export interface Group {
  owner: string;
  /** In the order of the contract. */
  elements: Measured[];
  /** How many that are demanded are missing. */
  failing: number;
  /** Of all its elements, demanded or not. */
  percent: number;
}

const isMissing = ({ state }: Measured): boolean => state === 'missing';

/** What one contract has, by operation or type; the worst first. */
export function groupsOf(elements: readonly Measured[], contract: ContractFile): Group[] {
  const own = elements.filter((one) => one.contract === contract);
  const groups = [...new Set(own.map(({ owner }) => owner))].map((owner): Group => {
    const members = own.filter((one) => one.owner === owner);
    const missing = members.filter(isMissing);
    const failing = missing.filter(({ kind }) => KINDS[kind].demanded).length;
    return { owner, elements: members, failing, percent: percentOf(members.length - missing.length, members.length) };
  });
  return groups.sort((a, b) => b.failing - a.failing || a.percent - b.percent);
}

/**
 * The names of what is missing in a group and not demanded, the values of an enumeration together. What hangs on
 * something that is not seen itself is left out.
 */
export function missingNames({ elements }: Group): string[] {
  const byKey = new Map(elements.map((one) => [one.key, one]));
  const hangs = ({ within = '' }: Measured): boolean => {
    const parent = byKey.get(within);
    return parent !== undefined && (parent.state !== 'seen' || hangs(parent));
  };
  const valuesOf = new Map<string, string[]>();
  for (const one of elements) {
    if (!isMissing(one) || KINDS[one.kind].demanded || hangs(one)) continue;
    const [name, ...value] = one.name.split(' = ') as [string, ...string[]];
    valuesOf.set(name, [...(valuesOf.get(name) ?? []), ...value]);
  }
  return [...valuesOf].map(([name, values]) => (values.length === 0 ? name : `${name} = ${values.join(' | ')}`));
}

interface StatusTable {
  /** All statuses that any operation declares, ascending. */
  statuses: string[];
  /** The operations; the worst first. */
  rows: (Group & { byStatus: Map<string, Measured> })[];
}

/** Operations by statuses. */
export function statusTable(elements: readonly Measured[]): StatusTable {
  const rows = groupsOf(elements, 'openapi.yaml').flatMap((group) => {
    const byStatus = new Map(group.elements.filter(({ kind }) => kind === 'status').map((one) => [one.name, one]));
    return byStatus.size === 0 ? [] : { ...group, byStatus };
  });
  return { statuses: [...new Set(rows.flatMap(({ byStatus }) => [...byStatus.keys()]))].sort(), rows };
}

import { type Permission, rolesIn } from '@accord-api/platform/contract/document';
import { listOf, nodeOf, type Version, versionAt } from '../model/openapi-node.js';
import { REACHES } from '../model/permissions.js';
import { at, keywordOf, membersOf, type Pair, type Verdict } from './change.js';
import type { Recorder } from './recorder.js';

type Judged = [verdict: Verdict, what: string, message: string] | undefined;

/** Judges a changed permission, role by role. Undefined stands for an operation that needs none. */
export function judgePermission(was: Permission | undefined, is: Permission | undefined, where: string): Judged {
  const reachOf = (permission: Permission | undefined, role: string): string =>
    permission === undefined ? 'any' : (permission[role] ?? 'none');
  let isNarrowed = was === undefined && is !== undefined;
  const texts = isNarrowed ? ['anonymous open → 401'] : was && !is ? ['anonymous 401 → open'] : [];
  for (const role of new Set([...rolesIn(was ?? {}), ...rolesIn(is ?? {})])) {
    const [had, has] = [reachOf(was, role), reachOf(is, role)];
    isNarrowed ||= REACHES.indexOf(has) < REACHES.indexOf(had);
    if (had !== has) texts.push(`${role} ${had} → ${has}`);
  }
  const permission = `permission of ${where}`;
  if (isNarrowed) return ['breaking', 'narrowed', `${permission}: ${texts.join(', ')}`];
  if (texts.length > 0) return ['risky', 'widened', `${permission}: ${texts.join(', ')}`];
  if (was?.action !== is?.action)
    return ['risky', 'action', `${permission} requires another action: ${was?.action} → ${is?.action}`];
  const [when, then] = [was?.when ?? 'always', is?.when ?? 'always'];
  // Without the condition, more requests need the permission.
  const verdict = then === 'always' && rolesIn(is ?? {}).some((role) => is?.[role] !== 'any') ? 'breaking' : 'risky';
  return when === then ? undefined : [verdict, 'condition', `${permission} has another condition: ${when} → ${then}`];
}

/** Judges a further permission, which may come or go as a whole. */
export function judgeFurther(was: Permission | undefined, is: Permission | undefined, where: string): Judged {
  const action = was?.action ?? is?.action ?? '';
  const judged = judgePermission(was, is, `${where} (${action})`);
  if (was && is) return judged;
  const message = is ? `${where} also requires ${action}` : `${where} no longer requires ${action}`;
  const [verdict, what] = judged ?? (['safe', is ? 'added' : 'removed'] as const);
  return [verdict, what, message];
}

export function comparePermissions(record: Recorder, operation: Pair): void {
  const { id, where } = operation.label;
  const permissionOf = (version: Version | undefined) =>
    typeof version?.value === 'object' ? (version.value as Permission) : undefined;
  const main = at(operation, 'x-permission', { id: `${id}permission` });
  const judged = (main.old || main.now) && judgePermission(permissionOf(main.old), permissionOf(main.now), where);
  if (judged) record.report(main, 'permission', ...judged);
  const [before, after] = [operation.old, operation.now].map((version) => {
    const all = listOf(nodeOf(version)['x-permission-also']) as Permission[];
    return new Map(all.map(({ action }, index) => [action, versionAt(version, 'x-permission-also', index)]));
  }) as [Map<string, Version>, Map<string, Version>];
  for (const action of new Set([...before.keys(), ...after.keys()])) {
    const [old, now] = [before.get(action), after.get(action)];
    const label = { ...operation.label, id: `${id}permission.${action}`, name: action };
    const further = judgeFurther(permissionOf(old), permissionOf(now), where);
    if (further) record.report({ old, now, label }, 'furtherPermission', ...further);
  }
}

/** Security schemes that must all be satisfied, each with its scopes. */
interface Requirement {
  schemes: Map<string, string[]>;
  /** `basicAuth`; `key+oauth:read` for several; `anonymous` for none. */
  label: string;
  at: Version | undefined;
}

/** Returns the security requirements of an operation, by default those of the document. */
function requirementsOf(operation: Version | undefined, formerNames: ReadonlyMap<string, string>): Requirement[] {
  const { document } = operation ?? {};
  const stated = versionAt(operation, 'security') ?? versionAt({ value: document, path: [], document }, 'security');
  const all = listOf(stated?.value);
  return (all.length > 0 ? all : [{}]).map((set, index) => {
    const entries = Object.entries(set as object).map(([name, scopes]) => [name, listOf(scopes).map(String)] as const);
    const schemes = new Map(entries.map(([name, scopes]) => [formerNames.get(name) ?? name, scopes]));
    const names = [...schemes].map(([name, scopes]) => [name, ...[...scopes].sort()].join(':')).sort();
    return { schemes, label: names.join('+') || 'anonymous', at: versionAt(stated, index) ?? stated ?? operation };
  });
}

/** Replaces a security scheme by a text that identifies the required credentials. */
function credentialsOf(version: Version | undefined): Version | undefined {
  const { type, scheme, in: place, name, openIdConnectUrl: url } = nodeOf(version);
  const header = place === 'header' ? String(name).toLowerCase() : name;
  const value = [type, scheme && String(scheme).toLowerCase(), place, header, url].filter(Boolean).join(' ');
  return version && { ...version, value };
}

/** Returns the old names of renamed schemes by their new names. */
function renamedSchemes({ old, now }: Pair): Map<string, string> {
  const [before = [], after = []] = [old?.document, now?.document].map((value) => {
    const schemes = versionAt({ value, document: value, path: [] }, 'components', 'securitySchemes');
    return Object.keys(nodeOf(schemes)).map((name) => ({
      name,
      asked: credentialsOf(versionAt(schemes, name))?.value,
    }));
  });
  const isIn = (all: typeof before, name: string) => all.some((scheme) => scheme.name === name);
  const gone = before.filter(({ name }) => !isIn(after, name));
  const fresh = after.filter(({ name }) => !isIn(before, name));
  return new Map(
    fresh.flatMap((now) => gone.filter(({ asked }) => now.asked === asked).map(({ name }) => [now.name, name])),
  );
}

/** Returns true if callers that satisfy the first requirement satisfy the second one. */
const meets = (a: Requirement, b: Requirement): boolean =>
  [...b.schemes].every(([name, scopes]) => {
    const own = a.schemes.get(name);
    return own !== undefined && scopes.every((scope) => own.includes(scope));
  });
const namesOf = ({ schemes }: Requirement): string => [...schemes.keys()].sort().join();
const isAnonymous = ({ schemes }: Requirement): boolean => schemes.size === 0;

export function compareSecurity(record: Recorder, operation: Pair): void {
  const { id, where } = operation.label;
  const [was, is] = [
    requirementsOf(operation.old, new Map()),
    requirementsOf(operation.now, renamedSchemes(operation)),
  ];
  const pairOf = (old: Requirement | undefined, now: Requirement | undefined): Pair => {
    const label = { ...operation.label, id: `${id}security.${(now ?? old)?.label}` };
    return { old: old?.at, now: now?.at, label };
  };
  const isIn = (all: Requirement[], requirement: Requirement) => all.some(({ label }) => label === requirement.label);
  const fresh = is.filter((requirement) => !isIn(was, requirement));
  for (const gone of was.filter((old) => !isIn(is, old))) {
    const same = fresh.find((now) => namesOf(now) === namesOf(gone));
    const met = is.filter((now) => meets(gone, now));
    const isMet = met.length > 0;
    if (same) {
      fresh.splice(fresh.indexOf(same), 1);
      const [verdict, what] = isMet ? (['safe', 'lowered'] as const) : (['breaking', 'raised'] as const);
      record.report(pairOf(gone, same), 'scopes', verdict, what, `scopes of ${where}: ${gone.label} → ${same.label}`);
    } else if (met.every(isAnonymous)) {
      // Anonymous callers have no identity for the service.
      const message = isAnonymous(gone) ? `${where} needs credentials now` : `${where} no longer takes ${gone.label}`;
      record.report(pairOf(gone, undefined), 'security', isMet ? 'risky' : 'breaking', 'removed', message);
    }
  }
  for (const requirement of fresh.filter((now) => !was.some((old) => !isAnonymous(old) && meets(now, old)))) {
    const isOpen = isAnonymous(requirement);
    const message = isOpen ? `${where} needs no credentials now` : `${where} takes ${requirement.label} now`;
    record.report(pairOf(undefined, requirement), 'security', isOpen ? 'risky' : 'safe', 'added', message);
  }
}

const URLS = 'authorizationUrl tokenUrl refreshUrl deviceAuthorizationUrl';

export function compareSchemes(record: Recorder, document: Pair): void {
  const formerNames = renamedSchemes(document);
  const schemes = at(document, ['components', 'securitySchemes'], { id: 'security' });
  for (const [name, scheme] of membersOf(schemes, ':')) {
    const former = formerNames.get(name);
    const message = `security scheme \`${former}\` is called \`${name}\` now`;
    if (former !== undefined) record.report(scheme, 'scheme', 'safe', 'renamed', message);
    if (former !== undefined || [...formerNames.values()].includes(name)) continue;
    if (!record.presence(scheme, 'scheme', 'security scheme')) continue;
    const asked = { ...scheme, old: credentialsOf(scheme.old), now: credentialsOf(scheme.now) };
    record.changed(asked, 'schemeDefinition', 'breaking', `security scheme \`${name}\``);
    record.changed(keywordOf(scheme, 'bearerFormat'), 'hint', 'safe', `bearerFormat of \`${name}\``);
    record.others(scheme, 'type scheme in name openIdConnectUrl bearerFormat flows');
    for (const [, flow] of membersOf(at(scheme, 'flows'))) {
      if (!record.presence(flow, 'flow', 'flow')) continue;
      for (const url of URLS.split(' '))
        record.changed(keywordOf(flow, url), 'flowUrl', 'breaking', `${url} of \`${name}\``);
      for (const [, scope] of membersOf(at(flow, 'scopes'))) record.presence(scope, 'scope', 'scope');
      record.others(flow, `${URLS} scopes`);
    }
  }
}

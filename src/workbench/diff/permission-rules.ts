import { type Permission, rolesIn } from 'accord/contract/document';
import { REACHES } from '../model/permissions.js';
import type { Judgement } from './change.js';
import type { Rule } from './rule.js';

/** A permission as a form holds it: `public`, or JSON whose members stand in one order. */
export function permissionText(permission: unknown): string {
  if (typeof permission !== 'object' || permission === null) return 'public';
  const { action, when, ...reaches } = permission as Permission;
  const sorted = Object.entries(reaches).sort(([a], [b]) => a.localeCompare(b));
  return JSON.stringify({ action, when, ...Object.fromEntries(sorted) });
}

/** Undefined for what asks for no permission: every role reaches anyone's. */
const read = (text: unknown): Permission | undefined =>
  text === 'public' || typeof text !== 'string' ? undefined : JSON.parse(text);

/** A role that a permission does not name has nothing by it. */
const reachOf = (permission: Permission | undefined, role: string): string =>
  permission === undefined ? 'any' : (permission[role] ?? 'none');

const stepOf = (reach: string): number => REACHES.indexOf(reach);

const NARROWED = 'Give the role what it had, or tell those who use it and accept the break with the reason.';
const WIDENED = 'Have the security review see the new row of generated/permissions.md.';

/** What happened to each role, in the words of the matrix. Absent is a permission that is not asked for. */
function compare(before: unknown, after: unknown, where: string): Judgement | undefined {
  const [was, is] = [read(before), read(after)];
  const roles = [...new Set([...rolesIn(was ?? {}), ...rolesIn(is ?? {})])];
  const cells = roles.flatMap((role) => {
    const [had, has] = [reachOf(was, role), reachOf(is, role)];
    const step = stepOf(has) - stepOf(had);
    return step === 0 ? [] : [{ step, text: `${role} ${had} → ${has}` }];
  });
  const anonymous = (before === 'public' ? 1 : 0) - (after === 'public' ? 1 : 0);
  const texts = cells.map(({ text }) => text);
  if (anonymous !== 0) texts.unshift(anonymous > 0 ? 'anonymous open → 401' : 'anonymous 401 → open');
  const message = `permission of ${where}: ${texts.join(', ')}`;
  if (anonymous > 0 || cells.some(({ step }) => step < 0)) {
    return { verdict: 'breaking', what: 'narrowed', message, advice: NARROWED };
  }
  if (anonymous < 0 || cells.length > 0) return { verdict: 'risky', what: 'widened', message, advice: WIDENED };
  if (was?.action !== is?.action) {
    const renamed = `permission of ${where} asks for another action: ${was?.action} → ${is?.action}`;
    return { verdict: 'risky', what: 'action', message: renamed, advice: WIDENED };
  }
  if (was?.when === is?.when) return undefined;
  const condition = `permission of ${where} has another condition: ${was?.when ?? 'always'} → ${is?.when ?? 'always'}`;
  return { verdict: 'risky', what: 'condition', message: condition, advice: WIDENED };
}

/** A role that loses breaks its clients; one that gains is for the security review. */
export const PERMISSION_RULES: Record<string, Rule> = {
  permission: ({ before, after, fact }) => compare(before, after, fact.where),
  furtherPermission: ({ action, before, after, fact: { name, where } }) => {
    const field = `${where} (${name})`;
    const judged = compare(before, after, field);
    if (action === 'replace') return judged;
    const message = `${where} ${action === 'add' ? 'asks for' : 'does not ask for'} ${name} ${action === 'add' ? 'too' : 'any more'}`;
    return judged === undefined ? { verdict: 'safe', what: `${action}ed`, message } : { ...judged, message };
  },
};

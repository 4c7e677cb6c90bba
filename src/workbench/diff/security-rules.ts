import type { Difference } from './differences.js';
import type { Fact, Requirement } from './form.js';
import type { Rule } from './rule.js';

/** `{ basicAuth: [] }` as `basicAuth`; schemes that must be met together with `+`; `{}` as `anonymous`. */
const labelOf = ({ schemes }: Requirement): string =>
  [...schemes]
    .map(([scheme, scopes]) => [scheme, ...[...scopes].sort()].join(':'))
    .sort()
    .join('+') || 'anonymous';

/** Whether who meets the one meets the other too: it asks for no further scheme, and for no further scope of any. */
const meets = (one: Requirement, other: Requirement): boolean =>
  [...other.schemes].every(([scheme, scopes]) => {
    const had = one.schemes.get(scheme);
    return had !== undefined && scopes.every((scope) => had.includes(scope));
  });

const sameSchemes = (one: Requirement, other: Requirement): boolean =>
  one.schemes.size === other.schemes.size && [...one.schemes.keys()].every((scheme) => other.schemes.has(scheme));

/** What changed in who may call an operation: a caller who met one of the old requirements meets one of the new, or not. */
export function securityDifferences(before: Fact, after: Fact): Difference[] {
  const [was, is] = [before.requirements ?? [], after.requirements ?? []];
  const told = (
    rule: string,
    fact: Fact,
    one: Requirement,
    values: Pick<Difference, 'action' | 'before' | 'after'>,
  ): Difference => {
    const label = labelOf(one);
    const id = `${fact.id}.${label}`;
    // What stands nowhere is told at what took its place, or was in it.
    const other = fact === before ? is : was;
    const at = one.source.length === 0 ? (other[0]?.source ?? []) : one.source;
    const old = (fact === before) === (at === one.source);
    return {
      path: [],
      siblings: { before: [], after: [] },
      ...values,
      fact: { ...fact, rule, id, name: label, source: at },
      old,
    };
  };
  const gone = was.filter((one) => !is.some((other) => meets(one, other)));
  const fresh = is.filter((one) => !was.some((other) => meets(one, other)));
  const isNamed = ({ schemes }: Requirement) => schemes.size > 0;
  /** Those of one version that in the other are met by nobody but who proves nothing. */
  const besideNobody = (some: Requirement[], others: Requirement[]) =>
    some.every(isNamed) || others.every(isNamed)
      ? []
      : some.filter((one) => isNamed(one) && !others.some((other) => isNamed(other) && meets(one, other)));
  // The same schemes with other scopes are one change.
  const scoped = gone.flatMap((one) => {
    const other = is.find((next) => sameSchemes(one, next));
    return other === undefined ? [] : [{ one, other }];
  });
  const lowered = is.filter(
    (one) => !gone.includes(one) && was.some((old) => sameSchemes(old, one) && meets(old, one) && !meets(one, old)),
  );
  return [
    ...gone
      .filter((one) => !scoped.some((each) => each.one === one))
      .map((one) => told('security', before, one, { action: 'remove', before: labelOf(one), after: undefined })),
    ...besideNobody(was, is).map((one) => ({
      ...told('security', before, one, { action: 'remove', before: labelOf(one), after: undefined }),
      unheard: true,
    })),
    ...scoped.map(({ one, other }) =>
      told('scopes', after, other, { action: 'replace', before: labelOf(one), after: labelOf(other) }),
    ),
    ...fresh
      .filter((one) => !scoped.some((each) => each.other === one) && !lowered.includes(one))
      .map((one) => told('security', after, one, { action: 'add', before: undefined, after: labelOf(one) })),
    ...besideNobody(is, was).map((one) =>
      told('security', after, one, { action: 'add', before: undefined, after: labelOf(one) }),
    ),
    ...lowered
      .map((one) =>
        told('scopes', after, one, {
          action: 'replace',
          before: labelOf(was.find((old) => sameSchemes(old, one)) as Requirement),
          after: labelOf(one),
        }),
      )
      .map((one) => ({ ...one, proved: true })),
  ];
}

const OPEN = 'Anyone may call it now: have the security review say so.';

/** A way of proving who calls. Without any, everyone can. */
const security: Rule = ({ action, unheard, fact: { name, where } }) => {
  const anonymous = name === 'anonymous';
  if (action === 'add') {
    const message = anonymous ? `${where} needs no credentials now` : `${where} takes ${name} now`;
    return { verdict: anonymous ? 'risky' : 'safe', what: 'added', message, ...(anonymous && { advice: OPEN }) };
  }
  if (unheard) {
    const message = `${where} takes ${name} no more: whoever proves it is nobody known now`;
    return { verdict: 'risky', what: 'removed', message };
  }
  const message = anonymous ? `${where} needs credentials now` : `${where} takes ${name} no more`;
  const advice = 'Go on accepting it beside the others until its clients have moved.';
  return { verdict: 'breaking', what: 'removed', message, advice };
};

const scopes: Rule = ({ before, after, proved, fact: { where } }) => {
  const message = `scopes of ${where}: ${before} → ${after}`;
  if (proved) return { verdict: 'safe', what: 'lowered', message };
  return { verdict: 'breaking', what: 'raised', message, advice: 'Go on accepting tokens that have the old scopes.' };
};

export const SECURITY_RULES: Record<string, Rule> = { security, scopes };

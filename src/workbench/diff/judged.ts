import { type Change, type ChangePlace, type Side, worse } from './change.js';
import { type Difference, differences, type Form, isTree } from './form.js';
import type { Rule } from './rule.js';

/** Where the keys that lead to something stand in the text of one version. */
export type Locate = (source: readonly (string | number)[]) => Pick<ChangePlace, 'line' | 'column'>;

/** One version of a file in normal form. */
export interface Version {
  form: Form;
  locate: Locate;
}

/** What is needed to tell a rename: the rules whose things have a name that can change. */
const NAMED = new Set(['member', 'parameter', 'header', 'column', 'table', 'schemaName', 'enumType']);

function likenessOf({ action, path, before, after, fact, up }: Difference): Change['likeness'] {
  if (!NAMED.has(fact.rule) || action === 'replace') return undefined;
  const siblings = up(1)[action === 'add' ? 'after' : 'before'];
  const position = isTree(siblings) ? Object.keys(siblings).indexOf(path.at(-1) ?? '') : 0;
  const shape = JSON.stringify(action === 'add' ? after : before);
  const verdict = fact.rule === 'schemaName' ? 'risky' : 'breaking';
  return { parent: path.slice(0, -1).join('/'), name: path.at(-1) ?? '', shape, position, verdict };
}

/**
 * The changes between two versions of a file by its rules. One edit of a shared component is one change, with all that it
 * reaches as its elements; its verdict is the worst of them.
 */
export function judged(
  side: Side,
  file: string,
  before: Version,
  after: Version,
  rules: Record<string, Rule>,
): Change[] {
  const changes = new Map<string, Change>();
  for (const difference of differences(before.form, after.form)) {
    const { fact, old } = difference;
    const judgement = rules[fact.rule]?.(difference);
    if (judgement === undefined) continue;
    const id = `${side}:${fact.id.replace(/:$/, '')}:${judgement.what}`;
    const known = changes.get(id);
    const elements = [...new Set([...(known?.elements ?? []), fact.element])].filter((element) => element !== '');
    const place = { file, ...(old ? before : after).locate(fact.source), old };
    const likeness = likenessOf(difference);
    const worst = known !== undefined && worse(known.verdict, judgement.verdict) === known.verdict ? known : judgement;
    const { verdict, what, message, advice } = worst;
    changes.set(id, {
      ...{ id, side, verdict, what, message, place, elements },
      ...(advice !== undefined && { advice }),
      ...(likeness !== undefined && { likeness }),
    });
  }
  return [...changes.values()];
}

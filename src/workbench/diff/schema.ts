import { isPlain } from '@accord-api/platform/contract/document';
import {
  canonical,
  listOf,
  nodeOf,
  printed,
  referenceOf,
  resolved,
  subtypesOf,
  type Version,
  versionAt,
} from '../model/openapi-node.js';
import {
  allTypesOf,
  concerns,
  isHidden,
  isUnrestricted,
  listOfGroups,
  type View,
  viewOf,
} from '../model/schema-view.js';
import { compareAlternatives, compareDiscriminators, compareExclusivity } from './alternatives.js';
import { at, type Effect, judge, keywordOf, locatedIn, type Pair, subjectOf, whatOf } from './change.js';
import { compareSunsets, type Recorder, reportMember, reportRequired, reportUnknown } from './recorder.js';
import { judgeKeyword } from './rules.js';

const typesOf = ({ types, nullable }: View): string[] | undefined =>
  types && [...types, ...(nullable ? ['null'] : [])].sort();

const covers = (wide: readonly string[], narrow: readonly string[]): boolean =>
  narrow.every((type) => wide.includes(type) || (type === 'integer' && wide.includes('number')));

function effectOf(was: readonly string[] | undefined, is: readonly string[] | undefined): Effect {
  if (is === undefined || (was !== undefined && covers(is, was))) return 'wider';
  return was === undefined || covers(was, is) ? 'narrower' : 'other';
}

/** Returns 0 for an object without other properties, 1 for a schema of other properties, 2 for any. */
const widthOf = ({ extra }: View): 0 | 1 | 2 => (extra === undefined ? 2 : extra.value === false ? 0 : 1);

export function schemaComparison(record: Recorder): (pair: Pair) => void {
  const active = new Set<string>();

  function compare(pair: Pair): void {
    if (referenceOf(pair.old) && referenceOf(pair.now)) record.shared(pair, compareStated);
    else compareStated(pair);
  }

  function compareStated(pair: Pair): void {
    const { old, now, label } = pair;
    const isMerged = old?.parts ?? now?.parts;
    if (old === undefined && now === undefined) return;
    if (!isMerged && old && now && canonical(old.value) === canonical(now.value)) {
      visitReferences(pair);
      return;
    }
    const pathOf = (version: Version | undefined) => resolved(version)?.path.join('/');
    const key = [label.direction, label.text, pathOf(old), pathOf(now), isMerged && label.id].join(' ');
    // Recursive schemas end here.
    if (active.has(key)) return;
    active.add(key);
    compareViews(pair, viewOf(old), viewOf(now));
    active.delete(key);
  }

  const compareComponent = (pair: Pair, $ref: string): void => {
    const only = (version: Version | undefined) => version && { ...version, value: { $ref } };
    record.shared({ ...pair, old: only(pair.old), now: only(pair.now) }, compareStated);
  };

  /** Compares the components that two equal schemas refer to. */
  function visitReferences(pair: Pair): void {
    const { $ref: reference, readOnly, writeOnly } = nodeOf(pair.now);
    if ((pair.label.direction === 'request' ? readOnly : writeOnly) === true) return;
    if (typeof reference === 'string') compareComponent(pair, reference);
    else compareSubtypes(pair);
    if (nodeOf(pair.now)['discriminator']) compareDiscriminators(record, pair, viewOf(pair.old), viewOf(pair.now));
    const { value, path } = pair.now ?? {};
    const isData = (key: string) => path?.at(-1) !== 'properties' && /^x-|^(?:default|const|enum|examples?)$/.test(key);
    for (const key of typeof value === 'object' && value !== null ? Object.keys(value) : [])
      if (!isData(key)) visitReferences(at(pair, [key]));
  }

  function compareSubtypes(pair: Pair): void {
    const now = subtypesOf(pair.now);
    for (const reference of subtypesOf(pair.old)) if (now.includes(reference)) compareComponent(pair, reference);
  }

  function compareViews(pair: Pair, a: View, b: View): void {
    const isApart = (view: View) => view.groups.length > 0 && view.types === undefined && view.properties.size === 0;
    const isSingle = a.groups.length > 0 !== b.groups.length > 0;
    compareDiscriminators(record, pair, a, b);
    compareSubtypes(pair);
    if (isSingle && [a, b].some(isApart) && ![a, b].some(isUnrestricted)) {
      const [group] = [...a.groups, ...b.groups];
      compareNull(pair, a, b);
      compareAlternatives(record, compare, pair, [listOfGroups(a, pair.old), listOfGroups(b, pair.now)], group?.kind);
      return;
    }
    if (!compareTypes(pair, a, b)) return;
    compareKeywords(pair, a, b);
    compareValues(pair, a, b);
    const mayBe = (type: string) => [a, b].every(({ types }) => types === undefined || types.has(type));
    if (mayBe('object')) compareObjects(pair, a, b);
    const { id, name } = pair.label;
    if (mayBe('array'))
      compare({ old: a.items, now: b.items, label: { ...pair.label, id: `${id}[]`, name: `${name}[]` } });
    for (const index of (a.groups.length > b.groups.length ? a : b).groups.keys()) {
      const [old, now] = [a.groups[index], b.groups[index]];
      const group = { ...keywordOf(pair, 'alternatives'), old: old?.at, now: now?.at };
      const what = whatOf(old, now);
      const verdict = judge(pair.label.direction, now ? 'narrower' : 'wider');
      if (!old || !now) record.report(group, 'condition', verdict, what, `alternatives of ${subjectOf(pair)}: ${what}`);
      else {
        compareAlternatives(record, compare, pair, [old.alternatives, now.alternatives], now.kind);
        compareExclusivity(record, pair, old, now);
      }
    }
  }

  /** Compares types. Returns true if the other keywords are comparable. */
  function compareTypes(pair: Pair, a: View, b: View): boolean {
    const [was, is] = [typesOf(a), typesOf(b)];
    const withoutNull = ({ types }: View) => types && [...types].sort().join();
    if (withoutNull(a) === withoutNull(b)) {
      compareNull(pair, a, b);
      return true;
    }
    const typed = { ...keywordOf(pair, 'type'), old: a.typed ?? pair.old, now: b.typed ?? (is && pair.now) };
    const isAnyText = pair.label.text && is?.join() === 'string' && b.values === undefined && b.keywords.size === 0;
    const isScalar = was?.every((type) => type !== 'array' && type !== 'object');
    reportType(typed, [was, is], isAnyText && isScalar ? 'wider' : effectOf(was, is), 'changed');
    if (was === undefined || is === undefined) return !isUnrestricted(a) && !isUnrestricted(b);
    return was.some((type) => type !== 'null' && is.some((next) => covers([type], [next]) || covers([next], [type])));
  }

  type Types = string[] | undefined;

  function reportType(pair: Pair, [was, is]: [Types, Types], effect: Effect, what: string): void {
    const words = [was, is].map((types) => (types === undefined ? 'none' : types.join(' | ') || 'nothing'));
    const message = `type of ${subjectOf(pair)}: ${words.join(' → ')}`;
    record.report(pair, 'type', judge(pair.label.direction, effect, 'breaking'), what, message);
  }

  function compareNull(pair: Pair, a: View, b: View): void {
    if (a.nullable === b.nullable) return;
    const stated = (view: View, version: Version | undefined) => view.nulled ?? versionAt(version, 'type') ?? version;
    const types = [...new Set([...allTypesOf(a), ...allTypesOf(b)])];
    const of = ({ nullable }: View) => [...types, ...(nullable ? ['null'] : [])].sort();
    const typed = { ...keywordOf(pair, 'type'), old: stated(a, pair.old), now: stated(b, pair.now) };
    reportType(typed, [of(a), of(b)], b.nullable ? 'wider' : 'narrower', b.nullable ? 'nullable' : 'not-null');
  }

  function compareValues(pair: Pair, a: View, b: View): void {
    const [was, is] = [a.values, b.values];
    if (was && is) compareLists(pair, 'enum', was, is);
    if (Boolean(was) === Boolean(is)) return;
    const list = [...(was ?? is ?? new Map<string, Version>()).values()].map(({ value }) => printed(value)).join(', ');
    const message = `${subjectOf(pair)} ${is ? 'takes only listed values now' : 'has no list of values any more'}: ${list}`;
    const listed = { ...keywordOf(pair, 'enum'), old: a.listed, now: b.listed };
    record.report(listed, 'enum', judge(pair.label.direction, is ? 'narrower' : 'wider'), whatOf(was, is), message);
  }

  /** Compares the values of an `enum`, or of an `x-extensible-enum`, whose clients expect new values. */
  function compareLists(pair: Pair, keyword: string, was: Map<string, Version>, is: Map<string, Version>): void {
    const { direction, id } = pair.label;
    const isOpen = keyword !== 'enum';
    const isDisjoint = was.size > 0 && ![...was.keys()].some((key) => is.has(key));
    for (const key of new Set([...was.keys(), ...is.keys()])) {
      const [old, now] = [was.get(key), is.get(key)];
      if (old && now) continue;
      const text = printed((old ?? now)?.value);
      const message = `value \`${text}\` of ${isOpen ? 'the open list of ' : ''}${subjectOf(pair)} is ${old ? 'gone' : 'new'}`;
      const effect = old ? 'narrower' : isDisjoint && direction === 'response' ? 'other' : 'wider';
      const verdict = isOpen && !(old && direction === 'request') ? 'safe' : judge(direction, effect);
      const entry = { old, now, label: { ...pair.label, id: `${id}:${keyword}.${text}` } };
      record.report(entry, isOpen ? 'extensibleValue' : 'value', verdict, whatOf(old, now), message);
    }
  }

  function compareKeywords(pair: Pair, a: View, b: View): void {
    for (const keyword of new Set([...a.keywords.keys(), ...b.keywords.keys()])) {
      const [old, now] = [a.keywords.get(keyword), b.keywords.get(keyword)];
      const [was, is] = [old?.value, now?.value];
      const part = { ...keywordOf(pair, keyword), old, now };
      const isSame = canonical(was) === canonical(is);
      if (isSame && keyword !== 'default') visitReferences(part);
      if (isSame || !concerns(keyword, a.types) || !concerns(keyword, b.types)) continue;
      const judged = judgeKeyword(keyword, pair.label.direction, was, is);
      const values = [was, is].some(isPlain) ? whatOf(was, is) : `${printed(was)} → ${printed(is)}`;
      const deprecated = `${subjectOf(pair)} is ${is === true ? 'deprecated now' : 'no longer deprecated'}`;
      const message = keyword === 'deprecated' ? deprecated : `${keyword} of ${subjectOf(pair)}: ${values}`;
      if (judged) record.report(part, keyword, ...judged, message);
      else reportUnknown(record, part, keyword);
    }
    compareSunsets(record, pair);
    const [was, is] = [a, b].map(({ nodes }) => {
      const lists = nodes.map((node) => versionAt(node, 'x-extensible-enum')).filter((list) => list !== undefined);
      return new Map(
        lists.flatMap((list) =>
          listOf(list.value).map((value, index) => [printed(value), versionAt(list, index) as Version]),
        ),
      );
    }) as [Map<string, Version>, Map<string, Version>];
    compareLists(pair, 'x-extensible-enum', was, is);
  }

  function compareObjects(pair: Pair, a: View, b: View): void {
    const isClosed = [a, b].some((view) => widthOf(view) === 0);
    const views = [a, b];
    for (const name of new Set(
      views.flatMap(({ properties, required }) => [...properties.keys(), ...required.keys()]),
    )) {
      const [old, now] = views.map(({ properties }) => {
        const version = properties.get(name);
        return version && !isHidden(version, pair.label.direction) ? version : undefined;
      });
      const isUnknown = views.every(({ properties }) => !properties.has(name));
      if (!old && !now && !isUnknown) continue;
      const label = {
        ...pair.label,
        id: `${pair.label.id}.${name}`,
        name: pair.label.name === '' ? name : `${pair.label.name}.${name}`,
      };
      const member = { old, now, label };
      if (old && now) compare(member);
      if (Boolean(old) === Boolean(now)) {
        compareRequired(member, pair, a, b, name);
        continue;
      }
      reportMember(record, member, b.required.has(name), isClosed);
      // Before, the schema of other properties applied to this property.
      if (now && pair.label.direction === 'request' && widthOf(a) === 1) compare({ ...member, old: a.extra });
    }
    compareExtra(pair, a, b);
  }

  function compareRequired(member: Pair, pair: Pair, a: View, b: View, name: string): void {
    const base = (a.required.get(name) ?? b.required.get(name))?.path.slice(0, -2).join('/');
    const isBeside = (version: Version | undefined, depth: number) => version?.path.slice(0, -depth).join('/') === base;
    const stated = ({ required, properties }: View) => {
      const list = [...required.values()].find((version) => isBeside(version, 2));
      const property = properties.get(name);
      const beside = list ? { ...list, path: list.path.slice(0, -1) } : isBeside(property, 2) ? property : undefined;
      return required.get(name) ?? beside;
    };
    const part = locatedIn({ ...keywordOf(member, 'required'), old: stated(a), now: stated(b) }, pair);
    const has = b.required.has(name);
    if (a.required.has(name) !== has) reportRequired(record, part, has);
  }

  function compareExtra(pair: Pair, a: View, b: View): void {
    const [was, is] = [widthOf(a), widthOf(b)];
    const extra = { ...keywordOf(pair, 'additionalProperties'), old: a.extra, now: b.extra };
    if (was === 1 && is === 1) compare({ ...extra, label: { ...extra.label, name: `${pair.label.name}{}` } });
    if (was === is) return;
    const stated = (view: View, version: Version | undefined) =>
      view.extra ?? versionAt(version, 'additionalProperties') ?? versionAt(version, 'unevaluatedProperties');
    const both = { ...extra, old: stated(a, resolved(pair.old)), now: stated(b, resolved(pair.now)) };
    const allowed = ['no other properties', 'other properties of one schema', 'any other properties'];
    const message = `${subjectOf(pair)} allowed ${allowed[was]}, now ${allowed[is]}`;
    const verdict = judge(pair.label.direction, is > was ? 'wider' : 'narrower');
    record.report(both, 'extra', verdict, is > was ? 'opened' : 'closed', message);
  }

  return compare;
}

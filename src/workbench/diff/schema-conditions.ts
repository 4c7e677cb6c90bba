import { isPlain } from 'accord/contract/references';
import type { Difference } from './differences.js';
import type { Part, Spot, Value } from './form.js';
import { concerned, strings } from './schema-keywords.js';
import { isWord, type Node, partAt, type Said, type Stated, shapeOf, takesAnything } from './schema-part.js';
import { down } from './spot.js';
import { at, told } from './told.js';

const OUTCOMES = ['then', 'else'] as const;

/** What is asked of the values that meet a schema, and of those that do not (JSON Schema, 10.2.2). */
export interface Condition {
  if: Part;
  asked: readonly [met: Part, unmet: Part];
  spot: Spot;
}

const asks = (node: Node, keyword: (typeof OUTCOMES)[number]): boolean =>
  node[keyword] !== undefined && !takesAnything(node[keyword]);

/** Where one of its schemas stands. */
const under = (spot: Spot, keyword: string): Spot => ({ ...at(spot, keyword), name: `${spot.name}:${keyword}` });

/** Each condition that is stated: one for each of the schemas that all must hold. */
export function conditionsIn(said: readonly Said[]): Condition[] {
  const left = (node: Node) => OUTCOMES.filter((one) => asks(node, one) && !(one === 'then' && askedFor(node)));
  const conditional = said.filter(({ node }) => node['if'] !== undefined && left(node).length > 0);
  const shape = ({ node }: Said) => shapeOf(['if', ...OUTCOMES].map((keyword) => node[keyword]));
  const each = new Map(conditional.toReversed().map((one) => [shape(one), one]));
  return [...each.values()].reverse().map(({ node, spot: stated }, index) => {
    const spot = index === 0 ? stated : down(stated, { id: `:if.${index + 1}` });
    const part = (keyword: string) => partAt(node[keyword], under(spot, keyword));
    const asked = (keyword: (typeof OUTCOMES)[number]) => (left(node).includes(keyword) ? part(keyword) : []);
    return { if: part('if'), asked: [asked('then'), asked('else')], spot };
  });
}

const OBJECT = new Set(['object']);
const OTHERS = new Set(['string', 'integer', 'number', 'boolean', 'array']);

/** Whether a schema is about the members of objects alone, so that it takes whatever is none. */
const isOfMembers = (schema: Node): boolean =>
  Object.keys(schema).every(
    (keyword) =>
      isWord(keyword) || keyword === 'required' || (concerned(keyword, OBJECT) && !concerned(keyword, OTHERS)),
  );

/** The member on whose presence alone hangs what is asked: `then` is one of `dependentSchemas` in other words. */
export function askedFor(node: Node): string | undefined {
  const { if: condition, then: asked } = node;
  if (!isPlain(condition) || !isPlain(asked)) return undefined;
  const { required, type, properties, ...more } = condition;
  const [name, ...others] = strings(required);
  const isBare = Object.values(isPlain(properties) ? properties : {}).every(takesAnything);
  const isOnly = isBare && others.length === 0 && Object.keys(more).every(isWord);
  return isOnly && (type === 'object' || (type === undefined && isOfMembers(asked))) ? name : undefined;
}

/** The conditions of two schemas: those together that are the same, and what is left in its order. */
function paired(before: readonly Condition[], after: readonly Condition[], equivalent: Compared['equivalent']) {
  const left = [...after];
  const pairs = before.map((was) => {
    const found = left.findIndex((is) => equivalent(was.if, is.if));
    return { was, is: found < 0 ? undefined : left.splice(found, 1)[0] };
  });
  const changed = pairs.map(({ was, is }) => (is === undefined ? { was, is: left.shift() } : { was, is, same: true }));
  return [...changed, ...left.map((is) => ({ was: undefined, is }))];
}

interface Compared {
  /** Whether all is the same as a whole, in other words. */
  equal: boolean;
  /** Whether two schemas take the same values. */
  equivalent(one: Part, other: Part): boolean;
  /** What is different between two schemas at their places. */
  compare(both: { old: Part; now: Part; here: { old: Spot; now: Spot } }): Difference[];
}

/** What is different under conditions: whether they are there or others, and what is asked under them. */
export function conditional(
  before: readonly Condition[],
  after: readonly Condition[],
  { equal, equivalent, compare }: Compared,
): Difference[] {
  const stated = (one: Condition | undefined): Stated<Value> | undefined =>
    one && { value: one.if.map(({ value }) => shapeOf(value)).join(), spot: at(one.spot, 'if') };
  // What is said in more conditions or fewer is asked under others.
  if (equal && before.length !== after.length) return [];
  return paired(before, after, equivalent).flatMap(({ was, is, ...pair }) => {
    if (equal && !('same' in pair)) return [];
    const other = 'same' in pair ? [] : told('condition', stated(was), stated(is));
    const [old, now] = [was ?? is, is ?? was].map((one) => one?.spot as Spot) as [Spot, Spot];
    const asked = OUTCOMES.flatMap((keyword, index) =>
      compare({
        ...{ old: was?.asked[index] ?? [], now: is?.asked[index] ?? [] },
        here: { old: under(old, keyword), now: under(now, keyword) },
      }),
    );
    return [...other, ...asked];
  });
}

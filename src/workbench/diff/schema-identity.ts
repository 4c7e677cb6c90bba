import { isPlain } from 'accord/contract/references';
import type { Part, Written } from './form.js';
import { discriminatorOf, kindsAt } from './schema-discriminator.js';
import { isWord, type Kind, kindOf, type Node, shapeOf } from './schema-part.js';
import { follow } from './spot.js';

/** Documents by a number: two of them may have the same keys. */
const documents = new WeakMap<object, number>();
let counted = 0;
export function numberOf(document: unknown): number {
  if (typeof document !== 'object' || document === null) return 0;
  const known = documents.get(document);
  if (known !== undefined) return known;
  counted += 1;
  documents.set(document, counted);
  return counted;
}

/** Whether two schemas say the same in the same form; words do not count, and references are followed. */
export function identical(): (one: Part, other: Part) => boolean {
  const known = new Map<string, boolean>();
  const order: string[] = [];
  const values = (a: unknown, b: unknown, x: Written, y: Written, kind: Kind): boolean => {
    if (Array.isArray(a) || Array.isArray(b)) {
      if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
      return a.every((one, index) => values(one, b[index], x, y, kind));
    }
    if (!isPlain(a) || !isPlain(b)) return a === b;
    const refers = kind === 'node' && typeof a['$ref'] === 'string';
    if (refers !== (kind === 'node' && typeof b['$ref'] === 'string')) return false;
    if (kind === 'node' && isPlain(a['discriminator']) && !kinds(a, b, x, y)) return false;
    if (refers && !targets(String(a['$ref']), String(b['$ref']), x, y)) return false;
    const keys = (node: object) =>
      Object.keys(node).filter((key) => kind !== 'node' || !(isWord(key) || key === '$ref'));
    const mine = keys(a);
    if (mine.length !== keys(b).length) return false;
    return mine.every((key) => key in b && values(a[key], b[key], x, y, kindOf(key, a[key], kind)));
  };
  /** What the kinds are called is sent, where they are told apart by it; those that are no alternatives stand beside. */
  function kinds(a: Node, b: Node, x: Written, y: Written): boolean {
    if (shapeOf(discriminatorOf(a, x.spot), 'data') !== shapeOf(discriminatorOf(b, y.spot), 'data')) return false;
    const others = new Map(kindsAt(b, y.spot));
    return kindsAt(a, x.spot).every(([value, schema]) => {
      const other = others.get(value);
      return other !== undefined && targets(schema, other, x, y);
    });
  }
  function targets(a: string, b: string, x: Written, y: Written): boolean {
    const key = `${numberOf(x.spot.document)}${a}|${numberOf(y.spot.document)}${b}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    // What refers to itself is the same unless something else in it is not; then what was found meanwhile is open again.
    known.set(key, true);
    const since = order.push(key);
    const [one, two] = [follow({ $ref: a }, x.spot), follow({ $ref: b }, y.spot)];
    const same = values(one.node, two.node, { ...x, spot: one.spot }, { ...y, spot: two.spot }, 'node');
    if (!same) for (const other of order.splice(since)) if (known.get(other)) known.delete(other);
    known.set(key, same);
    return same;
  }
  return (one, other) =>
    one.length === other.length &&
    one.every((x, index) => {
      const y = other[index] as Written;
      const sameWay = x.own === y.own && (x.evaluated === undefined) === (y.evaluated === undefined);
      return sameWay && x.evaluated === undefined && values(x.value, y.value, x, y, 'node');
    });
}

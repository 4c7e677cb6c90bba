import type { Schema } from './document.js';
import { valueAt } from './references.js';

const LARGEST = new Set(['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties']);
const SMALLEST = new Set(['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties']);

/** The value that two parts of a schema give one keyword together. */
function together(keyword: string, one: unknown, other: unknown): unknown {
  if (LARGEST.has(keyword)) return Math.max(Number(one), Number(other));
  if (SMALLEST.has(keyword)) return Math.min(Number(one), Number(other));
  if (keyword === 'required') return [...new Set([...(one as string[]), ...(other as string[])])];
  if (keyword === 'type' || keyword === 'enum') {
    const [first, second] = [[one].flat(), [other].flat()];
    // An integer is a number.
    const isAmong = (value: unknown, values: unknown[]) =>
      values.includes(value) || (keyword === 'type' && value === 'integer' && values.includes('number'));
    const both = [
      ...new Set([
        ...first.filter((value) => isAmong(value, second)),
        ...second.filter((value) => isAmong(value, first)),
      ]),
    ];
    return keyword === 'type' && both.length === 1 ? both[0] : both;
  }
  if (keyword === 'additionalProperties') return one === false || other === false ? false : other;
  if (keyword !== 'properties') return other;
  const [first, second] = [one, other] as [Record<string, Schema>, Record<string, Schema>];
  const shared = Object.keys(first).filter((name) => name in second);
  return {
    ...first,
    ...second,
    ...Object.fromEntries(shared.map((name) => [name, { allOf: [first[name], second[name]] }])),
  };
}

/**
 * A schema as one, for who reads what it asks for and does not decide by it: its reference into its own `$defs` and its `allOf` are
 * laid beside the rest, as far as keywords can be put together.
 * @param root where `$defs` are, for a schema from within another one
 */
export function laidOpen({ $ref, allOf = [], ...own }: Schema, root: Schema = own): Schema {
  const target = $ref === undefined ? undefined : valueAt(root, $ref.split('/').slice(1));
  const parts = [...(target === undefined ? [] : [target as Schema]), ...allOf];
  const met: Schema = { ...own };
  for (const part of parts) {
    if (typeof part === 'boolean') continue;
    for (const [keyword, value] of Object.entries(laidOpen(part, root)))
      met[keyword] = keyword in met ? together(keyword, value, met[keyword]) : value;
  }
  return met;
}

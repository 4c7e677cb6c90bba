import { isPlain } from 'accord/contract/references';
import type { Difference } from './differences.js';
import type { Value } from './form.js';
import { discriminators } from './schema-discriminator.js';
import type { Normal } from './schema-normal.js';
import { type Stated, shapeOf } from './schema-part.js';
import { text, told } from './told.js';

/** The rules for what refuses nothing. */
export const NOTE_RULES: ReadonlySet<string> = new Set([
  ...['default', 'deprecated', 'sunset', 'extension', 'unjudged'],
  ...['discriminator', 'discriminatorValue', 'mapping', 'extensibleValue'],
]);

/** What refuses nothing: the default, the deprecation, what tells alternatives apart, what others read in it. */
export function notes(a: Normal, b: Normal): Difference[] {
  return [...new Set([...a.notes.keys(), ...b.notes.keys()])].flatMap((keyword) => {
    const [was, is] = [a.notes.get(keyword), b.notes.get(keyword)];
    if (shapeOf(was?.value, 'data') === shapeOf(is?.value, 'data')) return [];
    if (keyword === 'discriminator') return discriminators(was, is);
    if (keyword === 'x-extensible-enum') return extensible(was, is);
    if (keyword === 'x-deprecation') return sunsets(was, is);
    const of = (one: Stated | undefined): Stated<Value> | undefined =>
      one && { value: text(one.value), spot: one.spot };
    const rule =
      keyword === 'default' || keyword === 'deprecated' ? keyword : keyword.startsWith('x-') ? 'extension' : 'unjudged';
    return told(rule, of(was), of(is));
  });
}

function sunsets(was: Stated | undefined, is: Stated | undefined): Difference[] {
  const of = (one: Stated | undefined): Stated<Value> | undefined => {
    const date = isPlain(one?.value) ? one.value['sunset'] : undefined;
    return one === undefined || date === undefined
      ? undefined
      : {
          value: String(date),
          spot: { ...one.spot, id: one.spot.id.replace(/:x-(?:deprecation|sunset)$/, ':sunset') },
        };
  };
  const [before, after] = [of(was), of(is)];
  return before?.value === after?.value ? [] : told('sunset', before, after);
}

/** Values that are listed as those of today (`x-extensible-enum`): clients take others too. */
function extensible(was: Stated | undefined, is: Stated | undefined): Difference[] {
  const list = (one: Stated | undefined) =>
    new Map(
      (Array.isArray(one?.value) ? one.value : []).map((value) => [
        String(text(value)),
        { value: text(value), spot: { ...(one as Stated).spot, id: `${(one as Stated).spot.id}.${text(value)}` } },
      ]),
    );
  const [old, now] = [list(was), list(is)];
  const gone = [...old]
    .filter(([key]) => !now.has(key))
    .flatMap(([key, one]) => told('extensibleValue', one, undefined, { path: [key] }));
  const fresh = [...now]
    .filter(([key]) => !old.has(key))
    .flatMap(([key, one]) => told('extensibleValue', undefined, one, { path: [key] }));
  return [...gone, ...fresh];
}

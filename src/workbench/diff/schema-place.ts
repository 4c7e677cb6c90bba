import { valueAt } from 'accord/contract/references';
import type { Difference } from './differences.js';
import type { Part, Spot } from './form.js';
import { partAt } from './schema-part.js';

/** Both versions of a schema: `here` is where it is used, of which it says the rest itself. */
export interface Both {
  old: Part;
  now: Part;
  here: { old: Spot; now: Spot };
}

const SCHEMAS = ['components', 'schemas'];

/** The component that something is told of, as `spot.ts` follows references, and what the id says beside it. */
function componentIn(id: string): [name: string, suffix: string] | undefined {
  const [, name, suffix = ''] = /^([^:]+):(?:request|response)(.*)$/.exec(id) ?? [];
  return name === undefined ? undefined : [name, suffix];
}

const isIn = (source: Spot['source'], name: string): boolean =>
  [...SCHEMAS, name].every((key, index) => source[index] === key);

/** A name within another one. */
const within = (outer: string, inner: string): string =>
  outer === '' || inner === '' || /^[[{:]/.test(inner) ? outer + inner : `${outer}.${inner}`;

/**
 * Tells where a difference stands: one of a component that is the same in both versions comes of what is said beside the
 * reference to it, and is told of who refers.
 * @param same whether two nodes say the same
 */
export function placing(same: (one: Part, other: Part) => boolean): (one: Difference, both: Both) => Difference {
  const known = new Map<string, boolean>();

  /** Whether a component, called by its former name, says the same in both versions. */
  function isSame(name: string, { old: [before], now }: Both): boolean {
    const [after] = now;
    if (before === undefined || after === undefined) return false;
    const found = known.get(name);
    if (found !== undefined) return found;
    const partOf = ({ spot }: Part[number], called: string): Part | undefined => {
      const source = [...SCHEMAS, called];
      const value = valueAt(spot.document, source);
      return value === undefined ? undefined : partAt(value, { ...spot, source });
    };
    const [was, is] = [partOf(before, name), partOf(after, presentName(name, now))];
    const result = was !== undefined && is !== undefined && same(was, is);
    known.set(name, result);
    return result;
  }

  const presentName = (name: string, now: Part): string =>
    [...(now[0]?.spot.formerNames ?? [])].find(([, former]) => former === name)?.[0] ?? name;

  return (one, both) => {
    const { fact, old, sources } = one;
    const [component, suffix] = componentIn(fact.id) ?? [];
    const here = old ? both.here.old : both.here.now;
    if (component === undefined || componentIn(here.id)?.[0] === component || !isSame(component, both)) return one;
    const outside = (source: Spot['source'], use: Spot) =>
      isIn(source, component) || isIn(source, presentName(component, both.now)) ? use.source : source;
    return {
      ...one,
      fact: {
        ...fact,
        ...{ id: here.id + suffix, name: within(here.name, fact.name), where: here.where },
        source: outside(fact.source, here),
      },
      ...(sources && {
        sources: {
          before: sources.before && outside(sources.before, both.here.old),
          after: sources.after && outside(sources.after, both.here.now),
        },
      }),
    };
  };
}

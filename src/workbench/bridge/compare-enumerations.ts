import { type Difference, TITLES } from './difference.js';
import type { Pairs } from './pairs.js';
import { type Enumeration, SIDES, type Side, type Value, type Where } from './side.js';

const upper = (name: string) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase();

/** How a document writes the values of its enums, when they stand for those of another. */
const written = (side: Side, name: string) => (side === 'openapi' ? upper(name).toLowerCase() : upper(name));

type Listed = readonly [side: Side, where: Where, values: readonly Value[]];

/** The differences of lists of values that should be the same but for their case. */
export function compareValues(subject: string, lists: readonly Listed[]): Difference[] {
  const names = [...new Set(lists.flatMap(([, , values]) => values.map(({ name }) => upper(name))))];
  const absent = names.flatMap((name) => {
    const has = ([, , values]: Listed) => values.find((value) => upper(value.name) === name);
    const present = lists.flatMap((list) => has(list)?.where ?? []);
    return lists
      .filter((list) => has(list) === undefined)
      .map(([side, where]) => ({
        id: `enum-value:${subject}.${name}:${side}`,
        message: `${subject} has no value ${name} in ${TITLES[side]}`,
        advice: `Add ${written(side, name)} there, or take ${name} out of the others.`,
        places: [...present, where],
      }));
  });
  const misspelt = lists.flatMap(([side, , values]) =>
    values
      .filter(({ name }) => name !== written(side, name))
      .map(({ name, where }) => ({
        id: `enum-case:${subject}.${upper(name)}:${side}`,
        message: `${subject} has the value ${name} in ${TITLES[side]}, where the convention is ${written(side, name)}`,
        advice: `Write ${written(side, name)}: lower case in REST, upper case in GraphQL and Prisma.`,
        places: [where, ...lists.filter(([other]) => other !== side).map(([, other]) => other)],
      })),
  );
  return [...absent, ...misspelt];
}

const listed = (sides: Partial<Record<Side, Enumeration>>): Listed[] =>
  SIDES.flatMap((side) => {
    const one = sides[side];
    return one === undefined ? [] : [[side, one.where, one.values] as const];
  });

/** The differences of paired enums. */
export const compareEnumerations = ({ enumerations }: Pairs): Difference[] =>
  enumerations.flatMap(({ name, sides }) => compareValues(name, listed(sides)));

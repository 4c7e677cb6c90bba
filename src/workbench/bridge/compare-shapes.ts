import { compareValues } from './compare-enumerations.js';
import { type Difference, fits, TITLES, typeDifference } from './difference.js';
import type { Override } from './overrides.js';
import type { Pair, Pairs } from './pairs.js';
import { type Contract, type Member, type Shape, SIDES, type Side } from './side.js';

/** One member under its common name, by document. */
interface Row {
  key: string;
  cells: Partial<Record<Side, Member>>;
}

/** Members of which those that an override flattens are replaced by the members of their types. */
export const flattened = (members: readonly Member[], { flatten = [] }: Override, { shapes }: Contract): Member[] =>
  members.flatMap((member) => {
    const inner = flatten.includes(member.name) ? shapes.find(({ name }) => name === member.of) : undefined;
    return inner?.members.map((one) => ({ ...one, optional: one.optional || member.optional })) ?? [member];
  });

/** A pair's members by their common name. `_links` and its like are REST's alone. */
export function rowsOf(pair: Pair<Shape>, openapi: Contract): Row[] {
  const renamed = (side: 'graphql' | 'prisma', { name, key }: Member) =>
    Object.entries(pair.override.fields ?? {}).find(([, names]) => names[side] === name)?.[0] ?? key;
  const rows = new Map<string, Row>();
  const put = (side: Side, key: string, member: Member) => {
    const row = rows.get(key) ?? { key, cells: {} };
    rows.set(key, { key, cells: { ...row.cells, [side]: member } });
  };
  for (const member of flattened(pair.sides.openapi?.members ?? [], pair.override, openapi))
    if (!member.name.startsWith('_')) put('openapi', member.key, member);
  for (const side of ['graphql', 'prisma'] as const) {
    for (const member of pair.sides[side]?.members ?? []) put(side, renamed(side, member), member);
  }
  return [...rows.values()];
}

/**
 * Whether a document need not have a member that another has: the store keeps more than it shows, and where GraphQL leads on
 * to other objects REST has links.
 */
const mayLack = (side: Side, { openapi, graphql, prisma }: Row['cells']) =>
  (side !== 'prisma' && openapi === undefined && graphql === undefined && prisma !== undefined) ||
  (side === 'openapi' && graphql?.type === 'object');

function missing({ name, sides }: Pair<Shape>, { key, cells }: Row): Difference[] {
  const present = Object.values(cells);
  return SIDES.flatMap((side) => {
    const shape = sides[side];
    if (shape === undefined || cells[side] !== undefined || mayLack(side, cells)) return [];
    return {
      id: `missing:${name}.${key}:${side}`,
      message: `${name}.${key} is missing in ${TITLES[side]}`,
      advice: `Add it to ${shape.name} in ${TITLES[side]}, take it out of the other, or name its counterpart (x-bridge fields).`,
      places: [...present.map(({ where }) => where), shape.where],
    };
  });
}

/** Whether two named types or enums are counterparts; one that has no name is what its values are. */
function related(a: Member, b: Member, one: Side, other: Side, { shapes, enumerations }: Pairs): boolean {
  if (a.of === undefined || b.of === undefined || a.of === b.of) return true;
  const pair = [...shapes, ...enumerations].find(({ sides }) => sides[one]?.name === a.of);
  return pair?.sides[other]?.name === b.of;
}

/** An enum that REST writes out in place against the named one of another document. */
function compareInline(subject: string, [one, other]: [Side, Side], a: Member, b: Member, pairs: Pairs): Difference[] {
  const named = pairs.known[other].find(({ name }) => name === b.of);
  if (a.values === undefined || named === undefined) return [];
  return compareValues(subject, [
    [one, a.where, a.values],
    [other, named.where, named.values],
  ]);
}

function compareCells(subject: string, [one, other]: [Side, Side], a: Member, b: Member, pairs: Pairs): Difference[] {
  if (!fits(one, other, a, b) || !related(a, b, one, other, pairs)) return [typeDifference(subject, one, other, a, b)];
  return compareInline(subject, [one, other], a, b, pairs);
}

/** Whether a member may be absent or null, told once of all documents: of three, one is the odd one. */
function nullability(subject: string, cells: Row['cells']): Difference[] {
  const stated = SIDES.flatMap((side) => {
    const member = cells[side];
    // A list of Prisma cannot be null.
    return member === undefined || member.list ? [] : [{ side, member }];
  });
  const lax = stated.filter(({ member }) => member.optional);
  const strict = stated.filter(({ member }) => !member.optional);
  if (lax.length === 0 || strict.length === 0) return [];
  const odd = stated.length > 2 && lax.length > strict.length ? strict : lax;
  const sides = (stated.length > 2 ? odd : stated).map(({ side }) => side).join('-');
  const titles = (all: typeof stated) => all.map(({ side }) => TITLES[side]).join(' and ');
  return [
    {
      id: `nullability:${subject}:${sides}`,
      message: `${subject} may be absent or null in ${titles(lax)}, and never in ${titles(strict)}`,
      advice: 'Require it everywhere, or nowhere.',
      places: stated.map(({ member }) => member.where),
    },
  ];
}

/** What the contracts call the id of a thing must identify it in the store. */
function identity(subject: string, { prisma, ...contracts }: Row['cells']): Difference[] {
  if (!subject.endsWith('.id') || prisma === undefined || prisma.unique) return [];
  const others = Object.values(contracts).map(({ where }) => where);
  if (others.length === 0) return [];
  const message = `${subject} does not identify a row of its own in Prisma`;
  return [
    {
      id: `id:${subject}:prisma`,
      message,
      advice: 'Make the column @id or @unique.',
      places: [...others, prisma.where],
    },
  ];
}

/** The differences of paired types: members, types, nullability, ids. */
export function compareShapes(pairs: Pairs, openapi: Contract): Difference[] {
  return pairs.shapes.flatMap((pair) =>
    rowsOf(pair, openapi).flatMap((row) => {
      const subject = `${pair.name}.${row.key}`;
      const compared = SIDES.flatMap((one, index) =>
        SIDES.slice(index + 1).flatMap((other) => {
          const [a, b] = [row.cells[one], row.cells[other]];
          return a === undefined || b === undefined ? [] : compareCells(subject, [one, other], a, b, pairs);
        }),
      );
      return [...missing(pair, row), ...compared, ...nullability(subject, row.cells), ...identity(subject, row.cells)];
    }),
  );
}

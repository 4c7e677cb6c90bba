import { PAGE_SIZE, PAGE_START } from '../model/names.js';
import {
  type ComparedOperation,
  type Difference,
  type Documents,
  difference,
  type ItemPair,
  type Limits,
  type Located,
  type Member,
  type Named,
  type ObjectType,
  type OperationPair,
  type Pairs,
  SIDES,
  type Side,
  TITLES,
} from './contract.js';

interface List<Item extends Named> extends Located {
  values: readonly Item[];
}

/** Reports each name that is missing in one of the lists, at the places of the name and of the list. */
export function compareLists<Item extends Named, Lists extends List<Item>>(
  lists: readonly (Lists & List<Item>)[],
  report: (value: Item, lacking: Lists) => [id: string, message: string, advice: string] | undefined,
): Difference[] {
  const all = lists.flatMap(({ values }) => values);
  return lists.flatMap((list) => {
    const present = new Set(list.values.map(({ name }) => name));
    const missing = new Map(all.filter(({ name }) => !present.has(name)).map((item) => [item.name, item]));
    return [...missing.values()].flatMap((value) => {
      const reported = report(value, list);
      return reported ? difference(...reported, [...all.filter(({ name }) => name === value.name), list]) : [];
    });
  });
}

const upper = (name: string) => name.replace(/(?<=[a-z\d])(?=[A-Z])|-/g, '_').toUpperCase();

const valueIn = (side: Side, name: string) => (side === 'openapi' ? upper(name).toLowerCase() : upper(name));

/** Compares the values of enums, which differ in their case only. */
export function compareEnumValues(subject: string, lists: readonly List<Named>[]): Difference[] {
  const inUpperCase = lists.map(({ location, values }) => ({
    location,
    values: values.map((value) => ({ ...value, name: upper(value.name) })),
  }));
  const missing = compareLists(inUpperCase, ({ name }, { location: { side } }) => [
    `enum-value:${subject}.${name}:${side}`,
    `${subject} has no value ${name} in ${TITLES[side]}`,
    `Add ${valueIn(side, name)} there, or remove ${name} from the others.`,
  ]);
  const misspelt = lists.flatMap((list) => {
    const { side } = list.location;
    const others = lists.filter(({ location }) => location.side !== side);
    return list.values
      .filter(({ name }) => name !== valueIn(side, name))
      .map((value) =>
        difference(
          `enum-case:${subject}.${upper(value.name)}:${side}`,
          `${subject} has the value ${value.name} in ${TITLES[side]}, where the convention is ${valueIn(side, value.name)}`,
          `Write ${valueIn(side, value.name)}: lower case in REST, upper case in GraphQL and Prisma.`,
          [value, ...others],
        ),
      );
  });
  return [...missing, ...misspelt];
}

/** The further types of other documents that a type fits. Types with the same name fit. */
const FITS: Record<string, Record<string, string[]>> = {
  openapi: { integer: ['bigint'], object: ['json'] },
  graphql: { string: ['time', 'uuid', 'bigint'], id: ['integer', 'bigint', 'string', 'uuid'] },
};
const fits = (a: Member, b: Member) => a.type === b.type || FITS[a.location.side]?.[a.type]?.includes(b.type) === true;
const LIMITS = ['min', 'max', 'minLength', 'maxLength', 'pattern', 'format', 'uncommon'] as const;
const INT_MAX = 2 ** 31 - 1;

const isId = ({ key }: Member) => key === 'id' || key.endsWith('Id');

type Cells = Partial<Record<Side, Member>>;

interface Row {
  subject: string;
  cells: Cells;
  owners: Partial<Record<Side, Named>>;
}

/** Compares types, not nullability. The document of `a` comes first in `SIDES`. */
function compareTypes(subject: string, a: Member, b: Member, isRelated = true): Difference[] {
  const [one, other] = [a.location.side, b.location.side];
  // GraphQL has ID for ids, which clients should not use as numbers.
  const isIdentifier = other === 'graphql' && isId(a) && isId(b);
  const isAny = a.type === 'any' || b.type === 'any';
  if (isRelated && a.isList === b.isList && (isAny || (isIdentifier ? b.type === 'id' : fits(a, b) || fits(b, a))))
    return [];
  const message = `${subject} has another type in ${TITLES[one]} than in ${TITLES[other]}`;
  return [difference(`type:${subject}:${one}-${other}`, message, 'Give both a type with the same values.', [a, b])];
}

/** Compares the limits of an input, and the defaults if both documents have one. */
function compareLimits(subject: string, rest: Member, argument: Member): Difference[] {
  // GraphQL rejects an ID that is no id of its type, so the bounds of the integer are no limits.
  const names: readonly (keyof Limits)[] = argument.type === 'id' && rest.type === 'integer' ? [] : LIMITS;
  const hasDefaults = rest.default !== undefined && argument.default !== undefined;
  const all = [
    ...names.map((name) => [name, rest.limits[name], argument.limits[name]] as const),
    ...(hasDefaults ? [['default', rest.default, argument.default] as const] : []),
  ];
  return all
    .filter(([, ofRest, ofGraphql]) => ofRest !== ofGraphql)
    .map(([name, ofRest, ofGraphql]) => {
      const message = `${subject}: ${name} is ${ofRest ?? 'none'} in REST and ${ofGraphql ?? 'none'} in GraphQL`;
      const advice = `Give both the same ${name}: in GraphQL by @constraint.`;
      return difference(`limit:${subject}:${name}`, message, advice, [rest, argument]);
    });
}

/** Returns true if a document may omit a member: a column that no contract has, or REST a related object of GraphQL. */
const mayLack = (side: Side, { openapi, graphql, prisma }: Cells) =>
  (side !== 'prisma' && !openapi && !graphql && prisma !== undefined) ||
  (side === 'openapi' && graphql?.type === 'object');

function compareRow({ subject, cells, owners }: Row, pairs: Pairs, contracts: Documents, isInput: boolean) {
  const present = SIDES.flatMap((side) => cells[side] ?? []);
  const missing = SIDES.flatMap((side) => {
    const owner = owners[side];
    if (owner === undefined || cells[side] !== undefined || mayLack(side, cells)) return [];
    const advice = `Add it to ${owner.name}, remove it from the other, or name its counterpart (x-bridge fields).`;
    const message = `${subject} is missing in ${TITLES[side]}`;
    return difference(`missing:${subject}:${side}`, message, advice, [...present, owner]);
  });
  const compared = present.flatMap((a, index) =>
    present.slice(index + 1).flatMap((b) => {
      const found = compareTypes(subject, a, b, isInput || isRelated(a, b, pairs));
      // One document may have an enum without a name where the other has a named enum.
      const named = contracts[b.location.side].enumerations.find(({ name }) => name === b.typeName);
      if (found.length > 0 || isInput || !a.values || !named) return found;
      return compareEnumValues(subject, [{ location: a.location, values: a.values }, named]);
    }),
  );
  return [...missing, ...compared, ...compareNullability(subject, present, isInput), ...compareId(subject, cells)];
}

/** Returns true for named types that are counterparts. The values of a type without a name are compared elsewhere. */
function isRelated(a: Member, b: Member, { types, enumerations }: Pairs): boolean {
  if (a.typeName === undefined || b.typeName === undefined || a.typeName === b.typeName) return true;
  const pair = [...types, ...enumerations].find(({ sides }) => sides[a.location.side]?.name === a.typeName);
  return pair?.sides[b.location.side]?.name === b.typeName;
}

/** Reports one difference for all documents: the id names the document that differs from two others. */
function compareNullability(subject: string, present: readonly Member[], isInput: boolean): Difference[] {
  // A list of Prisma cannot be null.
  const stated = isInput ? present : present.filter(({ isList }) => !isList);
  const optional = stated.filter((member) => member.isOptional);
  const required = stated.filter((member) => !member.isOptional);
  if (optional.length === 0 || required.length === 0) return [];
  const odd = stated.length === 2 ? stated : optional.length > required.length ? required : optional;
  const titles = (all: readonly Member[]) => all.map(({ location }) => TITLES[location.side]).join(' and ');
  const sides = odd.map(({ location }) => location.side).join('-');
  const id = isInput ? `required:${subject}` : `nullability:${subject}:${sides}`;
  const message = `${subject} may be absent or null in ${titles(optional)}, and is required in ${titles(required)}`;
  return [difference(id, message, 'Require it everywhere, or nowhere.', stated)];
}

/** Reports an id of the contracts that does not identify a row of the database. */
function compareId(subject: string, { openapi, graphql, prisma }: Cells): Difference[] {
  const others = [openapi, graphql].filter((member) => member !== undefined);
  if (!subject.endsWith('.id') || prisma === undefined || prisma.isUnique || others.length === 0) return [];
  const message = `${subject} does not identify a row in Prisma`;
  return [difference(`id:${subject}:prisma`, message, 'Make the column @id or @unique.', [...others, prisma])];
}

/** Replaces the members that an override flattens by the members of their types. */
const flattened = (members: readonly Member[], { override }: ItemPair<ObjectType>, { openapi }: Documents): Member[] =>
  members.flatMap((member) => {
    const isFlat = override.flatten?.includes(member.name);
    const inner = isFlat ? openapi.types.find(({ name }) => name === member.typeName) : undefined;
    return inner?.members.map((part) => ({ ...part, isOptional: part.isOptional || member.isOptional })) ?? [member];
  });

/** Returns the members of paired types by their keys, without `_links` and similar members of REST. */
function cellsOf(pair: ItemPair<ObjectType>, contracts: Documents): Map<string, Cells> {
  const rows = new Map<string, Cells>();
  const renamed = Object.entries(pair.override.fields ?? {});
  for (const side of SIDES) {
    const members = pair.sides[side]?.members ?? [];
    for (const member of side === 'openapi' ? flattened(members, pair, contracts) : members) {
      if (side === 'openapi' && member.name.startsWith('_')) continue;
      const stated = side === 'openapi' ? undefined : renamed.find(([, names]) => names[side] === member.name)?.[0];
      const key = stated ?? member.key;
      rows.set(key, { ...rows.get(key), [side]: member });
    }
  }
  return rows;
}

/** Compares the members of paired types: presence, types, nullability, ids. */
export const compareMembers = (pairs: Pairs, contracts: Documents): Difference[] =>
  pairs.types.flatMap((pair) =>
    [...cellsOf(pair, contracts)].flatMap(([key, cells]) =>
      compareRow({ subject: `${pair.name}.${key}`, cells, owners: pair.sides }, pairs, contracts, false),
    ),
  );

/** Finds the arguments for an input of REST. `user_id` in a path is `id` in GraphQL; a page size has several names. */
function argumentsFor({ key, name }: Member, all: readonly Member[]): Member[] {
  if (PAGE_SIZE.test(name)) return all.filter((member) => PAGE_SIZE.test(member.name));
  const exact = all.find((member) => member.key === key);
  const byId = key === 'id' ? all.find(isId) : key.endsWith('Id') ? all.find((other) => other.key === 'id') : undefined;
  return [exact ?? byId ?? []].flat();
}

/** Returns the inputs of paired operations. Only REST has the parameter `version`, and paging may differ. */
function inputRows({ rest, field }: OperationPair): Row[] {
  const row = (key: string, cells: Cells): Row => {
    return { subject: `${rest.name}~${field.name}.${key}`, cells, owners: { openapi: rest, graphql: field } };
  };
  const rows = rest.inputs
    .filter(({ name }) => name !== 'version')
    .flatMap((openapi) => {
      const found = argumentsFor(openapi, field.inputs);
      if (found.length === 0) return [row(openapi.key, { openapi })];
      return found.map((graphql) =>
        row(PAGE_SIZE.test(graphql.name) ? graphql.key : openapi.key, { openapi, graphql }),
      );
    });
  const surplus = field.inputs.filter((input) => !rows.some(({ cells }) => cells.graphql === input));
  const isPaging = ({ name }: Member) => PAGE_SIZE.test(name) || PAGE_START.test(name);
  return [...rows, ...surplus.map((graphql) => row(graphql.key, { graphql }))].filter(
    ({ cells: { openapi, graphql } }) =>
      (openapi && graphql) || ![openapi, graphql].some((member) => member && isPaging(member)),
  );
}

/** Compares the inputs of paired operations: presence, types, required inputs, limits. */
export const compareInputs = (pairs: Pairs, contracts: Documents): Difference[] =>
  pairs.operations.flatMap(inputRows).flatMap((row) => {
    const { openapi, graphql } = row.cells;
    return [
      ...compareRow(row, pairs, contracts, true),
      ...(openapi && graphql ? compareLimits(row.subject, openapi, graphql) : []),
    ];
  });

export interface Write {
  operation: ComparedOperation;
  pair: ItemPair<ObjectType>;
  members: { subject: string; input: Member; column: Member }[];
}

/** Returns the operations that write members of their response type, with the columns. */
export const writesOf = ({ types }: Pairs, contracts: Documents): Write[] =>
  [...contracts.openapi.operations, ...contracts.graphql.operations].flatMap((operation) => {
    const { result, location, written } = operation;
    const pair = types.find(({ sides }) => result !== undefined && sides[location.side]?.name === result);
    if (pair === undefined) return [];
    const cells = cellsOf(pair, contracts);
    const members = flattened(written, pair, contracts).flatMap((input) => {
      const column = cells.get(input.key)?.prisma;
      return column === undefined ? [] : [{ subject: `${pair.name}.${input.key}`, input, column }];
    });
    return members.length === 0 ? [] : [{ operation, pair, members }];
  });

/** Compares written inputs with their columns: types, lengths, ranges, required values. */
export const compareColumns = (writes: readonly Write[]): Difference[] =>
  writes.flatMap(({ operation, members }) =>
    members.flatMap(({ subject, input, column }) => {
      const { side } = input.location;
      const title = TITLES[side];
      const report = (kind: string, message: string, advice: string) =>
        difference(`${kind}:${subject}:${side}-prisma`, `${subject} ${message}`, advice, [input, column]);
      const found = compareTypes(subject, input, column);
      const { maxLength } = input.limits;
      const length = column.limits.maxLength;
      if (length !== undefined && !(maxLength !== undefined && maxLength <= length)) {
        const limit = maxLength === undefined ? 'is not limited' : `may have ${maxLength} characters`;
        const advice = `Give ${title} a maxLength of at most ${length}, or widen the column.`;
        found.push(report('length', `${limit} in ${title}, and the column has room for ${length}`, advice));
      }
      const isInteger = side === 'openapi' && input.type === 'integer' && column.type === 'integer' && !isId(input);
      if (isInteger && (input.limits.max ?? Number.POSITIVE_INFINITY) > INT_MAX) {
        const advice = `Give REST a maximum of at most ${INT_MAX}, or make the column BigInt.`;
        found.push(report('range', `may exceed the maximum of the column (${INT_MAX}) in REST`, advice));
      }
      const isCreation = /^(create|add)|\.(create|add)/.test(operation.name);
      if (isCreation && input.isOptional && !column.isOptional && !column.hasDefault) {
        const message = `may be absent from a creation in ${title}, and the column has no default`;
        found.push(report('required', message, `Require it in ${title}, or give the column a @default.`));
      }
      return found;
    }),
  );

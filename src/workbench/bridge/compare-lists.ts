import {
  CODE_ROW,
  type Contracts,
  codesIn,
  type Difference,
  difference,
  type ErrorList,
  type Located,
  type Named,
  type Operation,
  SIDES,
  type Side,
  TITLES,
} from './contract.js';
import type { Overrides, Pairs } from './pairs.js';

interface List<Item extends Named> extends Located {
  values: readonly Item[];
}

/** Reports each name that is missing in one of the lists, at the places of the name and of the list. */
function compareLists<Item extends Named, Lists extends List<Item>>(
  lists: readonly (Lists & List<Item>)[],
  report: (value: Item, lacking: Lists) => [id: string, message: string, advice: string] | undefined,
): Difference[] {
  const all = lists.flatMap(({ values }) => values);
  return lists.flatMap((list) => {
    const present = new Set(list.values.map(({ name }) => name));
    const missing = new Map(all.filter(({ name }) => !present.has(name)).map((one) => [one.name, one]));
    return [...missing.values()].flatMap((value) => {
      const reported = report(value, list);
      return reported ? difference(...reported, [...all.filter(({ name }) => name === value.name), list]) : [];
    });
  });
}

const upper = (name: string) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase();

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

export const compareEnumerations = ({ enumerations }: Pairs): Difference[] =>
  enumerations.flatMap(({ name, sides }) =>
    compareEnumValues(
      name,
      SIDES.flatMap((side) => sides[side] ?? []),
    ),
  );

export function compareCodes(lists: readonly ErrorList[], operations: readonly Operation[]): Difference[] {
  const all = lists.flatMap(({ values }) => values);
  const [first] = lists;
  const missing = compareLists(lists, ({ name }, { name: list, location: { side } }) => [
    `code:${name}:${side}`,
    `The error code ${name} is missing in ${list}`,
    'Add it there, or remove it from the others.',
  ]);
  const ambiguous = [...new Set(all.map(({ name }) => name))].flatMap((code) => {
    const stated = all.filter(({ name, status }) => name === code && status !== undefined);
    const statuses = [...new Set(stated.map(({ status }) => status))];
    if (statuses.length < 2) return [];
    const message = `The error code ${code} has the statuses ${statuses.join(' and ')}`;
    return difference(`code-status:${code}`, message, 'Give it one status in both contracts.', stated);
  });
  const unknown = operations.flatMap(({ name, errors = [] }) =>
    errors.flatMap((one) => {
      if (first === undefined || all.some((code) => code.name === one.name)) return [];
      const message = `${name} can give ${one.name}, which is missing in ${first.name}`;
      const advice = 'Add it to the lists of both contracts, or name another code.';
      return difference(`code:${one.name}@${name}`, message, advice, [one, first]);
    }),
  );
  return [...missing, ...ambiguous, ...unknown];
}

/** Returns the codes that fields need not name: "Common errors", and rows with "REST only" or "the HTTP status is 429 too". */
function commonCodes(sdl: string): Set<string> {
  const paragraph = sdl.split(/\n\s*\n/).find((one) => /^\W*Common errors\b/.test(one.trim()));
  const rows = sdl.split('\n').flatMap((line) => {
    const [, code = '', , when = ''] = CODE_ROW.exec(line) ?? [];
    return /REST only|the HTTP status is \d{3} too/.test(when) ? [code] : [];
  });
  return new Set([...codesIn(paragraph ?? ''), ...rows]);
}

export function compareErrors({ operations }: Pairs, sdl: string): Difference[] {
  const common = commonCodes(sdl);
  return operations.flatMap(({ rest, field }) => {
    if (rest.errors === undefined || field.errors === undefined) return [];
    const lists = [rest, field].map(({ location, errors = [] }) => ({ location, values: errors }));
    return compareLists(lists, ({ name }, { location: { side } }) => {
      if (side === 'graphql' && common.has(name)) return undefined;
      const [has, lacks, advice] =
        side === 'openapi'
          ? [field, rest, 'Declare the response, or remove the code from the description.']
          : [rest, field, 'Add it to the "Errors:" of the description, or remove the response.'];
      const id = `error:${rest.name}~${field.name}:${name}:${side}`;
      return [id, `${has.name} can give ${name}, and ${lacks.name} does not declare it`, advice];
    });
  });
}

/** Compares the permissions of paired operations, so that neither is a way around the other. */
export const comparePermissions = ({ operations }: Pairs): Difference[] =>
  operations.flatMap(({ rest, field }) => {
    const lists = [rest, field].map(({ name, location, permissions }) => ({
      name,
      location: permissions[0]?.location ?? location,
      values: permissions.map((one) => ({ name: one.permission.action, owner: name, ...one })),
    }));
    return compareLists(lists, ({ name: action, owner, permission: { when } }, { name }) => [
      `permission:${rest.name}~${field.name}:${action}`,
      `${owner} requires ${action}${when === undefined ? '' : ` (when ${when})`}, and ${name} does not`,
      'Require the same actions in both.',
    ]);
  });

const actionsOf = ({ permissions }: Operation) => permissions.map(({ permission }) => permission.action);

/**
 * Reports a root field without a counterpart that has the permission of an operation without one, and response types of paired
 * operations that are no pair: one of the names was changed. An `x-bridge` with `graphql` decides.
 */
export function compareUnpaired(
  { operations, types }: Pairs,
  { openapi, graphql }: Contracts,
  overrides: Overrides,
): Difference[] {
  const isUndecided = ({ name }: Named) => overrides.of(name).graphql === undefined;
  const unpaired = openapi.operations.filter((one) => isUndecided(one) && !operations.some(({ rest }) => rest === one));
  const fields = graphql.operations.filter((one) => !operations.some(({ field }) => field === one));
  const ofOperations = fields.flatMap((field) => {
    const actions = actionsOf(field);
    const similar = unpaired.filter((one) => actionsOf(one).some((action) => actions.includes(action)));
    if (similar.length === 0) return [];
    const names = similar.map(({ name }) => name).join(' and ');
    return difference(
      `unpaired:${field.name}`,
      `${field.name} has the permission of ${names} (${[...new Set(actions)].join(' and ')}), and no counterpart by its name`,
      `Add \`x-bridge: { graphql: ${field.name} }\` to its counterpart, and \`graphql: none\` to the others.`,
      [...similar, field],
    );
  });
  const paired = types.filter(({ sides }) => sides.openapi && sides.graphql).map(({ sides }) => sides);
  const ofTypes = operations.flatMap(({ rest, field }) => {
    const one = openapi.types.find(({ name }) => name === rest.result);
    const other = graphql.types.find(({ name }) => name === field.result);
    if (!one || !other || !isUndecided(one)) return [];
    if (paired.some((sides) => sides.openapi === one || sides.graphql === other)) return [];
    return difference(
      `unpaired:${one.name}~${other.name}`,
      `${rest.name} returns ${one.name} and ${field.name} returns ${other.name}, which are no counterparts by their names`,
      `Add \`x-bridge: { graphql: ${other.name} }\` to the schema, or \`graphql: none\`.`,
      [one, other],
    );
  });
  return [...ofOperations, ...ofTypes];
}

import type { Overrides } from './overrides.js';
import type { CallPair, Pairs } from './pairs.js';
import {
  type Call,
  type Catalogue,
  CODE_ROW,
  type Contract,
  codesIn,
  type Difference,
  type Enumeration,
  SIDES,
  type Side,
  TITLES,
  type Value,
  type Where,
} from './sides.js';

interface List<Item extends Value> {
  where: Where;
  values: readonly Item[];
}

/** Reports each name that one of the lists lacks and another has. */
function compareLists<Item extends Value, Each>(
  lists: readonly (Each & List<Item>)[],
  report: (value: Item, lacking: Each & List<Item>) => Omit<Difference, 'places'> | undefined,
): Difference[] {
  const all = lists.flatMap(({ values }) => values);
  return lists.flatMap((list) => {
    const present = new Set(list.values.map(({ name }) => name));
    return [...new Map(all.filter(({ name }) => !present.has(name)).map((one) => [one.name, one])).values()].flatMap(
      (value) => {
        const difference = report(value, list);
        const places = all.filter(({ name }) => name === value.name).map(({ where }) => where);
        return difference ? [{ ...difference, places: [...places, list.where] }] : [];
      },
    );
  });
}

const upper = (name: string) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toUpperCase();

/** Returns a value of an enum as a document writes it. */
const written = (side: Side, name: string) => (side === 'openapi' ? upper(name).toLowerCase() : upper(name));

/** Compares the values of enums, which differ in their case only. */
export function compareValues(subject: string, lists: readonly Pick<Enumeration, 'where' | 'values'>[]): Difference[] {
  const alike = lists.map(({ where, values }) => ({
    where,
    values: values.map((value) => ({ ...value, name: upper(value.name) })),
  }));
  const missing = compareLists(alike, ({ name }, { where: { side } }) => ({
    id: `enum-value:${subject}.${name}:${side}`,
    message: `${subject} has no value ${name} in ${TITLES[side]}`,
    advice: `Add ${written(side, name)} there, or take ${name} out of the others.`,
  }));
  const misspelt = lists.flatMap(({ where: { side }, values }) =>
    values
      .filter(({ name }) => name !== written(side, name))
      .map(({ name, where }) => ({
        id: `enum-case:${subject}.${upper(name)}:${side}`,
        message: `${subject} has the value ${name} in ${TITLES[side]}, where the convention is ${written(side, name)}`,
        advice: `Write ${written(side, name)}: lower case in REST, upper case in GraphQL and Prisma.`,
        places: [where, ...lists.filter((one) => one.where.side !== side).map((one) => one.where)],
      })),
  );
  return [...missing, ...misspelt];
}

export const compareEnumerations = ({ enumerations }: Pairs): Difference[] =>
  enumerations.flatMap(({ name, sides }) =>
    compareValues(
      name,
      SIDES.flatMap((side) => sides[side] ?? []),
    ),
  );

/** Compares the lists of error codes with each other, and the codes that calls document with the lists. */
export function compareCodes(catalogues: readonly Catalogue[], calls: readonly Call[]): Difference[] {
  const all = catalogues.flatMap(({ values }) => values);
  const [first] = catalogues;
  const missing = compareLists(catalogues, ({ name }, { name: list, where: { side } }) => ({
    id: `code:${name}:${side}`,
    message: `The error code ${name} is missing in ${list}`,
    advice: 'Add it there, or take it out of the others.',
  }));
  const ambiguous = [...new Set(all.map(({ name }) => name))].flatMap((code) => {
    const stated = all.filter(({ name, status }) => name === code && status !== undefined);
    const statuses = [...new Set(stated.map(({ status }) => status))];
    if (statuses.length < 2) return [];
    const message = `The error code ${code} has the statuses ${statuses.join(' and ')}`;
    const advice = 'Give it one status in both contracts.';
    return [{ id: `code-status:${code}`, message, advice, places: stated.map(({ where }) => where) }];
  });
  const unknown = calls.flatMap(({ name, errors = [] }) =>
    errors.flatMap((one) => {
      if (first === undefined || all.some((code) => code.name === one.name)) return [];
      const message = `${name} can give ${one.name}, which ${first.name} does not have`;
      const advice = 'Add it to the lists of both contracts, or name one that is there.';
      return [{ id: `code:${one.name}@${name}`, message, advice, places: [one.where, first.where] }];
    }),
  );
  return [...missing, ...ambiguous, ...unknown];
}

/**
 * Reads from the SDL the codes that fields need not name: those of the paragraph "Common errors", and those whose row in the table of
 * codes says "REST only" or that the HTTP status is the same.
 */
function commonCodes(text: string): Set<string> {
  const paragraph = text.split(/\n\s*\n/).find((one) => /^\W*Common errors\b/.test(one.trim()));
  const rows = text.split('\n').flatMap((line) => {
    const [, code = '', , when = ''] = CODE_ROW.exec(line) ?? [];
    return /REST only|the HTTP status is \d{3} too/.test(when) ? [code] : [];
  });
  return new Set([...codesIn(paragraph ?? ''), ...rows]);
}

/** Compares the error codes that paired calls document. */
export function compareErrors({ calls }: Pairs, sdl: string): Difference[] {
  const common = commonCodes(sdl);
  return calls.flatMap(({ rest, field }) => {
    if (rest.errors === undefined || field.errors === undefined) return [];
    const name = `${rest.name}~${field.name}`;
    const lists = [rest, field].map(({ where, errors = [] }) => ({ where, values: errors }));
    return compareLists(lists, (code, { where: { side } }) => {
      const id = `error:${name}:${code.name}:${side}`;
      if (side === 'openapi') {
        const message = `${field.name} can give ${code.name}, and ${rest.name} does not declare it`;
        return { id, message, advice: 'Declare the response, or take the code out of the description.' };
      }
      if (common.has(code.name)) return undefined;
      const message = `${rest.name} can give ${code.name}, and the errors of ${field.name} do not name it`;
      return { id, message, advice: 'Add it to the "Errors:" of the description, or take the response out.' };
    });
  });
}

/** Compares the actions of paired calls, so that neither is a way around the other. */
export const comparePermissions = ({ calls }: Pairs): Difference[] =>
  calls.flatMap(({ rest, field }: CallPair) => {
    const lists = [rest, field].map(({ name, where, permissions }) => ({
      name,
      where: permissions[0]?.where ?? where,
      values: permissions.map((one) => ({ name: one.permission.action, from: name, ...one })),
    }));
    return compareLists(lists, ({ name: action, from, permission: { when } }, { name }) => ({
      id: `permission:${rest.name}~${field.name}:${action}`,
      message: `${from} asks for ${action}${when === undefined ? '' : ` (when ${when})`}, and ${name} does not`,
      advice: 'Ask for the same actions in both.',
    }));
  });

const actionsOf = ({ permissions }: Call) => permissions.map(({ permission }) => permission.action);

/**
 * Reports root fields without a counterpart if an operation without one has the same permission, and types of paired calls without a
 * counterpart: a name was changed. An `x-bridge` that names a counterpart, or none, decides it.
 */
export function compareUnpaired(
  { calls, shapes }: Pairs,
  { openapi, graphql }: Record<'openapi' | 'graphql', Contract>,
  overrides: Overrides,
): Difference[] {
  const isOpen = ({ name }: Value) => overrides.of(name).graphql === undefined;
  const operations = openapi.calls.filter((one) => isOpen(one) && !calls.some(({ rest }) => rest === one));
  const fields = graphql.calls.filter((one) => !calls.some(({ field }) => field === one));
  const ofCalls = fields.flatMap((field) => {
    const actions = actionsOf(field);
    const alike = operations.filter((one) => actionsOf(one).some((action) => actions.includes(action)));
    if (alike.length === 0) return [];
    const names = alike.map(({ name }) => name).join(' and ');
    return {
      id: `unpaired:${field.name}`,
      message: `${field.name} may do what ${names} may (${[...new Set(actions)].join(' and ')}), and by its name it is held against nothing`,
      advice: `Say \`x-bridge: { graphql: ${field.name} }\` at the operation that it is, and \`graphql: none\` at the others.`,
      places: [...alike, field].map(({ where }) => where),
    };
  });
  const paired = shapes.filter(({ sides }) => sides.openapi && sides.graphql).map(({ sides }) => sides);
  const ofTypes = calls.flatMap(({ rest, field }) => {
    const one = openapi.shapes.find(({ name }) => name === rest.result);
    const other = graphql.shapes.find(({ name }) => name === field.result);
    if (!one || !other || !isOpen(one)) return [];
    if (paired.some((sides) => sides.openapi === one || sides.graphql === other)) return [];
    return {
      id: `unpaired:${one.name}~${other.name}`,
      message: `${rest.name} answers with ${one.name} and ${field.name} with ${other.name}, which are held against nothing`,
      advice: `Say \`x-bridge: { graphql: ${other.name} }\` at the schema, or \`graphql: none\`.`,
      places: [one.where, other.where],
    };
  });
  return [...ofCalls, ...ofTypes];
}

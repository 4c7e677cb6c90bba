import type { Contracts as Sources } from '../model/contracts.js';
import { isOfPart } from '../model/part-documents.js';
import {
  compareColumns,
  compareEnumValues,
  compareInputs,
  compareLists,
  compareMembers,
  type Write,
  writesOf,
} from './compare-members.js';
import {
  type Acceptance,
  CODE_ROW,
  type ComparedOperation,
  codesIn,
  type Difference,
  type Documents,
  difference,
  type ErrorList,
  type Named,
  type Overrides,
  type Pairs,
  pairUp,
  readOverrides,
  type Side,
} from './contract.js';
import { readOpenApi } from './read-openapi.js';
import { readGraphql, readPrisma } from './read-schemas.js';

export interface BridgeReport {
  pairs: Pairs;
  writes: Write[];
  errorLists: ErrorList[];
  unpaired: Record<'openapi' | 'graphql', string[]>;
  /** Unexplained differences, acceptances without a difference, and overrides with unknown names. */
  differences: Difference[];
  accepted: (Acceptance & { message: string })[];
}

/** Merges differences with the same id, which several operations share, with all their places. */
function mergeById(all: readonly Difference[]): Difference[] {
  const byId = new Map<string, Difference>();
  for (const row of all) {
    const places = [...(byId.get(row.id)?.places ?? []), ...row.places];
    const keys = places.map(({ file, line, column }) => `${file}:${line}:${column}`);
    byId.set(row.id, { ...row, places: places.filter((_, index) => keys.indexOf(keys[index] ?? '') === index) });
  }
  return [...byId.values()];
}

/** Returns the operations, enums and types with an id that have no counterpart. */
function unpairedNames(contracts: Documents, { types, enumerations, operations }: Pairs, side: Side): string[] {
  const contract = contracts[side];
  const paired = [
    ...[...types, ...enumerations].map(({ sides }) => sides[side]?.name),
    ...operations.map(({ rest, field }) => (side === 'openapi' ? rest : field).name),
  ];
  const withId = contract.types.filter(({ members }) => members.some(({ key }) => key === 'id'));
  const all = [...withId, ...contract.enumerations, ...contract.operations].map(({ name }) => name);
  return all.filter((name) => !paired.includes(name));
}

/** Compares the three documents of a project, which code generation accepts. */
export function bridge({ openapi, schema, prisma }: Sources): BridgeReport {
  const contracts = { openapi: readOpenApi(openapi), graphql: readGraphql(schema), prisma: readPrisma(prisma) };
  const overrides = readOverrides(openapi, contracts);
  const pairs = pairUp(contracts, overrides);
  const writes = writesOf(pairs, contracts);
  const errorLists = [...contracts.openapi.errorLists, ...contracts.graphql.errorLists];
  const found = mergeById([
    ...compareUnpaired(pairs, contracts, overrides),
    ...compareMembers(pairs, contracts),
    ...compareEnumerations(pairs),
    ...compareInputs(pairs, contracts),
    ...compareColumns(writes),
    ...comparePermissions(pairs),
    ...compareCodes(errorLists, [...contracts.openapi.operations, ...contracts.graphql.operations]),
    ...compareErrors(pairs, schema.text),
  ]);
  const faults = overrides.faults.map(({ message, ...at }, index) =>
    difference(`x-bridge:${index + 1}`, message, 'Correct or remove the override.', [at]),
  );
  const accepted = new Map<string, Acceptance & { message: string }>();
  const stale: Difference[] = [];
  for (const acceptance of overrides.accepted) {
    const { difference: id } = acceptance;
    const match = found.find((difference) => difference.id === id);
    if (match && !accepted.has(id)) accepted.set(id, { ...acceptance, message: match.message });
    // The document of a part accepts differences for every contract.
    else if (!isOfPart(acceptance.location.file)) {
      const message = `x-bridge accepts ${id}, which is no difference, or is accepted already`;
      stale.push(difference(`stale:${id}`, message, 'Remove the acceptance.', [acceptance]));
    }
  }
  return {
    pairs,
    writes,
    errorLists,
    unpaired: {
      openapi: unpairedNames(contracts, pairs, 'openapi'),
      graphql: unpairedNames(contracts, pairs, 'graphql'),
    },
    differences: [...faults, ...found.filter(({ id }) => !accepted.has(id)), ...stale],
    accepted: [...accepted.values()],
  };
}

const compareEnumerations = ({ enumerations }: Pairs): Difference[] =>
  enumerations.flatMap(({ name, sides }) => compareEnumValues(name, Object.values(sides)));

function compareCodes(lists: readonly ErrorList[], operations: readonly ComparedOperation[]): Difference[] {
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
    errors.flatMap((error) => {
      if (first === undefined || all.some((code) => code.name === error.name)) return [];
      const message = `${name} can give ${error.name}, which is missing in ${first.name}`;
      const advice = 'Add it to the lists of both contracts, or name another code.';
      return difference(`code:${error.name}@${name}`, message, advice, [error, first]);
    }),
  );
  return [...missing, ...ambiguous, ...unknown];
}

/** Returns the codes that fields need not name: "Common errors", and rows with "REST only" or "the HTTP status is 429 too". */
function commonCodes(sdl: string): Set<string> {
  const paragraph = sdl.split(/\n\s*\n/).find((paragraph) => /^\W*Common errors\b/.test(paragraph.trim()));
  const rows = sdl.split('\n').flatMap((line) => {
    const [, code = '', , when = ''] = CODE_ROW.exec(line) ?? [];
    return /REST only|the HTTP status is \d{3} too/.test(when) ? [code] : [];
  });
  return new Set([...codesIn(paragraph ?? ''), ...rows]);
}

function compareErrors({ operations }: Pairs, sdl: string): Difference[] {
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
const comparePermissions = ({ operations }: Pairs): Difference[] =>
  operations.flatMap(({ rest, field }) => {
    const lists = [rest, field].map(({ name, location, permissions }) => ({
      name,
      location: permissions[0]?.location ?? location,
      values: permissions.map((permission) => ({ name: permission.permission.action, owner: name, ...permission })),
    }));
    return compareLists(lists, ({ name: action, owner, permission: { when } }, { name }) => [
      `permission:${rest.name}~${field.name}:${action}`,
      `${owner} requires ${action}${when === undefined ? '' : ` (when ${when})`}, and ${name} does not`,
      'Require the same actions in both.',
    ]);
  });

const actionsOf = ({ permissions }: ComparedOperation) => permissions.map(({ permission }) => permission.action);

/**
 * Reports a root field without a counterpart that has the permission of an operation without one, and response types of paired
 * operations that are no pair: one of the names was changed. An `x-bridge` with `graphql` decides.
 */
function compareUnpaired(
  { operations, types }: Pairs,
  { openapi, graphql }: Documents,
  overrides: Overrides,
): Difference[] {
  const isUndecided = ({ name }: Named) => overrides.of(name).graphql === undefined;
  const compared = new Set(operations.map(({ rest }) => rest));
  const unpaired = openapi.operations.filter((operation) => isUndecided(operation) && !compared.has(operation));
  const fields = graphql.operations.filter((operation) => !operations.some(({ field }) => field === operation));
  const ofOperations = fields.flatMap((field) => {
    const actions = actionsOf(field);
    const similar = unpaired.filter((operation) => actionsOf(operation).some((action) => actions.includes(action)));
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
    const type = openapi.types.find(({ name }) => name === rest.result);
    const other = graphql.types.find(({ name }) => name === field.result);
    if (!type || !other || !isUndecided(type)) return [];
    if (paired.some((sides) => sides.openapi === type || sides.graphql === other)) return [];
    return difference(
      `unpaired:${type.name}~${other.name}`,
      `${rest.name} returns ${type.name} and ${field.name} returns ${other.name}, which are no counterparts by their names`,
      `Add \`x-bridge: { graphql: ${other.name} }\` to the schema, or \`graphql: none\`.`,
      [type, other],
    );
  });
  return [...ofOperations, ...ofTypes];
}

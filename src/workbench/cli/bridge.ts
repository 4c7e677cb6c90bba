import { EXIT, paint, printJson, type Subcommand, table } from '@accord-api/platform/cli/output';
import { type BridgeReport, bridge } from '../bridge/bridge.js';
import { type Difference, type Location, type Named, SIDE_FILES, SIDES, type Side } from '../bridge/contract.js';
import { check } from '../model/check.js';
import { type Contracts, readContracts } from '../model/contracts.js';
import { frameOf, pluralize, printPlace, rejectProblems } from '../model/problems.js';

/** A missing type alone causes a difference in each of its members. */
const MAX_DIFFERENCES = 20;

const HOW_TO_ACCEPT = `To accept an intended difference, add its id to its schema or operation in openapi.yaml, or to the root:
  x-bridge:
    accept:
      - { difference: <id>, reason: <why it is intended> }`;

function printDifference({ id, message, advice, places }: Difference, contracts: Contracts): string {
  const { openapi, schema, prisma } = contracts;
  const head = `${paint('red', 'error')}  ${paint('bold', message)}  ${paint('dim', `(${id})`)}`;
  const frames = places.map((place) => {
    const source = openapi.texts.get(place.file) ?? schema.texts.get(place.file) ?? prisma.text;
    return `  ${printPlace(place)}  ${paint('dim', place.text)}\n${frameOf(source, place)}`;
  });
  return [head, ...frames, `  → ${advice}`].join('\n');
}

/** Prints each difference with all its places and the advice; without a difference, the number of comparisons. */
function printReport(report: BridgeReport, contracts: Contracts): string {
  const { differences, accepted, pairs } = report;
  if (differences.length === 0) {
    const nouns = { types: 'type', enumerations: 'enum', operations: 'operation' } as const;
    const compared = (['types', 'enumerations', 'operations'] as const).map((kind) =>
      pluralize(pairs[kind].length, nouns[kind]),
    );
    const result =
      accepted.length === 0 ? 'no difference' : `${pluralize(accepted.length, 'difference')}, accepted with a reason`;
    return `${paint('green', '✓')} Compared ${compared.join(', ')} with their counterparts: ${result}.`;
  }
  const shown = differences.slice(0, MAX_DIFFERENCES).map((found) => `${printDifference(found, contracts)}\n`);
  const more = differences.length > MAX_DIFFERENCES ? `, ${MAX_DIFFERENCES} shown` : '';
  const isAcceptable = differences.some(({ id }) => !/^(stale|x-bridge):/.test(id));
  return [
    ...shown,
    `${pluralize(differences.length, 'unexplained difference')}${more}`,
    ...(isAcceptable ? [`\n${HOW_TO_ACCEPT}`] : []),
  ].join('\n');
}

const COLUMNS = ['kind', ...SIDES.map((side) => SIDE_FILES[side])];

function pairRows({ pairs, writes, errorLists }: BridgeReport): Record<string, string>[] {
  const row = (kind: string, sides: Partial<Record<Side, Pick<Named, 'name'> | undefined>>) => {
    const names = Object.entries(sides).map(([side, element]) => [SIDE_FILES[side as Side], element?.name ?? '']);
    return { kind, ...Object.fromEntries(names) };
  };
  const counts = (side: Side) => {
    const lists = errorLists.filter(({ location }) => location.side === side);
    return { name: lists.map(({ values }) => new Set(values.map(({ name }) => name)).size).join(' and ') };
  };
  return [
    ...pairs.types.map(({ sides }) => row('type', sides)),
    ...pairs.enumerations.map(({ sides }) => row('enum', sides)),
    ...pairs.operations.map(({ rest, field }) => row('operation', { openapi: rest, graphql: field })),
    ...writes.map(({ operation, pair }) =>
      row('stored', { [operation.location.side]: operation, prisma: pair.sides.prisma }),
    ),
    ...(errorLists.length === 0
      ? []
      : [row('error codes', { openapi: counts('openapi'), graphql: counts('graphql') })]),
  ];
}

const printUnpaired = ({ unpaired }: BridgeReport): string =>
  Object.entries(unpaired)
    .map(([side, names]) => `${SIDE_FILES[side as Side]}: ${names.join(', ')}`)
    .join('\n');

const printAccepted = ({ accepted }: BridgeReport): string =>
  accepted
    .map(({ message, reason, location }) => `${printPlace(location)}  ${message}\n  ${paint('dim', reason)}`)
    .join('\n');

const placeJson = ({ file, line, column, text }: Location) => ({ file, line, column, says: text });

export const reportJson = (report: BridgeReport) => ({
  pairs: pairRows(report),
  differences: report.differences.map((difference) => ({ ...difference, places: difference.places.map(placeJson) })),
  accepted: report.accepted.map(({ location, ...entry }) => ({ ...entry, ...placeJson(location) })),
});

const DESCRIPTION = `
Compares openapi.yaml, schema.graphql and prisma/schema.prisma: types and their members, nullability, enums, ids, error codes,
permissions, limits. Counterparts have related names: User and User, createUser and Mutation.createUser, listUsers and Query.users,
user_id and userId. x-bridge in openapi.yaml names other counterparts, and accepts intended differences with a reason. Exits 1 on a
difference without a reason, and on a reason without a difference.`;

interface Options {
  root: string;
  json: boolean;
  list: boolean;
}

const bridgeCommand: Subcommand = (command) => {
  command
    .description(DESCRIPTION.trim().replaceAll('\n', ' '))
    .option('--list', 'list the counterparts and the accepted differences', false)
    .option('--json', 'print JSON for programs', false)
    .action(async () => {
      const { root, json, list } = command.optsWithGlobals<Options>();
      const contracts = await readContracts(root, ['openapi', 'schema', 'prisma']);
      rejectProblems(await check(contracts));
      const report = bridge(contracts);
      if (report.differences.length > 0) process.exitCode = EXIT.found;
      if (json) return printJson(reportJson(report));
      const listed = [
        table(pairRows(report), COLUMNS),
        `${paint('bold', 'Without a counterpart')}\n${printUnpaired(report)}`,
        `${paint('bold', 'Accepted')}\n${printAccepted(report)}`,
      ];
      console.log([...(list ? listed : []), printReport(report, contracts)].join('\n\n'));
    });
};

export default bridgeCommand;

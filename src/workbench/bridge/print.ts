import type { Contracts } from '../model/contracts.js';
import { frameOf } from '../model/problems.js';
import type { Report } from './bridge.js';
import type { Pairs } from './pairs.js';
import { type Difference, FILES, SIDES, type Side, type Where } from './sides.js';

/** Text in a style, or as it is. */
type Paint = (style: 'red' | 'dim' | 'bold' | 'green', text: string) => string;

/** Printed at once: a missing type breaks all that leads to it. */
const SHOWN = 20;

const textOf = (file: string, { openapi, schema, prisma }: Contracts) =>
  openapi.texts.get(file) ?? schema.texts.get(file) ?? prisma.text;

const placeOf = ({ file, line, column }: Where) => `${file}:${line}:${column}`;

function printPlace(where: Where, contracts: Contracts, paint: Paint): string {
  return `  ${placeOf(where)}  ${paint('dim', where.says)}\n${frameOf(textOf(where.file, contracts), where)}`;
}

function printDifference({ id, message, advice, places }: Difference, contracts: Contracts, paint: Paint): string {
  const head = `${paint('red', 'error')}  ${paint('bold', message)}  ${paint('dim', `(${id})`)}`;
  return [head, ...places.map((where) => printPlace(where, contracts, paint)), `  → ${advice}`].join('\n');
}

const counted = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;

const HOW_TO_ACCEPT = `What is meant to differ is accepted beside its schema or operation in openapi.yaml, or at the root for what that does
not hold, under the id in brackets:
  x-bridge:
    accept:
      - { difference: <id>, reason: <why it is meant> }`;

/** How many members, enums and so on were held against each other, in a sentence. */
function summary({ pairs: { shapes, enumerations, calls }, accepted }: Report): string {
  const pairs = [
    counted(shapes.length, 'type'),
    counted(enumerations.length, 'enum'),
    counted(calls.length, 'operation'),
  ];
  const differing =
    accepted.length === 0 ? 'no difference' : `${counted(accepted.length, 'difference')}, accepted with a reason`;
  return `${pairs.join(', ')} held against their counterparts: ${differing}.`;
}

/** The report for a person: each difference with all its places and what to do; or, without any, what was compared. */
export function printReport(report: Report, contracts: Contracts, paint: Paint): string {
  const { differences } = report;
  if (differences.length === 0) return `${paint('green', '✓')} ${summary(report)}`;
  const shown = differences.slice(0, SHOWN).map((one) => `${printDifference(one, contracts, paint)}\n`);
  const more = differences.length > SHOWN ? `, ${SHOWN} shown` : '';
  const acceptable = differences.some(({ id }) => !/^(stale|x-bridge):/.test(id));
  return [
    ...shown,
    `${counted(differences.length, 'unexplained difference')}${more}`,
    ...(acceptable ? [`\n${HOW_TO_ACCEPT}`] : []),
  ].join('\n');
}

/** The columns of what is held against what. */
export const COLUMNS = ['kind', ...SIDES.map((side) => FILES[side])];

/** Returns a row for each pair: the kind, and the name in each document. */
export function pairRows({ pairs, stored, catalogues }: Report): Record<string, string>[] {
  const row = (kind: string, names: Partial<Record<Side, string>>) => {
    return { kind, ...Object.fromEntries(Object.entries(names).map(([side, name]) => [FILES[side as Side], name])) };
  };
  const typed = (kind: string, all: Pairs['shapes'] | Pairs['enumerations']) =>
    all.map(({ sides }) =>
      row(kind, Object.fromEntries(Object.entries(sides).map(([side, { name }]) => [side, name]))),
    );
  const counts = (side: Side) =>
    catalogues
      .filter(({ where }) => where.side === side)
      .map(({ values }) => new Set(values.map(({ name }) => name)).size)
      .join(' and ');
  return [
    ...typed('type', pairs.shapes),
    ...typed('enum', pairs.enumerations),
    ...pairs.calls.map(({ rest, field }) => row('operation', { openapi: rest.name, graphql: field.name })),
    ...stored.map(({ call, pair }) =>
      row('stored', { [call.where.side]: call.name, prisma: pair.sides.prisma?.name ?? '' }),
    ),
    ...(catalogues.length === 0
      ? []
      : [row('error codes', { openapi: counts('openapi'), graphql: counts('graphql') })]),
  ];
}

/** What is held against nothing, by document. */
export const printAlone = ({ alone }: Report): string =>
  Object.entries(alone)
    .map(([side, names]) => `${FILES[side as Side]}: ${names.join(', ')}`)
    .join('\n');

/** The accepted differences: each with its place and its reason. */
export const printAccepted = ({ accepted }: Report, paint: Paint): string =>
  accepted.map(({ message, reason, where }) => `${placeOf(where)}  ${message}\n  ${paint('dim', reason)}`).join('\n');

const placed = ({ file, line, column, says }: Where) => ({ file, line, column, says });

/** The report for programs. */
export const reportJson = (report: Report) => ({
  pairs: pairRows(report),
  differences: report.differences.map((one) => ({ ...one, places: one.places.map(placed) })),
  accepted: report.accepted.map(({ where, ...one }) => ({ ...one, ...placed(where) })),
});

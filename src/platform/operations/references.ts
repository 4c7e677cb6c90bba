/** Explains a foreign key that names no row. @module */

import { Failure, type Issue, issuesOf, pointerTo } from '../calls/errors.js';
import type { PrismaClient } from '../database/client.js';
import { faultOf } from '../database/faults.js';
import { isObject } from './call-arguments.js';
import type { CallLog } from './call-transaction.js';
import { type DeclaredModels, delegateOf, type ForeignKey, type ModelData } from './model-data.js';
import { isStorable } from './read-scope.js';
import { foreignKeyColumns } from './row-locks.js';

type Row = Readonly<Record<string, unknown>>;

/** The content of a request, and its parameters by name. */
export interface Sent {
  readonly content: unknown;
  readonly parameters: object;
}

/** Returns true for a number or a UUID in a foreign key that no row can have. */
export const hasImpossibleKey = ({ stored: { fields }, foreignKeys }: ModelData, row: Row, of = foreignKeys): boolean =>
  of.some(({ members }) => members.some((member) => !isStorable(fields[member], row[member])));

/**
 * Returns CONFLICT if the call has read the row, which was deleted since. Returns VALIDATION_FAILED for a key in the
 * request. Returns the cause for a key that the handler made up.
 * @param client is outside of the transaction, which has failed
 */
export async function missingReference(
  client: PrismaClient,
  models: DeclaredModels,
  { reference, read = [] }: CallLog,
  sent: Sent,
  cause: unknown,
): Promise<unknown> {
  const conflict = (noun: string) => new Failure('CONFLICT', `This ${noun} was changed at the same time.`, { cause });
  const key = reference && (await failedKey(client, reference, cause));
  if (!key) return conflict('row');
  const { data, written } = reference;
  const to = models.byName(key.model);
  const noun = to?.model.noun ?? key.model.toLowerCase();
  const keyOf = (row: Row): Row => Object.fromEntries(key.members.map((one, i) => [key.references[i], row[one]]));
  const holds = (one: unknown, wanted: Row) =>
    isObject(one) && Object.entries(wanted).every(([member, value]) => one[member] === value);
  const rows = written.filter((row) => key.members.every((member) => row[member] != null));
  const where = { OR: rows.filter((row) => !hasImpossibleKey(data, row, [key])).map(keyOf) };
  const found = to && rows.length > 1 ? ((await delegateOf(client, to).findMany({ where })) as Row[]) : [];
  const missing = rows.map(keyOf).filter((one) => !found.some((row) => holds(row, one)));
  const isRead = (one: Row) =>
    read.some(({ data, where, rows }) => data === to && [where, rows].flat().some((seen) => holds(seen, one)));
  if (missing.some(isRead)) return conflict(noun);
  const places = placesIn(sent);
  const { issues, omitted } = issuesOf(
    missing.flatMap((one) => issuesFor(key, Object.values(one), places)),
    (place) => ({ detail: `names no ${noun}`, ...place }),
  );
  const [first] = issues;
  if (!first) return cause;
  const name = first.parameter ?? first.pointer?.replace(/^.*\/(?=\D)/, '');
  return new Failure('VALIDATION_FAILED', `\`${name}\` names no ${noun}.`, { issues, omitted, cause });
}

type Reference = NonNullable<CallLog['reference']>;

async function failedKey(client: PrismaClient, { data, written }: Reference, cause: unknown) {
  const { foreignKeys, stored } = data;
  const impossible = foreignKeys.find((key) => written.some((row) => hasImpossibleKey(data, row, [key])));
  if (impossible) return impossible;
  const fault = faultOf(cause);
  const columns = await foreignKeyColumns(client, data, fault.kind === 'reference' ? fault.constraint : '');
  const wanted = columns.sort().join();
  return foreignKeys.find(
    ({ members }) =>
      wanted ===
      members
        .map((one) => stored.fields[one]?.column)
        .sort()
        .join(),
  );
}

type Place = Omit<Issue, 'detail'>;

/** Returns the scalar values of a request with their places. An item has the name of its list. */
function placesIn({ content, parameters }: Sent) {
  const places: { place: Place; name: string; value: unknown }[] = [];
  const look = (value: unknown, name: string, pointer: string): void => {
    if (!isObject(value)) places.push({ place: { pointer }, name, value });
    else
      for (const [key, member] of Object.entries(value))
        look(member, Array.isArray(value) ? name : key, pointer + pointerTo(key));
  };
  for (const [name, value] of Object.entries(parameters)) places.push({ place: { parameter: name }, name, value });
  look(content, '', '');
  return places;
}

const plain = (name: string): string => name.replaceAll(/[^a-z\d]/gi, '').toLowerCase();

/** Returns where the request names a row: by the value, or else by the name of the member or the relation. */
const issuesFor = ({ name, members }: ForeignKey, values: unknown[], places: ReturnType<typeof placesIn>): Place[] =>
  members.flatMap((member, i) => {
    const names = [plain(member), plain(name)];
    const rank = (place: (typeof places)[number]) =>
      (String(place.value) === String(values[i]) ? 2 : 0) + (names.includes(plain(place.name)) ? 1 : 0);
    const [best] = places.filter((one) => rank(one) > 0).sort((one, other) => rank(other) - rank(one));
    return best ? [best.place] : [];
  });

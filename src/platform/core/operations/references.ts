/** Explains a foreign key that names no row. @module */

import { delegateName, type PrismaClient } from '../../database/client.js';
import { faultOf } from '../../database/faults.js';
import { Failure, type Issue, issuesOf, pointerTo } from '../calls/errors.js';
import { isObject, isPlain } from '../contract/document.js';
import type { CallLog, ClientAccess } from './call-transaction.js';
import { type DeclaredModels, delegateOf, type ForeignKey, type ModelData } from './model-data.js';
import { isStorable } from './read-scope.js';

type Row = Readonly<Record<string, unknown>>;

/** The content of a request, and its parameters by name. */
export interface SentValues {
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
  sent: SentValues,
  cause: unknown,
): Promise<unknown> {
  const keys = reference?.data.foreignKeys ?? [];
  const missing = (await Promise.all(keys.map((key) => missingKeys(client, reference as Reference, key)))).flat();
  const nounOf = ({ model }: ForeignKey) => models.byName(model)?.model.noun ?? model.toLowerCase();
  const vanished = missing.find(({ key, values }) => {
    const holds = (row: unknown) => isObject(row) && key.references.every((name, i) => row[name] === values[i]);
    return read.some(({ model, found }) => model === key.model && found.some(holds));
  });
  if (vanished || missing.length === 0) {
    const noun = vanished ? nounOf(vanished.key) : 'row';
    return new Failure('CONFLICT', `This ${noun} was changed at the same time.`, { cause });
  }
  const places = placesIn(sent);
  const found = missing.flatMap((missingKey) => {
    const noun = nounOf(missingKey.key);
    return placesOf(missingKey, noun, places).map((place) => ({ detail: `names no ${noun}`, ...place }));
  });
  const { issues, omitted } = issuesOf(found, (issue) => issue);
  const [first] = issues;
  if (!first) return cause;
  const name = first.parameter ?? first.pointer?.replace(/^.*\/(?=\D)/, '');
  return new Failure('VALIDATION_FAILED', `\`${name}\` ${first.detail}.`, { issues, omitted, cause });
}

/** Returns CONFLICT for a violated unique index, and for rows that others refer to. Notes the keys of other references. */
export function writeError(
  { data, access, log }: { readonly data: ModelData; readonly access: ClientAccess; readonly log: CallLog },
  written: readonly Row[],
  error: unknown,
): unknown {
  const fault = faultOf(error);
  if (fault.kind === 'unique') {
    const message = data.hooks.conflict?.(fault.constraint);
    const other = `Another ${data.model.noun} already has a value that must be unique.`;
    return new Failure('CONFLICT', message ?? other, { cause: error });
  }
  if (fault.kind !== 'reference' || access.action === undefined) return error;
  const hasKey = (row: Row) => data.foreignKeys.some(({ members }) => members.some((member) => row[member] != null));
  if (!written.some(hasKey))
    return new Failure('CONFLICT', `Other rows refer to this ${data.model.noun}.`, { cause: error });
  log.reference ??= { data, written };
  return error;
}

type Reference = NonNullable<CallLog['reference']>;

interface MissingKey {
  readonly key: ForeignKey;
  readonly values: readonly unknown[];
}

/** Returns the distinct values of a foreign key that name no row. */
async function missingKeys(client: PrismaClient, { data, written }: Reference, key: ForeignKey): Promise<MissingKey[]> {
  const { members, references, model } = key;
  const textOf = (row: Row, names: readonly string[]) =>
    names
      .map((name, i) => (data.stored.fields[members[i] as string]?.isUuid ? plain(row[name]) : row[name]))
      .join('\0');
  const rows = written.filter((row) => members.every((member) => row[member] != null && !isPlain(row[member])));
  const distinct = new Map(rows.map((row) => [textOf(row, members), row]));
  const possible = [...distinct.values()].filter((row) => !hasImpossibleKey(data, row, [key]));
  const where = { OR: possible.map((row) => Object.fromEntries(members.map((name, i) => [references[i], row[name]]))) };
  const select = Object.fromEntries(references.map((reference) => [reference, true]));
  const found = (await delegateOf(client, { delegate: delegateName(model) }).findMany({ where, select })) as Row[];
  for (const row of found) distinct.delete(textOf(row, references));
  return [...distinct.values()].map((row) => ({ key, values: members.map((member) => row[member]) }));
}

type Place = Omit<Issue, 'detail'>;

/** Returns the places of a request by their scalar values. */
function placesIn({ content, parameters }: SentValues): Map<string, Place[]> {
  const places = new Map<string, Place[]>();
  const add = (value: unknown, place: Place) => places.get(`${value}`)?.push(place) ?? places.set(`${value}`, [place]);
  const look = (value: unknown, pointer: string): void => {
    if (!isObject(value)) add(value, { pointer });
    else for (const [key, member] of Object.entries(value)) look(member, pointer + pointerTo(key));
  };
  for (const [parameter, value] of Object.entries(parameters)) add(value, { parameter });
  look(content, '');
  return places;
}

const plain = (name: unknown): string => `${name}`.replaceAll(/[^\p{L}\d]/gu, '').toLowerCase();

/** Returns the places of a value whose name begins like the relation, its members, or a row: `/folders/1/id`. */
function placesOf({ key, values }: MissingKey, noun: string, places: ReturnType<typeof placesIn>): Place[] {
  const starts = [key.name, ...key.members, noun].map(plain);
  const isNamed = ({ parameter, pointer }: Place) => {
    const path = `${parameter ?? pointer}`.split('/').filter((segment) => /\D/.test(segment));
    const names = path.slice(key.references.includes(path.at(-1) ?? '') ? -2 : -1).map(plain);
    return starts.some((start) => names.some((name) => name.startsWith(start)));
  };
  return [...new Set(values.map(String))].flatMap((value) => places.get(value)?.filter(isNamed) ?? []);
}

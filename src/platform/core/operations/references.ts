/** Explains a foreign key that names no row. @module */

import type { PrismaClient } from '../../database/client.js';
import { delegateName } from '../../database/client.js';
import { Failure, type Issue, issuesOf, pointerTo } from '../calls/errors.js';
import { isPlain } from '../contract/document.js';
import { isObject } from './call-arguments.js';
import type { CallLog } from './call-transaction.js';
import { type DeclaredModels, delegateOf, type ForeignKey, type ModelData } from './model-data.js';
import { isStorable } from './read-scope.js';

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
  const keys = reference?.data.foreignKeys ?? [];
  const missing = (await Promise.all(keys.map((key) => missingKeys(client, reference as Reference, key)))).flat();
  const nounOf = ({ model }: ForeignKey) => models.byName(model)?.model.noun ?? model.toLowerCase();
  const vanished = missing.find(({ key, values }) => {
    const holds = (row: unknown) => isObject(row) && key.references.every((one, i) => row[one] === values[i]);
    return read.some(({ model, found }) => model === key.model && found.some(holds));
  });
  if (vanished || missing.length === 0) {
    const noun = vanished ? nounOf(vanished.key) : 'row';
    return new Failure('CONFLICT', `This ${noun} was changed at the same time.`, { cause });
  }
  const places = placesIn(sent);
  const found = missing.flatMap((one) => {
    const noun = nounOf(one.key);
    return placesOf(one, noun, places).map((place) => ({ detail: `names no ${noun}`, ...place }));
  });
  const { issues, omitted } = issuesOf(found, (issue) => issue);
  const [first] = issues;
  if (!first) return cause;
  const name = first.parameter ?? first.pointer?.replace(/^.*\/(?=\D)/, '');
  return new Failure('VALIDATION_FAILED', `\`${name}\` ${first.detail}.`, { issues, omitted, cause });
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
  const rows = written.filter((row) => members.every((one) => row[one] != null && !isPlain(row[one])));
  const distinct = new Map(rows.map((row) => [textOf(row, members), row]));
  const possible = [...distinct.values()].filter((row) => !hasImpossibleKey(data, row, [key]));
  const where = { OR: possible.map((row) => Object.fromEntries(members.map((one, i) => [references[i], row[one]]))) };
  const select = Object.fromEntries(references.map((one) => [one, true]));
  const found = (await delegateOf(client, { delegate: delegateName(model) }).findMany({ where, select })) as Row[];
  for (const row of found) distinct.delete(textOf(row, references));
  return [...distinct.values()].map((row) => ({ key, values: members.map((one) => row[one]) }));
}

type Place = Omit<Issue, 'detail'>;

/** Returns the places of a request by their scalar values. */
function placesIn({ content, parameters }: Sent): Map<string, Place[]> {
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
    const path = `${parameter ?? pointer}`.split('/').filter((one) => /\D/.test(one));
    const names = path.slice(key.references.includes(path.at(-1) ?? '') ? -2 : -1).map(plain);
    return starts.some((start) => names.some((name) => name.startsWith(start)));
  };
  return [...new Set(values.map(String))].flatMap((value) => places.get(value)?.filter(isNamed) ?? []);
}

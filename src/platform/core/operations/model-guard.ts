import { Prisma } from '../../database/client.js';
import { type Actor, forbidden, reachOf } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { notFound, throwNotFoundOrGone } from '../calls/rows.js';
import { andThen, type MaybePromise, unlessFulfilled, waits } from '../calls/schedulers.js';
import { type Args, filtered, isArgs, membersIn, withMember } from './call-arguments.js';
import { type CallLog, type ClientAccess, sendAhead } from './call-transaction.js';
import type { AnyRow, ReadCall, Tx, WriteCall } from './model.js';
import { delegateOf, type ModelData, type ModelStreams, matchesLocally, rowSatisfies } from './model-data.js';
import { clampedCursor, limitedArgs, namesNoRow, type Readable, scopedArgs, scopedWhere } from './read-scope.js';
import { hasImpossibleKey, writeError } from './references.js';
import { createTombstones, lockRow, lockStream } from './row-locks.js';

type Data = Readonly<Record<string, unknown>>;

/** Data of the platform's own services, which may write hidden members. */
const privileged = new WeakSet<object>();
export const withHidden = <T extends object>(data: T): T => {
  privileged.add(data);
  return data;
};

/** The owner of the rows of a model without `owner`. */
const NO_OWNER = { id: null };

/** A model in the guarded client of one operation. */
export interface GuardedModel {
  readonly data: ModelData;
  readonly access: ClientAccess;
  readonly streams: ModelStreams;
  readonly log: CallLog;
  readonly readable: Readable;
}

const denied = ({ data: { model }, access }: GuardedModel): Failure =>
  model.conceal ? notFound(model) : forbidden(access.actor(), access.action ?? model.read);

const misuse = ({ delegate }: ModelData, text: string, call = '') => new TypeError(`db.${delegate}${call}: ${text}`);

/** Returns the filter of the rows that the caller may write; undefined for all rows. */
function writeFilter({ data, access }: GuardedModel): Args | undefined {
  const { call, action } = access;
  if (action === undefined || reachOf(call.policy, action, access.actor()) === 'any') return undefined;
  const owner = data.ownedBy(access.actor()) ?? access.parentFilter?.(data);
  if (owner) return owner as Args;
  throw misuse(data, `model('${data.model.name}') has no \`owner\`, and ${action} reaches \`own\`.`);
}

/** @param members known members of the row @throws Failure FORBIDDEN */
function requireOwner(guarded: GuardedModel, tx: Tx, members: Data, unique: object): MaybePromise<void> {
  const where = writeFilter(guarded);
  return andThen(!where || rowSatisfies(tx, guarded.data, where, members, unique), (isAllowed) => {
    if (!isAllowed) throw denied(guarded);
  });
}

/** @throws Failure FORBIDDEN for a member of `protect` that the caller may not set */
function refuseProtected({ data, access }: GuardedModel, changes: Data, before?: AnyRow): void {
  const { call, action } = access;
  if (action === undefined) return;
  for (const [member, needed] of Object.entries(data.model.protect ?? {})) {
    if (changes[member] === undefined || changes[member] === before?.[member]) continue;
    // The role of the token counts as well: a later role does not extend it.
    for (const actor of [call.actor as Actor, access.actor()]) {
      const reach = reachOf(call.policy, needed, actor);
      const isOwn = () => matchesLocally(data.ownedBy(actor) ?? NO_OWNER, before ?? changes) === true;
      if (reach === 'none' || (reach === 'own' && !isOwn())) throw forbidden(actor, needed);
    }
  }
}

/**
 * Returns the members that are written. `undefined` and `Prisma.skip` write nothing.
 * @param before the row, whose own id changes nothing
 * @throws TypeError for a member that is hidden or that the database makes, and for a nested write, which would
 * bypass the other model's guard
 */
function writtenData({ data, access }: GuardedModel, given: unknown, isNew: boolean, before?: AnyRow): Data {
  if (!isArgs(given) || Array.isArray(given)) throw misuse(data, '`data` must be an object.');
  const isPrivileged = access.action === undefined || privileged.has(given);
  const written: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(given)) {
    const field = Object.hasOwn(data.stored.fields, member) ? data.stored.fields[member] : undefined;
    const isSet = isArgs(value) && Object.keys(value).join() === 'set' && field?.type !== 'Json' && !field?.isList;
    const set = isSet ? value['set'] : value;
    if (set === undefined || set === Prisma.skip) continue;
    if (field?.kind === 'object') throw misuse(data, `write \`${member}\` with a call of its own model.`);
    if (field?.isAutoincrement || (!isNew && data.hasNumericId && member === 'id')) {
      // A handler may have copied the row.
      if (before && set === before[member]) continue;
      throw misuse(data, `the database makes \`${member}\`, so it cannot be written.`);
    }
    if (Object.hasOwn(data.hidden, member) && !isPrivileged)
      throw misuse(data, `\`${member}\` cannot be written here.`);
    written[member] = set;
  }
  return data.hooks.derive?.(written) ?? written;
}

/** Limits a write to the rows of `owner` and to visible members. @throws TypeError for a relation that needs a filter */
function writeArgs({ data, readable }: GuardedModel, operation: WriteCall, args: Args, owner?: object): Args {
  const parents: object[] = [];
  const limited = limitedArgs(data, operation, args, readable, parents);
  if (parents.length > 0) throw misuse(data, 'read the relations of a written row in a separate call.');
  return filtered(limited, owner ? [owner] : []);
}

/** A unique row with a numeric id is locked and checked already. */
const uniqueArgs = (guarded: GuardedModel, operation: WriteCall, args: Args): Args =>
  writeArgs(guarded, operation, args, guarded.data.hasNumericId ? undefined : writeFilter(guarded));

/** Ignores the version in the data, which a handler may have copied from the row. */
const withChanges = ({ data }: GuardedModel, args: Args, changes: Data): Args =>
  withMember(args, 'data', data.hasVersion ? Object.assign({}, changes, { version: { increment: 1 } }) : changes);

function canChangeOwner(guarded: GuardedModel, changes: Data): boolean {
  const members = membersIn(writeFilter(guarded), new Set(guarded.data.foreignKeys.flatMap((key) => key.members)));
  return Object.keys(changes).some((member) => members.has(member));
}

/** Locks the row of a unique `where`. @throws Failure NOT_FOUND, GONE, FORBIDDEN, or an error of Prisma */
async function writableRow(guarded: GuardedModel, tx: Tx, where: Args): Promise<AnyRow> {
  const { data, access, readable } = guarded;
  const target = access.lockedTarget?.();
  const { id } = where;
  const isTarget = target?.model === data.model.name && target.row.id === id;
  if (isTarget && Object.keys(where).length === 1) return target.row;
  if (namesNoRow(data, where)) throw notFound(data.model);
  const unique = { where: scopedWhere(data, where, readable) };
  const found = (await delegateOf(tx, data).findUnique(unique)) as AnyRow | null;
  const exists = found ?? (typeof id === 'number' && (await delegateOf(tx, data).findUnique({ where: { id } })));
  if (typeof id === 'number' && !exists) return throwNotFoundOrGone(tx, data.model, id);
  if (found && data.hasNumericId && !isTarget) await lockRow(tx, data, found.id);
  // Reads the row again under the lock. A row that has just appeared was not checked.
  const row = (await delegateOf(tx, data).findUniqueOrThrow(unique)) as AnyRow;
  if (!found) throw new Failure('CONFLICT', `This ${data.model.noun} was changed at the same time.`);
  await requireOwner(guarded, tx, row, 'id' in row ? { id: row.id } : where);
  return row;
}

/** @param written the rows of the statement @throws Failure CONFLICT, or the error of a key that names no row */
function write(guarded: GuardedModel, tx: Tx, operation: WriteCall, args: Args, written: Data[] = []) {
  const { data } = guarded;
  // Not before `enforce`, which reports the member of a body with its place.
  for (const row of written)
    for (const member in row)
      if (!Object.hasOwn(data.stored.fields, member)) throw misuse(data, `there is no member \`${member}\` to write.`);
  // Prisma would report the value, and not the key.
  if (written.some((row) => hasImpossibleKey(data, row)))
    throw writeError(guarded, written, Object.assign(new Error('A foreign key names no row.'), { code: '23503' }));
  return delegateOf(tx, data)
    [operation](args)
    .then(undefined, (error: unknown) => {
      throw writeError(guarded, written, error);
    });
}

export async function readGuarded(guarded: GuardedModel, operation: ReadCall, args: Args): Promise<unknown> {
  const { data, access, log, readable } = guarded;
  const client = await access.reader();
  const { where } = args;
  // Prisma rejects a value that the column cannot store. `OR: []` matches none.
  const isNone = operation.startsWith('findUnique') && isArgs(where) && namesNoRow(data, where);
  const none = isNone && withMember(clampedCursor(data, where) as Args, 'OR', []);
  const asked = none ? withMember(args, 'where', none) : args;
  const rows = await delegateOf(client, data)[operation](scopedArgs(data, operation, asked, readable));
  if (log.isTransaction && access.action !== undefined && rows && operation.startsWith('find')) {
    const ids = ([rows].flat() as AnyRow[]).map(({ id }) => ({ id }));
    log.read ??= [];
    if (ids.length > 0) log.read.push({ model: data.model.name, found: [where, ...ids] });
  }
  return rows;
}

async function create(guarded: GuardedModel, args: Args): Promise<unknown> {
  const { data, access, streams, log } = guarded;
  const given = writtenData(guarded, args['data'], true);
  refuseProtected(guarded, given);
  const owner = writeFilter(guarded);
  if (owner && matchesLocally(owner, given) === false) throw denied(guarded);
  const enforced = unlessFulfilled(access.call.enforce());
  if (enforced)
    await enforced.catch(async (refusal: unknown) => {
      await data.hooks.beforeCreate?.(await access.reader(), given);
      throw refusal;
    });
  const opened = access.ahead();
  const tx = waits(opened) ? await opened : opened;
  const stream = streams.get(data.model.name);
  const key = stream?.keyOf(given) ?? '';
  if (stream) sendAhead(log, lockStream(tx, stream.lockName(key)));
  const whole = writeArgs(guarded, 'create', withMember(args, 'data', given));
  const { select, omit } = whole;
  const selected = isArgs(select) && data.stored.fields['id'] ? withMember(select, 'id', true) : select;
  const omitted = isArgs(omit) && 'id' in omit ? withMember(omit, 'id', false) : omit;
  const withId = withMember(withMember(whole, 'select', selected), 'omit', omitted);
  const created = (await write(guarded, tx, 'create', withId, [given])) as AnyRow;
  const locked = access.transaction();
  if (waits(locked)) await locked;
  // Again, by the role that the locks have read.
  refuseProtected(guarded, given);
  const owned = requireOwner(guarded, tx, Object.assign({}, given, created), { id: created.id });
  if (owned) await owned;
  if (stream) {
    const added = { id: created.id, key };
    sendAhead(log, stream.announce(tx, added));
    access.onCommit(() => stream.committed(added));
  }
  if (data.hooks.afterCreate) sendAhead(log, data.hooks.afterCreate(tx, access.call, created));
  return created;
}

async function createMany(guarded: GuardedModel, args: Args): Promise<unknown> {
  const { data, access, streams } = guarded;
  if (streams.has(data.model.name) || data.hooks.afterCreate)
    throw misuse(data, 'create the rows one by one, because each of them is announced.', '.createMany');
  const owner = writeFilter(guarded);
  const many = writeArgs(guarded, 'createMany', args);
  const rows = [args['data']].flat().map((row) => writtenData(guarded, row, true));
  for (const row of rows) {
    refuseProtected(guarded, row);
    if (owner && matchesLocally(owner, row) !== true) throw denied(guarded);
  }
  await access.call.enforce();
  return write(guarded, await access.transaction(), 'createMany', withMember(many, 'data', rows), rows);
}

async function update(guarded: GuardedModel, args: Args): Promise<unknown> {
  const { data, access } = guarded;
  const tx = await access.transaction();
  const before = await writableRow(guarded, tx, args['where'] as Args);
  const changes = writtenData(guarded, args['data'], false, before);
  refuseProtected(guarded, changes, before);
  access.checkPrecondition?.();
  await data.hooks.beforeUpdate?.(tx, before, changes);
  await access.call.enforce();
  const selected = uniqueArgs(guarded, 'update', args);
  if (Object.keys(changes).length === 0) {
    const { data: _unchanged, ...unchanged } = selected;
    return delegateOf(tx, data).findUnique(unchanged);
  }
  const after = { ...before, ...changes };
  const answer = await write(guarded, tx, 'update', withChanges(guarded, selected, changes), [after]);
  if (canChangeOwner(guarded, changes)) await requireOwner(guarded, tx, after, { id: before.id });
  await data.hooks.afterUpdate?.(tx, access.call, before, after);
  return answer;
}

async function updateMany(guarded: GuardedModel, args: Args): Promise<unknown> {
  const { data, access } = guarded;
  if (data.hooks.afterUpdate) throw misuse(data, 'update the rows one by one.', '.updateMany');
  const changes = writtenData(guarded, args['data'], false);
  refuseProtected(guarded, changes);
  const owner = writeFilter(guarded);
  if (owner && canChangeOwner(guarded, changes) && matchesLocally(owner, changes) !== true) throw denied(guarded);
  await access.call.enforce();
  const many = withChanges(guarded, writeArgs(guarded, 'updateMany', args, owner), changes);
  return write(guarded, await access.transaction(), 'updateMany', many, [changes]);
}

async function deleteUnique(guarded: GuardedModel, args: Args): Promise<unknown> {
  const { data, access, log } = guarded;
  const tx = await access.transaction();
  const before = await writableRow(guarded, tx, args['where'] as Args);
  await data.hooks.beforeDelete?.(tx, before);
  await access.call.enforce();
  sendAhead(log, createTombstones(tx, data, [before.id]));
  const deleted = await write(guarded, tx, 'delete', uniqueArgs(guarded, 'delete', args));
  await data.hooks.afterDelete?.(tx, access.call, before);
  return deleted;
}

async function deleteMany(guarded: GuardedModel, args: Args): Promise<unknown> {
  const { data, access, log } = guarded;
  if (data.hooks.afterDelete) throw misuse(data, 'delete the rows one by one.', '.deleteMany');
  await access.call.enforce();
  const tx = await access.transaction();
  const many = writeArgs(guarded, 'deleteMany', args, writeFilter(guarded));
  if (!data.hasNumericId) return write(guarded, tx, 'deleteMany', many);
  const { limit, ...where } = many;
  const [take, most] = Object.hasOwn(many, 'limit') ? [{ take: limit }, { limit }] : [];
  const byId = { select: { id: true }, orderBy: { id: 'asc' } };
  const rows = (await delegateOf(tx, data).findMany(Object.assign({}, where, take, byId))) as AnyRow[];
  for (const { id } of rows) await lockRow(tx, data, id);
  const ids = rows.map(({ id }) => id);
  sendAhead(log, createTombstones(tx, data, ids));
  return write(guarded, tx, 'deleteMany', Object.assign({ where: { id: { in: ids } } }, most));
}

type Writes = Record<WriteCall, (guarded: GuardedModel, args: Args) => Promise<unknown>>;

export const WRITES = { create, createMany, update, updateMany, delete: deleteUnique, deleteMany } satisfies Writes;

import { Prisma } from '../../database/client.js';
import { faultOf } from '../../database/faults.js';
import { type Actor, forbidden, reachOf } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { notFound, throwNotFoundOrGone } from '../calls/rows.js';
import { type Args, filtered, isObject, withMember } from './call-arguments.js';
import { type CallLog, type ClientAccess, sendAhead } from './call-transaction.js';
import type { AllowedCall, AnyRow, ReadCall, Tx } from './model.js';
import { delegateOf, type ModelData, type ModelStreams, matchesLocally, rowSatisfies } from './model-data.js';
import { clampedCursor, limitedArgs, namesNoRow, readableRows, scopedArgs, scopedWhere } from './read-scope.js';
import { hasImpossibleKey } from './references.js';
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

/** Returns the members in a `where`, at any depth. */
function membersIn(where: unknown, found = new Set<string>()): Set<string> {
  if (typeof where !== 'object' || where === null) return found;
  for (const [member, value] of Object.entries(where)) membersIn(value, found.add(member));
  return found;
}

/** Enforces access to one model for the calls of one operation. */
export function modelGuard(data: ModelData, access: ClientAccess, streams: ModelStreams, log: CallLog) {
  const { model, hooks } = data;
  const { call, action } = access;
  const { delegate: name } = data;
  const delegateIn = (client: Tx) => delegateOf(client, data);

  const denied = (): Failure => (model.conceal ? notFound(model) : forbidden(access.actor(), action ?? model.read));

  const readable = (of: ModelData): object | undefined =>
    action === undefined ? undefined : readableRows(call, access.actor(), of);

  /** Returns the filter of the rows that the caller may write; undefined for all rows. */
  function writeFilter(): object | undefined {
    if (action === undefined || reachOf(call.policy, action, access.actor()) === 'any') return undefined;
    const owner = data.ownedBy(access.actor()) ?? access.parentFilter?.(data);
    if (owner) return owner;
    throw new TypeError(`db.${name}: model('${model.name}') has no \`owner\`, and ${action} reaches \`own\`.`);
  }

  /** @param members known members of the row @throws Failure FORBIDDEN */
  async function requireOwner(tx: Tx, members: Data, unique: object): Promise<void> {
    const where = writeFilter();
    if (where && !(await rowSatisfies(tx, data, where as Args, members, unique))) throw denied();
  }

  /** @throws Failure FORBIDDEN for a member of `protect` that the caller may not set */
  function refuseProtected(changes: Data, before?: AnyRow): void {
    if (action === undefined) return;
    for (const [member, needed] of Object.entries(model.protect ?? {})) {
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
  function writtenData(given: unknown, isNew: boolean, before?: AnyRow): Data {
    const refuse = (reason: string): never => {
      throw new TypeError(`db.${name}: ${reason}`);
    };
    if (!isObject(given) || Array.isArray(given)) return refuse('`data` must be an object.');
    const isPrivileged = action === undefined || privileged.has(given);
    const written: Record<string, unknown> = {};
    for (const [member, value] of Object.entries(given)) {
      const field = Object.hasOwn(data.stored.fields, member) ? data.stored.fields[member] : undefined;
      const isSet = isObject(value) && Object.keys(value).join() === 'set' && field?.type !== 'Json' && !field?.isList;
      const set = isSet ? value['set'] : value;
      if (set === undefined || set === Prisma.skip) continue;
      if (field?.kind === 'object') refuse(`write \`${member}\` with a call of its own model.`);
      if (field?.isAutoincrement || (!isNew && data.hasNumericId && member === 'id')) {
        // A handler may have copied the row.
        if (before && set === before[member]) continue;
        refuse(`the database makes \`${member}\`, so it cannot be written.`);
      }
      if (Object.hasOwn(data.hidden, member) && !isPrivileged) refuse(`\`${member}\` cannot be written here.`);
      written[member] = set;
    }
    return hooks.derive?.(written) ?? written;
  }

  /** Limits a write to the rows of `owner` and to visible members. @throws TypeError for a relation that needs a filter */
  function writeArgs(operation: AllowedCall, args: Args, owner?: object): Args {
    const parents: object[] = [];
    const limited = limitedArgs(data, operation, args, readable, parents);
    if (parents.length > 0) throw new TypeError(`db.${name}: read the relations of a written row in a separate call.`);
    return filtered(limited, owner ? [owner] : []);
  }

  /** A unique row with a numeric id is locked and checked already. */
  const uniqueArgs = (operation: AllowedCall, args: Args): Args =>
    writeArgs(operation, args, data.hasNumericId ? undefined : writeFilter());

  /** Ignores the version in the data, which a handler may have copied from the row. */
  const nextVersion = (changes: Data): Data =>
    data.hasVersion ? Object.assign({}, changes, { version: { increment: 1 } }) : changes;

  function canChangeOwner(changes: Data): boolean {
    const members = membersIn(writeFilter() ?? {});
    for (const { relation } of Object.values(data.stored.fields))
      for (const one of relation?.fields ?? []) members.add(one);
    return Object.keys(changes).some((member) => members.has(member));
  }

  /** Locks the row of a unique `where`. @throws Failure NOT_FOUND, GONE, FORBIDDEN, or an error of Prisma */
  async function writableRow(tx: Tx, where: Args): Promise<AnyRow> {
    const target = access.lockedTarget?.();
    const { id } = where;
    const isTarget = target?.model === model.name && target.row.id === id;
    if (isTarget && Object.keys(where).length === 1) return target.row;
    if (namesNoRow(data, where)) throw notFound(model);
    const unique = { where: scopedWhere(data, where, readable) };
    const found = (await delegateIn(tx).findUnique(unique)) as AnyRow | null;
    const exists = found ?? (typeof id === 'number' && (await delegateIn(tx).findUnique({ where: { id } })));
    if (typeof id === 'number' && !exists) return throwNotFoundOrGone(tx, model, id);
    if (found && data.hasNumericId && !isTarget) await lockRow(tx, data, found.id);
    // Reads the row again under the lock. A row that has just appeared was not checked.
    const row = (await delegateIn(tx).findUniqueOrThrow(unique)) as AnyRow;
    if (!found) throw new Failure('CONFLICT', `This ${model.noun} was changed at the same time.`);
    await requireOwner(tx, row, 'id' in row ? { id: row.id } : where);
    return row;
  }

  /** @param written the rows of the statement @throws Failure CONFLICT, or the error of a key that names no row */
  async function write<T>(tx: Tx, operation: AllowedCall, args: Args, written: readonly Data[] = []): Promise<T> {
    // Not before `enforce`, which reports the member of a body with its place.
    for (const row of written)
      for (const member in row)
        if (!Object.hasOwn(data.stored.fields, member))
          throw new TypeError(`db.${name}: there is no member \`${member}\` to write.`);
    try {
      // Prisma would report the value, and not the key.
      if (written.some((row) => hasImpossibleKey(data, row)))
        throw Object.assign(new Error('A foreign key names no row.'), { code: '23503' });
      return (await delegateIn(tx)[operation](args)) as T;
    } catch (error) {
      const fault = faultOf(error);
      if (fault.kind === 'unique') {
        const message = hooks.conflict?.(fault.constraint);
        const other = `Another ${model.noun} already has a value that must be unique.`;
        throw new Failure('CONFLICT', message ?? other, { cause: error });
      }
      if (fault.kind !== 'reference' || action === undefined) throw error;
      const hasKey = (row: Data) => data.foreignKeys.some(({ members }) => members.some((one) => row[one] != null));
      if (!written.some(hasKey))
        throw new Failure('CONFLICT', `Other rows refer to this ${model.noun}.`, { cause: error });
      log.reference ??= { data, written };
      throw error;
    }
  }

  return {
    async read(operation: ReadCall, args: Args): Promise<unknown> {
      const client = await access.reader();
      const { where } = args;
      // Prisma rejects a value that the column cannot store. `OR: []` matches none.
      const isNone = operation.startsWith('findUnique') && isObject(where) && namesNoRow(data, where);
      const none = isNone && withMember(clampedCursor(data, where) as Args, 'OR', []);
      const asked = none ? withMember(args, 'where', none) : args;
      const rows = await delegateIn(client)[operation](scopedArgs(data, operation, asked, readable));
      if (log.isTransaction && action !== undefined && rows && operation.startsWith('find')) {
        const ids = ([rows].flat() as AnyRow[]).map(({ id }) => ({ id }));
        log.read ??= [];
        if (ids.length > 0) log.read.push({ model: model.name, found: [where, ...ids] });
      }
      return rows;
    },

    writes: {
      async create(args: Args): Promise<unknown> {
        const given = writtenData(args['data'], true);
        refuseProtected(given);
        const owner = writeFilter();
        if (owner && matchesLocally(owner as Args, given) === false) throw denied();
        await call.enforce().catch(async (refusal: unknown) => {
          await hooks.beforeCreate?.(await access.reader(), given);
          throw refusal;
        });
        const tx = await access.transaction();
        const stream = streams.get(model.name);
        const key = stream?.keyOf(given) ?? '';
        if (stream) sendAhead(log, lockStream(tx, stream.lockName(key)));
        const whole = writeArgs('create', withMember(args, 'data', given));
        const { select, omit } = whole;
        const selected = isObject(select) && data.stored.fields['id'] ? withMember(select, 'id', true) : select;
        const omitted = isObject(omit) && 'id' in omit ? withMember(omit, 'id', false) : omit;
        const withId = withMember(withMember(whole, 'select', selected), 'omit', omitted);
        const created = await write<AnyRow>(tx, 'create', withId, [given]);
        await requireOwner(tx, Object.assign({}, given, created), { id: created.id });
        if (stream) {
          const added = { id: created.id, key };
          sendAhead(log, stream.announce(tx, added));
          access.onCommit(() => stream.committed(added));
        }
        if (hooks.afterCreate) sendAhead(log, hooks.afterCreate(tx, call, created));
        return created;
      },

      async createMany(args: Args): Promise<unknown> {
        if (streams.has(model.name) || hooks.afterCreate)
          throw new TypeError(`db.${name}.createMany: create the rows one by one, because each of them is announced.`);
        const owner = writeFilter();
        const many = writeArgs('createMany', args);
        const rows = [args['data']].flat().map((one) => writtenData(one, true));
        for (const row of rows) {
          refuseProtected(row);
          if (owner && matchesLocally(owner as Args, row) !== true) throw denied();
        }
        await call.enforce();
        return write(await access.transaction(), 'createMany', withMember(many, 'data', rows), rows);
      },

      async update(args: Args): Promise<unknown> {
        const tx = await access.transaction();
        const where = args['where'] as Args;
        const before = await writableRow(tx, where);
        const changes = writtenData(args['data'], false, before);
        refuseProtected(changes, before);
        access.checkPrecondition?.();
        await hooks.beforeUpdate?.(tx, before, changes);
        await call.enforce();
        const selected = uniqueArgs('update', args);
        if (Object.keys(changes).length === 0) {
          const { data: _unchanged, ...unchanged } = selected;
          return delegateIn(tx).findUnique(unchanged);
        }
        const after = { ...before, ...changes };
        const answer = await write(tx, 'update', withMember(selected, 'data', nextVersion(changes)), [after]);
        if (canChangeOwner(changes)) await requireOwner(tx, after, { id: before.id });
        await hooks.afterUpdate?.(tx, call, before, after);
        return answer;
      },

      async updateMany(args: Args): Promise<unknown> {
        if (hooks.afterUpdate) throw new TypeError(`db.${name}.updateMany: update the rows one by one.`);
        const changes = writtenData(args['data'], false);
        refuseProtected(changes);
        const owner = writeFilter();
        if (owner && canChangeOwner(changes) && matchesLocally(owner as Args, changes) !== true) throw denied();
        await call.enforce();
        const many = withMember(writeArgs('updateMany', args, owner), 'data', nextVersion(changes));
        return write(await access.transaction(), 'updateMany', many, [changes]);
      },

      async delete(args: Args): Promise<unknown> {
        const tx = await access.transaction();
        const where = args['where'] as Args;
        const before = await writableRow(tx, where);
        await hooks.beforeDelete?.(tx, before);
        await call.enforce();
        sendAhead(log, createTombstones(tx, data, [before.id]));
        const deleted = await write(tx, 'delete', uniqueArgs('delete', args));
        await hooks.afterDelete?.(tx, call, before);
        return deleted;
      },

      async deleteMany(args: Args): Promise<unknown> {
        if (hooks.afterDelete) throw new TypeError(`db.${name}.deleteMany: delete the rows one by one.`);
        await call.enforce();
        const tx = await access.transaction();
        const many = writeArgs('deleteMany', args, writeFilter());
        if (!data.hasNumericId) return write(tx, 'deleteMany', many);
        const { limit, ...where } = many;
        const [take, most] = Object.hasOwn(many, 'limit') ? [{ take: limit }, { limit }] : [];
        const byId = { select: { id: true }, orderBy: { id: 'asc' } };
        const rows = (await delegateIn(tx).findMany(Object.assign({}, where, take, byId))) as AnyRow[];
        for (const { id } of rows) await lockRow(tx, data, id);
        const ids = rows.map(({ id }) => id);
        sendAhead(log, createTombstones(tx, data, ids));
        return write(tx, 'deleteMany', Object.assign({ where: { id: { in: ids } } }, most));
      },
    },
  };
}

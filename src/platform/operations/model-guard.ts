import { type Actor, forbidden, reachOf } from '../calls/access.js';
import { Failure } from '../calls/errors.js';
import { isStorableId, notFound, throwNotFoundOrGone } from '../calls/rows.js';
import { faultOf } from '../database/faults.js';
import { type CallLog, type ClientAccess, sendAhead } from './call-transaction.js';
import type { AnyRow, ReadCall, Tx } from './model.js';
import { delegateOf, type ModelData, type ModelStreams, matchesLocally, rowSatisfies } from './model-data.js';
import { readableRows, scopedAggregate, scopedArgs, scopedWhere, visibleSelection, withFilters } from './read-scope.js';
import { createTombstones, lockRow, lockStream } from './row-locks.js';

type Args = Readonly<Record<string, unknown>>;
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

  /** @throws TypeError for a hidden member, and for a nested write, which would bypass the other model's guard */
  function writtenData(given: unknown): Data {
    const isPrivileged = action === undefined || privileged.has(given as object);
    const written = Object.fromEntries(
      Object.entries((given ?? {}) as Data).flatMap(([member, value]) => {
        const { type, isList } = data.stored.fields[member] ?? {};
        const isSet =
          type !== 'Json' && !isList && typeof value === 'object' && value !== null && Object.hasOwn(value, 'set');
        const set: unknown = isSet ? (value as { set?: unknown }).set : value;
        return set === undefined ? [] : [[member, set]];
      }),
    );
    for (const member of Object.keys(written)) {
      if (data.stored.fields[member]?.kind === 'object')
        throw new TypeError(`db.${name}: write \`${member}\` with a call of its own model.`);
      if (Object.hasOwn(data.hidden, member) && !isPrivileged)
        throw new TypeError(`db.${name}: \`${member}\` cannot be written here.`);
    }
    return hooks.derive?.(written) ?? written;
  }

  /** Returns the selection of a write. @throws TypeError for a relation that would have to be filtered */
  function writeSelection(args: Args): Args {
    const { select, include, omit } = args;
    const { selection, parents } = visibleSelection(data, { select, include, omit }, readable);
    if (parents.length > 0) throw new TypeError(`db.${name}: read the relations of a written row in a separate call.`);
    return selection;
  }

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
    if (typeof id === 'number' && data.hasNumericId && !isStorableId(id)) return throwNotFoundOrGone(tx, model, id);
    const isTarget = target?.model === model.name && target.row.id === id;
    if (isTarget && Object.keys(where).length === 1) return target.row;
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

  /** A row without a numeric id is not locked, so its owner is checked again. */
  const uniqueWhere = (where: Args): Args => {
    const owner = data.hasNumericId ? undefined : writeFilter();
    return withFilters(scopedWhere(data, where, readable), owner ? [owner] : []).where as Args;
  };

  async function mapConflict<T>(write: Promise<unknown> | undefined): Promise<T> {
    try {
      return (await write) as T;
    } catch (error) {
      const fault = faultOf(error);
      if (fault.kind !== 'unique') throw error;
      throw new Failure(
        'CONFLICT',
        hooks.conflict?.(fault.constraint) ?? `Another ${model.noun} already has a value that must be unique.`,
        {
          cause: error,
        },
      );
    }
  }

  return {
    async read(operation: ReadCall, args: Args): Promise<unknown> {
      const client = await access.reader();
      const { id } = (args['where'] ?? {}) as Args;
      // Prisma rejects an id beyond the range in `findUnique` only.
      if (typeof id === 'number' && data.hasNumericId && !isStorableId(id) && operation.startsWith('findUnique'))
        return this.read(operation.replace('Unique', 'First') as ReadCall, args);
      if (operation !== 'count' && operation !== 'aggregate')
        return delegateIn(client)[operation](scopedArgs(data, args, readable));
      return delegateIn(client)[operation](scopedAggregate(data, args, readable));
    },

    writes: {
      async create(args: Args): Promise<unknown> {
        const given = writtenData(args['data']);
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
        const { select, omit, ...selection } = writeSelection(args) as { select?: object; omit?: object };
        const withId = {
          ...(select && { select: { ...select, ...(data.stored.fields['id'] && { id: true }) } }),
          ...(omit && { omit: { ...omit, ...('id' in omit && { id: false }) } }),
        };
        const created = await mapConflict<AnyRow>(delegateIn(tx).create({ data: given, ...selection, ...withId }));
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
        const rows = [args['data']].flat().map(writtenData);
        for (const row of rows) {
          refuseProtected(row);
          if (owner && matchesLocally(owner as Args, row) !== true) throw denied();
        }
        await call.enforce();
        return mapConflict(delegateIn(await access.transaction()).createMany({ ...args, data: rows }));
      },

      async update(args: Args): Promise<unknown> {
        const tx = await access.transaction();
        const where = args['where'] as Args;
        const before = await writableRow(tx, where);
        const changes = writtenData(args['data']);
        refuseProtected(changes, before);
        access.checkPrecondition?.();
        await hooks.beforeUpdate?.(tx, before, changes);
        await call.enforce();
        if (Object.keys(changes).length === 0) return delegateIn(tx).findUnique({ where, ...writeSelection(args) });
        const after = await mapConflict<AnyRow>(
          delegateIn(tx).update({ where: uniqueWhere(where), data: nextVersion(changes), ...writeSelection(args) }),
        );
        if (canChangeOwner(changes)) await requireOwner(tx, { ...before, ...changes }, { id: before.id });
        await hooks.afterUpdate?.(tx, call, before, { ...before, ...changes });
        return after;
      },

      async updateMany(args: Args): Promise<unknown> {
        if (hooks.afterUpdate) throw new TypeError(`db.${name}.updateMany: update the rows one by one.`);
        const changes = writtenData(args['data']);
        refuseProtected(changes);
        const owner = writeFilter();
        if (owner && canChangeOwner(changes) && matchesLocally(owner as Args, changes) !== true) throw denied();
        await call.enforce();
        const where = withFilters(scopedWhere(data, args['where'], readable), owner ? [owner] : []);
        return mapConflict(delegateIn(await access.transaction()).updateMany({ data: nextVersion(changes), ...where }));
      },

      async delete(args: Args): Promise<unknown> {
        const tx = await access.transaction();
        const where = args['where'] as Args;
        const before = await writableRow(tx, where);
        await hooks.beforeDelete?.(tx, before);
        await call.enforce();
        sendAhead(log, createTombstones(tx, data, [before.id]));
        const deleted = await delegateIn(tx).delete({ where: uniqueWhere(where), ...writeSelection(args) });
        await hooks.afterDelete?.(tx, call, before);
        return deleted;
      },

      async deleteMany(args: Args): Promise<unknown> {
        if (hooks.afterDelete) throw new TypeError(`db.${name}.deleteMany: delete the rows one by one.`);
        await call.enforce();
        const tx = await access.transaction();
        const owner = writeFilter();
        const where = withFilters(scopedWhere(data, args['where'], readable), owner ? [owner] : []);
        if (!data.hasNumericId) return delegateIn(tx).deleteMany(where);
        const rows = (await delegateIn(tx).findMany({
          ...where,
          select: { id: true },
          orderBy: { id: 'asc' },
        })) as AnyRow[];
        for (const { id } of rows) await lockRow(tx, data, id);
        const ids = rows.map(({ id }) => id);
        sendAhead(log, createTombstones(tx, data, ids));
        return delegateIn(tx).deleteMany({ where: { id: { in: ids } } });
      },
    },
  };
}

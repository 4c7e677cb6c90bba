/** Combines each declared model with its part of schema.prisma, once at the start. @module */

import { type DataModel, delegateName, type Field, type StoredModel } from '../../database/client.js';
import type { MaybePromise } from '../calls/schedulers.js';
import { type AllowedCall, type Caller, type Model, type ModelHooks, sourceLineOf, type Tx } from './model.js';

type Where = Readonly<Record<string, unknown>>;

/** An id that no account has. Shows which member of an owner's `where` holds the caller's id. */
const PROBE_ID = -7;

/** A relation whose key this model has. The members and those that they refer to have one order. */
export interface ForeignKey {
  readonly name: string;
  readonly model: string;
  readonly members: readonly string[];
  readonly references: readonly string[];
}

/** A declared model with its hooks and its part of schema.prisma. */
export interface ModelData {
  readonly model: Model;
  readonly hooks: ModelHooks;
  readonly stored: StoredModel;
  readonly delegate: string;
  /** Members that operations neither read nor write. */
  readonly hidden: Readonly<Record<string, true>>;
  /** Prisma's `omit` for the hidden members. */
  readonly visible: { readonly omit?: Readonly<Record<string, true>> };
  readonly hasVersion: boolean;
  /** True if deleted rows leave tombstones. */
  readonly hasNumericId: boolean;
  /** The member with the id of the account that owns the row. */
  readonly account: string | undefined;
  readonly relations: ReadonlyMap<string, { readonly to: ModelData; readonly isList: boolean; readonly field: Field }>;
  readonly foreignKeys: readonly ForeignKey[];
  /** Declared models whose rows PostgreSQL deletes in cascade, with the referring column. */
  readonly cascades: readonly { readonly child: ModelData; readonly column: string }[];
  /** @throws Error for a filter that Prisma would take as "every row" */
  ownedBy(caller: Caller): Where | undefined;
  /** Returns the member that refers to a row of another model. */
  referenceTo(parent: ModelData): string;
}

/** Returns true if a row satisfies a `where` of equalities; undefined if only the database can decide. */
export function matchesLocally(where: Where, row: Where): boolean | undefined {
  let result = true;
  for (const [member, value] of Object.entries(where)) {
    if ((typeof value === 'object' && value !== null) || !(member in row)) return undefined;
    if (row[member] !== value) result = false;
  }
  return result;
}

export interface DeclaredModels {
  (model: { readonly name: string }): ModelData;
  readonly byDelegate: (delegate: string) => ModelData | undefined;
  readonly byName: (name: string) => ModelData | undefined;
  readonly all: readonly ModelData[];
}

/** The addition of a part to a model. */
export interface PartOfModel {
  /** Instead of the application's declaration. */
  readonly model?: Model;
  readonly hidden?: Readonly<Record<string, true>>;
  readonly hooks?: ModelHooks;
}

/** Merges the declared models with schema.prisma. @throws Error that lists each problem, after those that are known */
export function declaredModels(
  declared: readonly Model[],
  dataModel: DataModel,
  parts: Readonly<Record<string, PartOfModel>> = {},
  known: readonly string[] = [],
): DeclaredModels {
  const own = Object.values(parts).flatMap(({ model }) => model ?? []);
  const models = [...own, ...declared.filter(({ name }) => parts[name]?.model === undefined)];
  const byName = new Map<string, ModelData>();
  const problems = [...known];
  for (const model of models) {
    const stored = dataModel.models[model.name];
    if (!stored) {
      problems.push(
        `${sourceLineOf(model)}model('${model.name}'): prisma/schema.prisma has no such model. Run \`npm run build\` after a change of it.`,
      );
    } else if (byName.has(model.name)) {
      problems.push(`${sourceLineOf(model)}model('${model.name}') is declared twice: remove one from \`models\`.`);
    } else {
      byName.set(model.name, modelData(model, stored, parts[model.name] ?? {}));
    }
  }
  for (const data of byName.values()) addRelations(data as MutableModelData);
  if (problems.length > 0) throw new Error(`The models of the application cannot be used:\n  ${problems.join('\n  ')}`);

  const byDelegate = new Map([...byName.values()].map((data) => [data.delegate, data]));
  const find = ({ name }: { readonly name: string }): ModelData => {
    const found = byName.get(name);
    if (!found) throw new Error(`The model ${name} is not among the \`models\` of the application.`);
    return found;
  };
  return Object.assign(find, {
    byDelegate: (delegate: string) => byDelegate.get(delegate),
    byName: (name: string) => byName.get(name),
    all: [...byName.values()],
  });

  /** Adds relations and cascades, and checks the names in the declaration. */
  function addRelations(data: MutableModelData): void {
    const { model, stored } = data;
    for (const [member, field] of Object.entries(stored.fields)) {
      const to = field.relation && byName.get(field.relation.model);
      if (to) data.relations.set(member, { to, isList: field.isList, field });
    }
    for (const child of byName.values())
      for (const { relation } of Object.values(child.stored.fields))
        if (relation?.model === model.name && relation.onDelete === 'Cascade' && relation.fields.length === 1) {
          const column = child.stored.fields[relation.fields[0] as string]?.column as string;
          data.cascades.push({ child, column });
        }
    const refuse = (problem: string) => problems.push(`${sourceLineOf(model)}model('${model.name}'): ${problem}`);
    const requireMember = (member: string, what: string) => {
      if (!(member in stored.fields))
        refuse(`${what} names \`${member}\`, which the model does not have. Correct the name.`);
    };
    for (const member of Object.keys(model.protect ?? {})) requireMember(member, '`protect`');
    if (model.stream?.key !== undefined) requireMember(model.stream.key, '`stream.key`');
    for (const member of Object.keys(model.stream?.include ?? {})) {
      requireMember(member, '`stream.include`');
      if (stored.fields[member]?.isList) refuse(`\`stream.include.${member}\` is a list. Take it out.`);
    }
    const owner = model.owner?.({ id: PROBE_ID, role: '' });
    for (const key of Object.keys(owner ?? {})) if (!['AND', 'OR', 'NOT'].includes(key)) requireMember(key, '`owner`');
    if (model.owner && matchesEveryRow(owner))
      refuse('`owner` gives a filter that Prisma takes as "every row". Compare a member with `caller.id`.');
    if (model.stream && !data.hasNumericId) refuse('a stream needs numbered rows: add `id Int @id`.');
  }
}

type MutableModelData = Omit<ModelData, 'relations' | 'cascades'> & {
  relations: Map<string, { to: ModelData; isList: boolean; field: Field }>;
  cascades: { child: ModelData; column: string }[];
};

function modelData(model: Model, stored: StoredModel, { hidden = {}, hooks = {} }: PartOfModel): ModelData {
  const { id, version } = stored.fields;
  const probe = Object.entries(model.owner?.({ id: PROBE_ID, role: '' }) ?? {});
  const isOwnId = (member: string) => member === 'id' && model.name === 'User';
  const account = probe.find(
    ([member, value]) => value === PROBE_ID && (isOwnId(member) || member in stored.fields),
  )?.[0];
  return {
    model,
    hooks,
    stored,
    hidden,
    visible: Object.keys(hidden).length > 0 ? { omit: hidden } : {},
    account,
    delegate: delegateName(model.name),
    hasVersion: version?.type === 'Int',
    hasNumericId: id?.type === 'Int' && id.isId,
    relations: new Map(),
    foreignKeys: Object.values(stored.fields).flatMap(({ name, relation }) =>
      relation && relation.fields.length > 0
        ? { name, model: relation.model, members: relation.fields, references: relation.references ?? ['id'] }
        : [],
    ),
    cascades: [],
    ownedBy(caller) {
      const where = model.owner?.(caller) as Where | undefined;
      if (where !== undefined && matchesEveryRow(where))
        throw new Error(`The owner of ${model.name} gives a filter that Prisma takes as "every row".`);
      return where;
    },
    referenceTo(parent) {
      const [member, other] = Object.values(stored.fields).flatMap(({ relation }) =>
        relation?.model === parent.model.name && relation.fields.length === 1 ? relation.fields : [],
      );
      if (member === undefined || other !== undefined)
        throw new Error(`${model.name} must refer to ${parent.model.name} by exactly one relation.`);
      return member;
    },
  };
}

/** Prisma ignores `undefined`, an empty object, and an empty `OR` inside of `AND`. Each would match every row. */
function matchesEveryRow(where: unknown): boolean {
  if (where === undefined) return true;
  if (Array.isArray(where)) return where.length === 0 || where.some(matchesEveryRow);
  if (typeof where !== 'object' || where === null || where instanceof Date || where instanceof Uint8Array) return false;
  const values = Object.values(where);
  return (
    values.length === 0 ||
    values.some((value) => value === undefined || (typeof value === 'object' && matchesEveryRow(value)))
  );
}

type Delegate = Readonly<Record<AllowedCall, (args: object) => Promise<unknown>>>;

/** Returns true if a row satisfies a `where`, by its known members or by the database. @param unique selects the row */
export function rowSatisfies(
  client: object,
  data: ModelData,
  where: Where,
  members: Where,
  unique: object = { id: members['id'] },
): MaybePromise<boolean> {
  const isMatch = matchesLocally(where, members);
  if (isMatch !== undefined) return isMatch;
  const select = data.hasNumericId ? { select: { id: true } } : {};
  const args = Object.assign({ where: { AND: [unique, where] } }, select);
  return delegateOf(client, data)
    .findFirst(args)
    .then((found) => found != null);
}

/** Returns the calls of a model on any client. */
export const delegateOf = (client: object, { delegate }: Pick<ModelData, 'delegate'>): Delegate =>
  (client as Record<string, Delegate>)[delegate] as Delegate;

interface Added {
  readonly id: number;
  readonly key: string;
}

/** The live stream of a model. */
export interface ModelStream {
  /** Returns the value of the model's `stream.key`. */
  readonly keyOf: (data: Readonly<Record<string, unknown>>) => string;
  /** Names the lock under which entries get their ids. */
  readonly lockName: (key: string) => string;
  /** Signals an entry when the transaction commits. */
  readonly announce: (tx: Tx, added: Added) => Promise<void>;
  /** Called after the commit, so that this instance need not wait for its own signal. */
  readonly committed: (added: Added) => void;
  /** @param isShared true if subscribers of one role and selection get the same results */
  readonly from: (key: string, since: number | undefined, isShared: boolean) => AsyncIterable<never>;
}

/** By the name of the model. */
export type ModelStreams = ReadonlyMap<string, ModelStream>;
